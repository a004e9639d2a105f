"""Runs the examples and makes a page of them: pictures, replays, what they show, how long they took.

    gallery.py SCREE DIRECTORY [--readme] [NAME...]

A run that is there and finished is taken as it is. --readme draws the pictures of README.md anew, too.
"""

import html
import itertools
import json
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent
TELLING = {"heap": 0.5, "hopper": 1.2, "drum": 4.0, "shaker": 2.0, "slit": 5.0, "brownian": 9.0}  # times [s]
STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 78rem; margin: 2rem auto; padding: 0 1rem; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: 1.5rem; }
article { border: 1px solid #8884; border-radius: 10px; overflow: hidden; }
img { display: block; width: 100%; height: 15rem; object-fit: contain; background: #fff; }
div { padding: 0.7rem 1rem 1rem; }
h2 { font-size: 1.05rem; margin: 0; }
p { margin: 0.4rem 0; }
small { opacity: 0.7; }
"""


def about(scene):
    """The first paragraph of the comment at the beginning of a scene."""
    lines = itertools.takewhile(lambda line: line.startswith("#"), scene.read_text().splitlines()[1:])
    paragraph = itertools.takewhile(bool, (line.removeprefix("#").strip() for line in lines))
    return " ".join(paragraph)


def is_finished(run):
    info = run / "run.json"
    return info.exists() and json.loads(info.read_text())["status"] == "finished"


def card(scree, scene, directory, pictures):
    """Runs an example; the HTML that shows it. Draws a picture for README.md, if there is a directory for them."""
    name = scene.stem
    run = directory / name
    if not is_finished(run):
        subprocess.run([scree, "run", scene, "--output", run, "--force"], check=True, cwd=scene.parent)
    subprocess.run([scree, "replay", run, "--quiet"], check=True)
    info = json.loads((run / "run.json").read_text())
    at = ["--time", str(TELLING.get(name, 0.5 * info["end_time"])), "--quiet"]
    subprocess.run([scree, "picture", run, "-o", directory / f"{name}.png", "--width", "640", *at], check=True)
    if pictures and name in TELLING:
        plain = ["--no-words", "--width", "400", *at]
        subprocess.run([scree, "picture", run, "-o", pictures / f"{name}.png", *plain], check=True)
    title = html.escape(info["title"] or name)
    return (
        f'<article><a href="{name}/replay.html"><img src="{name}.png" alt="{title}"></a><div><h2>{title}</h2>'
        f"<p>{html.escape(about(scene))}</p><small>{html.escape(scene.name)}, {info['mode']} mode, "
        f"{info['wall_time']:.3g} s</small></div></article>\n"
    )


def main():
    scree, directory, names = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3:]
    pictures = EXAMPLES.parent / "docs/gallery" if "--readme" in names else None
    names = [name for name in names if name != "--readme"]
    scenes = {scene.stem: scene for scene in sorted(EXAMPLES.glob("**/*.yaml"))}
    unknown = [name for name in names if name not in scenes]
    if unknown:
        sys.exit(f"gallery: there is no example {unknown[0]}; there are {', '.join(scenes)}")
    directory.mkdir(parents=True, exist_ok=True)
    cards = "".join(card(scree, scenes[name], directory, pictures) for name in names or scenes)
    page = directory / "index.html"
    page.write_text(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" '
        f'content="width=device-width">\n<title>Examples of scree</title>\n<style>{STYLE}</style>\n</head>\n<body>\n'
        f"<h1>Examples of scree</h1>\n<p>A click plays a run.</p>\n<main>\n{cards}</main>\n</body>\n</html>\n"
    )
    print(page)


if __name__ == "__main__":
    main()
