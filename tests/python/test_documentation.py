import os
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/python.md"


def test_the_tutorial_does_what_it_says(tmp_path):
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 5
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        names = {}
        for block in blocks:
            exec(compile(block, str(PAGE), "exec"), names)
    finally:
        os.chdir(before)
    assert len(names["heights"]) == 8 and names["fastest"] > 0
