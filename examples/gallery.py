"""Runs the examples and makes a page of them: pictures, replays, what they show, how long they took.

    gallery.py SCREE DIRECTORY [--readme] [NAME...]

A run that is there and finished is taken as it is. --readme makes the pictures of README.md and docs/gallery instead, and
writes the processor times of their runs into docs/gallery/README.md; needs Pillow.
"""

import html
import itertools
import json
import re
import resource
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent
GALLERY = EXAMPLES.parent / "docs/gallery"


@dataclass
class Shown:
    """A picture: when it tells most [s] (none: at the end), what runs (the example with the picture's name, unless another
    one or a kind of `scree new` is given), values of parameters, and whether forces between grains are drawn."""

    time: float | None = None
    example: str = ""
    kind: str = ""
    settings: list = field(default_factory=list)
    chains: bool = True


PICTURES = {
    "heap": Shown(0.5),
    "hopper": Shown(1.2),
    "openings": Shown(0.24),
    "drum": Shown(4.0),
    "shaker": Shown(2.0),
    "slit": Shown(5.0),
    "brownian": Shown(9.0),
    "overhang": Shown(0.6, chains=False),
    "overhang_falls": Shown(0.4, "overhang", settings=["share=1.01"], chains=False),
    "dominoes": Shown(0.6),
    "biaxial_disks": Shown(0.5),
    "heavy_lid": Shown(0.5),
    "press": Shown(0.5),
    "periodic_shear": Shown(0.5),
    "direct_shear": Shown(),
    "trimers": Shown(),
    "clumps": Shown(1.0),
    "column_collapse": Shown(0.5),
    "avalanche": Shown(),
    "rolling_drum": Shown(4.0),
    "gravel_and_disks": Shown(1.0),
    "brazil_nut": Shown(6.0),
    "shaken_gas": Shown(30.0),
    "sheared_gas": Shown(1.025),
    "driven_gas": Shown(10.0),
    "hot_and_cold": Shown(20.0),
    "tapped_bed": Shown(15.9),
    "growing_beads": Shown(),
    "gas": Shown(1.0),
    "time_reversal": Shown(1.0),
    "unmixing": Shown(40.0),
    "staples": Shown(),
    "new_arch": Shown(0.5, kind="arch"),
    "new_shear": Shown(1.0, kind="shear"),
    "new_biaxial": Shown(1.0, kind="biaxial"),
    "new_silo": Shown(kind="silo"),
    "new_hopper": Shown(1.0, kind="hopper"),
    "new_heap": Shown(kind="heap"),
}
PICTURE_WIDTH = 360  # pixels
COLOURS = 64, 32, 16  # of a picture, fewer if it would take more than 40 kB otherwise: no difference that one sees
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


def at(time):
    return [] if time is None else ["--time", str(time)]


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_once(scree, scene, run, settings=(), threads=None):
    """Runs a scene unless it has; the processor time that it took, of all threads [s]."""
    times = run.parent / "times.json"
    known = json.loads(times.read_text()) if times.exists() else {}
    if is_finished(run) and run.name in known:
        return known[run.name]
    words = [word for setting in settings for word in ("--set", setting)] + (["--threads", str(threads)] if threads else [])
    before = processor_time()
    subprocess.run([scree, "run", scene, *words, "--output", run, "--force"], check=True, cwd=scene.parent)
    known[run.name] = round(processor_time() - before, 2)
    times.write_text(json.dumps(known, indent=1))
    return known[run.name]


def card(scree, scene, directory):
    """Runs an example; the HTML that shows it."""
    name = scene.stem
    run = directory / name
    seconds = run_once(scree, scene, run)
    subprocess.run([scree, "replay", run, "--quiet"], check=True)
    info = json.loads((run / "run.json").read_text())
    time = PICTURES[name].time if name in PICTURES else 0.5 * info["end_time"]
    picture = ["-o", directory / f"{name}.png", "--width", "640", "--quiet"]
    subprocess.run([scree, "picture", run, *picture, *at(time)], check=True)
    title = html.escape(info["title"] or name)
    return (
        f'<article><a href="{name}/replay.html"><img src="{name}.png" alt="{title}"></a><div><h2>{title}</h2>'
        f"<p>{html.escape(about(scene))}</p><small>{html.escape(scene.name)}, {info['mode']} mode, "
        f"{seconds:.3g} s of processor time</small></div></article>\n"
    )


def make_page(scree, directory, scenes):
    cards = "".join(card(scree, scene, directory) for scene in scenes)
    page = directory / "index.html"
    page.write_text(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" '
        f'content="width=device-width">\n<title>Examples of scree</title>\n<style>{STYLE}</style>\n</head>\n<body>\n'
        f"<h1>Examples of scree</h1>\n<p>A click plays a run.</p>\n<main>\n{cards}</main>\n</body>\n</html>\n"
    )
    print(page)


def draw(scree, directory, scenes, name):
    """The picture of this name, of a run on two threads; writes its processor time beside it."""
    from PIL import Image

    shown = PICTURES[name]
    scene = scenes.get(shown.example or name)
    if shown.kind:
        scene = directory / f"{name}.yaml"
        scene.unlink(missing_ok=True)
        subprocess.run([scree, "new", shown.kind, scene], check=True, stdout=subprocess.DEVNULL)
    run = directory / "pictures" / name
    run.parent.mkdir(exist_ok=True)
    seconds = run_once(scree, scene, run, shown.settings, threads=2)
    picture = GALLERY / f"{name}.png"
    how = ["--no-words", "--width", str(PICTURE_WIDTH), "--quiet"]
    how += [] if shown.chains else ["--no-chains"]
    subprocess.run([scree, "picture", run, "-o", picture, *how, *at(shown.time)], check=True)
    with Image.open(picture) as image:
        drawn = image.convert("RGB")
    for colours in COLOURS:
        drawn.quantize(colours, dither=Image.Dither.NONE).save(picture, optimize=True)
        if picture.stat().st_size < 40_000:
            break
    page = GALLERY / "README.md"
    written = f"{seconds:.2g}" if seconds < 10 else f"{seconds:.0f}"
    with_time = rf"(\]\({name}\.png\)(?:(?!</td>).)*?Time: )[0-9.]+( s)"
    page.write_text(re.sub(with_time, rf"\g<1>{written}\2", page.read_text(), flags=re.DOTALL))
    print(f"{picture}: {picture.stat().st_size} bytes, {seconds} s")


def main():
    scree, directory, names = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3:]
    scenes = {scene.stem: scene for scene in sorted(EXAMPLES.glob("**/*.yaml"))}
    pictures = "--readme" in names
    names = [name for name in names if name != "--readme"]
    known = PICTURES if pictures else scenes
    unknown = [name for name in names if name not in known]
    if unknown:
        what = "picture" if pictures else "example"
        sys.exit(f"gallery: there is no {what} {unknown[0]}; there are {', '.join(known)}")
    directory.mkdir(parents=True, exist_ok=True)
    if pictures:
        for name in names or PICTURES:
            draw(scree, directory, scenes, name)
    else:
        make_page(scree, directory, [scenes[name] for name in names or scenes])


if __name__ == "__main__":
    main()
