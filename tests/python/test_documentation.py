import os
import pathlib
import re

import scree
from common import SOFT, run_by_command_line

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/python.md"


def test_the_tutorial_does_what_it_says(tmp_path):
    """All blocks of Python, one after the other; those that are not marked as such need a run in out/heap."""
    every = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    blocks = [block for language, block in every if language in ("", "python")]
    assert len(blocks) >= 11
    measured = dict(SOFT, measure={"every": 0.05, "fields": {"width": 0.1, "every": 0.2}}, time={"end": 0.5})
    (tmp_path / "out").mkdir()
    run_by_command_line(scree.Scene.from_dict(measured), tmp_path / "out")
    (tmp_path / "out/out").rename(tmp_path / "out/heap")
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        names = {}
        for block in blocks:
            exec(compile(block, str(PAGE), "exec"), names)
        assert len(names["heights"]) == 8 and names["fastest"] > 0
        assert len(names["run"]) == 6
        assert [run.parameters["materials.stone.friction"] for run in names["runs"]] == [0.1, 0.3, 0.5]
    finally:
        os.chdir(before)
