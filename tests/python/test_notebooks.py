"""The notebooks of examples/ run from their first cell to the last, whose assertions hold, and show pictures."""

import base64
import os
import pathlib

import pytest

from common import EXAMPLES

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")

BOOKS = sorted((EXAMPLES / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks():
    assert len(BOOKS) == 6


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_a_picture(path, tmp_path):
    book = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in book.cells), "outputs are not kept in the repository"
    nbclient.NotebookClient(book, timeout=900, resources={"metadata": {"path": str(tmp_path)}}).execute()
    pictures = [output["data"]["image/png"] for cell in book.cells for output in cell.get("outputs", [])
                if "image/png" in output.get("data", {})]
    assert pictures and all(len(picture) > 10_000 for picture in pictures)
    if keep := os.environ.get("SCREE_KEEP_PICTURES"):
        for number, picture in enumerate(pictures):
            pathlib.Path(keep, f"{path.stem}_{number}.png").write_bytes(base64.b64decode(picture))
