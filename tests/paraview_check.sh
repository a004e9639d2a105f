#!/usr/bin/env bash
# Draws the last frame of a run with ParaView, as a user would, and looks whether there is a picture.
#
#   tests/paraview_check.sh RUN_DIRECTORY OUT.png [more arguments of view.py]
#
# Of a periodic cell that deforms it also looks whether each frame has its own sides (paraview_cell.py).
#
# Debian's python3-paraview cannot be installed beside libvtk9-dev. Where it is not installed, its files are unpacked into
# a cache directory and found through PYTHONPATH; where it is, its pvbatch draws. Nothing else on the machine changes but
# for the packages named below, which are installed if they are missing and we may.
set -euo pipefail

if [ $# -lt 2 ]; then
  echo "usage: $0 RUN_DIRECTORY OUT.png [more arguments of view.py]" >&2
  exit 2
fi
run=$1
picture=$2
shift 2
if [ ! -f "$run/view.py" ]; then
  echo "paraview_check: $run has no view.py: is it the directory of a run?" >&2
  exit 2
fi

packages=(paraview xvfb xauth libgl1-mesa-dri)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  install=(apt-get install -y --no-install-recommends "${missing[@]}")
  if [ "$(id -u)" = 0 ]; then
    DEBIAN_FRONTEND=noninteractive "${install[@]}"
  elif sudo -n true 2>/dev/null; then
    sudo DEBIAN_FRONTEND=noninteractive "${install[@]}"
  else
    echo "paraview_check: missing: ${missing[*]}. Please run: sudo ${install[*]}" >&2
    exit 3
  fi
fi

if [ "$(dpkg-query -W -f='${db:Status-Status}' python3-paraview 2>/dev/null)" = installed ]; then
  modules=
  python=pvbatch
else
  version=$(dpkg-query -W -f='${Version}' paraview)
  prefix=${XDG_CACHE_HOME:-$HOME/.cache}/scree/paraview/$version
  modules=$prefix/usr/lib/python3/dist-packages
  if [ ! -d "$modules/paraview" ]; then
    # Unpacked aside and then moved, so that a check that is interrupted leaves nothing half there.
    mkdir -p "${prefix%/*}"
    aside=$(mktemp -d "${prefix%/*}/unpack.XXXXXX")
    trap 'rm -rf "$aside"' EXIT
    (cd "$aside" && apt-get -o APT::Sandbox::User="$(id -un)" download "python3-paraview=$version" && dpkg -x python3-paraview_*.deb tree)
    [ -d "$modules/paraview" ] || mv "$aside/tree" "$prefix"
  fi
  python=/usr/bin/python3
fi

# -noreset: otherwise the X server starts afresh whenever its last client leaves, and refuses a client that comes just then.
in_paraview() { PYTHONPATH=$modules xvfb-run -a -s "-screen 0 1280x1024x24 -noreset" "$python" "$@"; }
rm -f "$picture"
in_paraview "$run/view.py" --out "$picture" "$@"
if [ -f "$run/cell.csv" ]; then in_paraview "$(dirname "$0")/paraview_cell.py" "$run"; fi

/usr/bin/python3 - "$picture" <<'PYTHON'
"""Fails unless the PNG's pixels have more than a handful of colours: an empty view has one, texts alone a few greys."""
import struct
import sys
import zlib

path = sys.argv[1]
try:
    with open(path, "rb") as file:
        data = file.read()
except OSError as error:
    sys.exit(f"paraview_check: no picture: {error}")
if not data.startswith(b"\x89PNG\r\n\x1a\n"):
    sys.exit(f"paraview_check: {path} is not a PNG")

at, pixels = 8, b""
while at < len(data):
    (length,) = struct.unpack(">I", data[at : at + 4])
    kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
    if kind == b"IHDR":
        width, height, depth, colour = struct.unpack(">IIBB", body[:10])
    elif kind == b"IDAT":
        pixels += body
    at += 12 + length
size = {2: 3, 6: 4}.get(colour)
if size is None or depth != 8:
    sys.exit(f"paraview_check: {path} is not 8-bit RGB or RGBA")

raw, stride = zlib.decompress(pixels), width * size
before, colourful = bytearray(stride), 0
for y in range(height):
    start = y * (stride + 1)
    how, row = raw[start], bytearray(raw[start + 1 : start + 1 + stride])
    for x in range(stride):
        left = row[x - size] if x >= size else 0
        above = before[x]
        corner = before[x - size] if x >= size else 0
        if how == 1:
            row[x] = (row[x] + left) & 255
        elif how == 2:
            row[x] = (row[x] + above) & 255
        elif how == 3:
            row[x] = (row[x] + (left + above) // 2) & 255
        elif how == 4:
            guess = left + above - corner
            best = min((abs(guess - left), 0, left), (abs(guess - above), 1, above), (abs(guess - corner), 2, corner))[2]
            row[x] = (row[x] + best) & 255
    before = row
    colourful += sum(max(row[x : x + 3]) - min(row[x : x + 3]) > 20 for x in range(0, stride, size))
share = colourful / (width * height)
# The bars with their colours fill 0.5 % of a picture.
if share < 0.01:
    sys.exit(f"paraview_check: {path} shows no grains: {100 * share:.2f} % of it is coloured")
print(f"{path}: {width} x {height}, {100 * share:.0f} % coloured")
PYTHON
