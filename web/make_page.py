"""Makes the playground, one page: of the player's files (io/replay), those of this folder, the engine that emscripten made,
the editor that esbuild makes of CodeMirror, the schema and the examples.

usage: make_page.py BUILD    BUILD has engine.js, engine.wasm and npm/node_modules; the page is BUILD/playground.html
"""

import base64
import gzip
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent

# Name of the file that a visitor downloads, where its text is, what it is called below its picture.
EXAMPLES = [
    ("heap", "examples/heap.yaml", "Heap"),
    ("hopper", "examples/hopper.yaml", "Hopper"),
    ("drum", "examples/drum.yaml", "Drum"),
    ("silo", "app/templates/silo.yaml", "Silo"),
    ("arch", "app/templates/arch.yaml", "Arch"),
    ("clumps", "examples/clumps.yaml", "Clumps"),
    ("brazil_nut", "examples/brazil_nut.yaml", "Brazil nut"),
    ("dominoes", "examples/dominoes.yaml", "Dominoes"),
    ("hard_rubble", "examples/hard_rubble.yaml", "Hard rubble"),
    ("gas", "examples/gas.yaml", "Gas"),
    ("unmixing", "examples/unmixing.yaml", "Un-mixing"),
]

# The page may run what stands in it, and ask for nothing.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; "
    "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
)


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def script(body):
    """As an element: a closing tag in it would end it."""
    return "<script>\n" + body.replace("</script", "<\\/script") + "</script>\n"


def data(name, body, kind="application/json"):
    """What may not be run: a text that scripts read."""
    if kind == "application/json":
        body = body.replace("<", "\\u003c")
    return f'<script type="{kind}" id="{name}">{body}</script>\n'


def stage():
    """The player's part of its page, without the frame about it."""
    body = text("io/replay/body.html")
    return re.search(r"<main>\n(.*)</main>", body, re.DOTALL)[1]


def version():
    number = re.search(r"VERSION ([0-9.]+)", text("CMakeLists.txt").split("project(")[1])[1]
    git = ["git", "--no-optional-locks", "-C", str(ROOT)]
    head = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False)
    if head.returncode != 0:
        return {"version": number, "commit": "unknown"}
    changed = subprocess.run([*git, "status", "--porcelain", "--untracked-files=no"], capture_output=True, text=True, check=True)
    return {"version": number, "commit": head.stdout.strip() + ("-dirty" if changed.stdout.strip() else "")}


def examples():
    found = []
    for name, path, title in EXAMPLES:
        picture = (HERE / "pictures" / f"{name}.webp").read_bytes()
        not_here = r"# yaml-language-server|#   (./dev|paraview|scree) "
        lines = [line for line in text(path).splitlines() if not re.match(not_here, line)]
        found.append(
            {
                "name": name,
                "title": title,
                "text": re.sub(r"^#\n(#\n)+", "#\n", "\n".join(lines) + "\n", flags=re.MULTILINE),
                "picture": "data:image/webp;base64," + base64.b64encode(picture).decode(),
            }
        )
    return found


def licences(build):
    """Of all that is in the page, as a comment at its end."""
    found = {"scree": text("LICENSE")}
    for lock, entry in json.loads(text("web/package-lock.json"))["packages"].items():
        if lock:
            found[f"{lock.removeprefix('node_modules/')} {entry['version']}"] = (build / "npm" / lock / "LICENSE").read_text()
    for name, path in (("LibYAML", "libyaml/License"), ("yaml-cpp", "yaml-cpp/LICENSE")):
        found[name] = (build / "sources" / path).read_text()
    readme = (build / "sources/zlib/README").read_text()
    found["zlib"] = readme[readme.index("Copyright notice:") :]
    for name, package in (
        ("fmt", "libfmt-dev"), ("Eigen", "libeigen3-dev"), ("Random123", "librandom123-dev"), ("xxHash", "libxxhash-dev"),
        ("nlohmann-json", "nlohmann-json3-dev"), ("emscripten, with musl, libc++ and compiler-rt", "emscripten"),
    ):  # fmt: skip
        found[name] = pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text(encoding="utf-8", errors="replace")
    # Texts that several have stand once.
    names = {}
    for name, body in found.items():
        names.setdefault(body.strip(), []).append(name)
    return "\n\n".join(f"== {', '.join(of)}\n\n{body}" for body, of in names.items())


def editor(build):
    out = build / "editor.js"
    for name in ("editor.js", "completion.js"):
        (build / "npm" / name).write_text(text(f"web/{name}"))
    subprocess.run(
        ["esbuild", "editor.js", "--bundle", "--minify", "--format=iife", "--target=es2022", "--log-level=warning",
         "--legal-comments=none", f"--outfile={out}"],
        cwd=build / "npm", check=True,
    )  # fmt: skip
    return out.read_text()


def main(arguments):
    build = pathlib.Path(arguments[0]).resolve()
    engine = gzip.compress((build / "engine.wasm").read_bytes(), 9, mtime=0)
    schema = json.dumps(json.loads(text("docs/scene.schema.json")), separators=(",", ":"))
    worker = (build / "engine.js").read_text() + "\n" + text("web/worker.js")
    page = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>scree</title>\n<style>\n'
        + text("io/replay/style.css")
        + text("web/style.css")
        + "</style>\n</head>\n"
        + text("web/body.html").replace("@STAGE@", stage())
        + data("build-data", json.dumps(version()))
        + data("examples-data", json.dumps(examples()))
        + data("schema-data", schema)
        + data("worker-text", worker.replace("</script", "<\\/script"), "text/plain")
        + data("engine-data", base64.b64encode(engine).decode(), "text/plain")
    )
    for name in ("colours", "draw_gl", "draw_2d", "charts", "player"):
        page += script(text(f"io/replay/{name}.js"))
    page += script(editor(build))
    page += script(text("io/replay/engine_source.js"))
    page += script(text("web/page.js"))
    page += f"</body>\n</html>\n<!--\n{licences(build).replace('--', '- -')}\n-->\n"
    out = build / "playground.html"
    out.write_text(page, encoding="utf-8")
    print(f"{out}: {len(page.encode()) / 1e6:.2f} MB, of which the engine {len(engine) * 4 / 3e6:.2f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
