"""Draws frames of a periodic cell that deforms with ParaView, and looks whether the sides in the view are those of each
frame, with the grains between them.

    PYTHONPATH=WHERE_PARAVIEW_IS python3 paraview_cell.py RUN_DIRECTORY

tests/paraview_check.sh runs it where ParaView is.
"""

import math
import os
import sys

run = os.path.abspath(sys.argv[1])
script = os.path.join(run, "view.py")
sys.argv = [script, "--out", os.path.join(run, "cell.png")]
shown = {"__file__": script, "__name__": "__main__"}
with open(script, encoding="utf-8") as text:
    exec(compile(text.read(), script, "exec"), shown)
pv, fetch = shown["pv"], shown["fetch"]

sides, particles = pv.FindSource("cell"), pv.FindSource("particles")
if sides is None:
    sys.exit("paraview_cell: the view has no sides of the cell")
times = [float(t) for t in particles.TimestepValues]
tilts, slanted = set(), 0
for time in times[:: max(1, len(times) // 8)]:
    grains = fetch(particles, time)
    (length, _, _), (tilt, height, _), (x, y, _) = (grains.GetFieldData().GetArray("cell").GetTuple3(k) for k in range(3))
    tilts.add(tilt)
    drawn = fetch(sides, time)
    lines = [[drawn.GetCell(k).GetPoints().GetPoint(end)[:2] for end in (0, 1)] for k in range(drawn.GetNumberOfCells())]
    lines = [line for line in lines if math.dist(*line) > 1e-6 * length]
    corners = [
        (x + 0.5 * (a * length + b * tilt), y + 0.5 * b * height) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    for k in range(4):
        side = corners[k], corners[(k + 1) % 4]
        if not any(max(map(math.dist, side, one)) < 1e-6 * length for line in lines for one in (line, line[::-1])):
            sys.exit(f"paraview_cell: at {time} s there is no line along {side}; there are {lines}")
    if len(lines) % 4:
        sys.exit(f"paraview_cell: at {time} s there are {len(lines)} lines")
    centroid = grains.GetCellData().GetArray("centroid")
    for k in range(centroid.GetNumberOfTuples()):
        right, up, _ = centroid.GetTuple3(k)
        along = right - x - tilt * (up - y) / height
        slanted += abs(right - x) > 0.5 * length
        if abs(along) > (0.5 + 1e-5) * length or abs(up - y) > (0.5 + 1e-5) * height:
            sys.exit(f"paraview_cell: at {time} s grain {k} is beyond the sides")
if len(tilts) < 4 or not slanted:
    sys.exit("paraview_cell: the cell hardly deforms in this run")
print(f"{run}: sides as in {len(tilts)} frames, with all grains between them")
