#!/usr/bin/env python3
"""Shows a run of scree in ParaView, or makes pictures of it.

    paraview --script=view.py      look at it: grains, walls, force chains, time
    pvbatch view.py                the last frame as view.png
    pvbatch view.py --help         other frames, sizes and colours; a picture of every frame
    pvbatch view.py --field pressure    a coarse-grained field, if the scene measures fields
    pvbatch view.py --animation frames && ffmpeg -i frames/frame_%06d.png -pix_fmt yuv420p film.mp4    a film

Any Python that can import paraview.simple does as well as pvbatch. The data are found beside this file.
"""

import argparse
import importlib
import math
import os
import sys

try:
    import paraview
    import paraview.simple as pv
except ImportError as error:
    sys.exit(
        f"view.py: this Python has no ParaView ({error}); needed: the packages paraview and python3-paraview, then\n"
        "  paraview --script=view.py\nWithout ParaView: scree picture DIR -o FILE.png, or scree replay DIR for a browser"
    )

TITLE = ""
SIDES = []  # x and y of both ends of reflecting (2) and periodic (1) sides, and which [m]

# Equal steps along a map look equal (steps of equal length in CIE Lab, darker all the way, so also in grey).
SPEED = ["f4e3cb", "c4d0b5", "95bca9", "67aaa8", "3396a6", "007fa2", "006899", "004b82", "002f67"]
KINDS = ["e0b15a", "5aa9d6", "3fa384", "d98cb3", "cf6a32", "8c8fd0", "b7b33e", "9a9a9a"]  # of types and materials
COORDINATION = ["f6f0e5", "cbd7b6", "93bd94", "53a17e", "038172", "005e60", "003c49"]  # 0 to 6 and more
FORCE = ["e8b794", "e49f77", "dd865b", "d36a46", "c44b38", "a5312d", "852126"]
GRAIN = "e6d3b8"
WALL = "8b9099"
INK = "23272e"
PAPER = "ffffff"

# What of a field is drawn, and what stands over its colours.
FIELDS = {
    "density": "density [kg/m^2]",
    "packing_fraction": "packing fraction",
    "velocity": "speed [m/s]",
    "momentum": "momentum [kg/(m s)]",
    "pressure": "pressure [N/m]",
    "boundary_force": "force of walls [N/m^2]",
}

# The corners of the grains' box go to those of the periodic cell that deforms, whose periods and centre each frame has. (A
# programmable filter would put numpy's min and max in the place of those of this script.)
TO_CELL = "{0}[:, 0:1] * {1}[0] + {0}[:, 1:2] * {1}[1] + {1}[2] - inputs[0].Points".format(
    "((inputs[0].Points > mean(inputs[0].Points, axis=0)) - 0.5)", "inputs[1].FieldData['cell']"
)
MUCH_TILT = 0.3  # of a period: then other frames have half of it, this way and that

CHAIN_RADIUS = 0.45  # of the strongest chains, over a grain's mean radius
FRAMES_MEASURED = 9  # for the ranges of colours and the view

ROUND = [(1, 5), (1.5, 3), (2, 4), (3, 3), (4, 4), (5, 5), (6, 3), (8, 4), (10, 5)]  # ends of scales, their steps

# Kept free of grains, and where texts and bars go: in units of which a picture of 1600 by 1000 is 1600 by 1000.
BAR_WIDTH, TOP, EDGE = 184, 125, 55


def unit(view):
    """Pixels; texts and bars grow with the picture."""
    return min(view.ViewSize[0] / 1600.0, view.ViewSize[1] / 1000.0)


def place(view, from_left, from_bottom):
    """The point so many units from the left (if negative: from the right) and the bottom (the top) of the picture."""
    width, height = (pixels / unit(view) for pixels in view.ViewSize)
    return [(from_left % width) / width, (from_bottom % height) / height]


def pixel_size(view):
    return 2.0 * view.CameraParallelScale / view.ViewSize[1]  # [m]


def points(view, size):
    return max(6, round(size * unit(view)))


def rgb(colour):
    return [int(colour[k : k + 2], 16) / 255.0 for k in (0, 2, 4)]


def find_directory():
    """Where this file lies, which ParaView's own interpreter does not always tell."""
    script = globals().get("__file__", "")
    if not script:
        arguments = list(sys.argv)
        try:
            with open("/proc/self/cmdline", encoding="utf-8", errors="replace") as command:
                arguments += command.read().split("\0")
        except OSError:
            pass
        scripts = [a.replace("--script=", "", 1) for a in arguments if a.endswith(".py")]
        script = scripts[0] if scripts else "view.py"
    directory = os.path.dirname(os.path.abspath(script))
    if not os.path.exists(os.path.join(directory, "particles.pvd")):
        sys.exit(f"view.py: there is no particles.pvd in {directory}")
    return directory


def numbers_of(data, name, at_most=20000):
    """A cell array's values (a vector's lengths), of evenly chosen cells where there are many."""
    array = data.GetCellData().GetArray(name)
    if array is None:
        return []
    count = array.GetNumberOfTuples()
    stride = max(1, (count + at_most - 1) // at_most)
    if array.GetNumberOfComponents() == 3:
        values = [math.hypot(*array.GetTuple3(i)) for i in range(0, count, stride)]
    else:
        values = [array.GetTuple1(i) for i in range(0, count, stride)]
    return [v for v in values if math.isfinite(v)]


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def evenly(values, count):
    """At most `count` of the values, first and last among them."""
    if len(values) <= count:
        return list(values)
    return [values[round(k * (len(values) - 1) / (count - 1))] for k in range(count)]


def round_up(value):
    """The next round number, and the marks of a scale that ends there."""
    if value <= 0.0:
        return 1.0, [0.0, 0.5, 1.0]
    power = math.floor(math.log10(value))
    digit, count = next(d for d in ROUND if d[0] * 10.0**power >= value * (1.0 - 1e-9))
    # As a person would write them: 0.3, not 0.30000000000000004.
    marks = [float(f"{digit * k / count * 10.0**power:.6g}") for k in range(count + 1)]
    return marks[-1], marks


def union(boxes):
    return [pick(box[k] for box in boxes) for k, pick in enumerate((min, max, min, max))] if boxes else None


class Run:
    """The three series of a run, and what a picture has to know about them."""

    def __init__(self, directory):
        self.particles, self.contacts, self.walls = [
            pv.PVDReader(registrationName=name, FileName=os.path.join(directory, name + ".pvd"))
            for name in ("particles", "contacts", "walls")
        ]
        fields = os.path.join(directory, "fields.pvd")
        self.fields = pv.PVDReader(registrationName="fields", FileName=fields) if os.path.exists(fields) else None
        self.particles.UpdatePipelineInformation()
        times = self.particles.TimestepValues
        self.times = [float(t) for t in (times if hasattr(times, "__len__") else [times])]
        if not self.times:
            sys.exit("view.py: this run has no frames yet")

    def greatest_of_field(self, name, times):
        """In some frames, but for the few greatest values."""
        return max(percentile(numbers_of(fetch(self.fields, time), name), 0.99) for time in times)

    def measure(self, times, force_times):
        """Mean radius [m], bounds [m] and speeds [m/s] in some frames, strong normal forces [N] in others."""
        grains_in, walls_in, radii = [], [], []
        self.speed = self.grain_force = self.pressure = self.force = 0.0
        self.has_colours = self.has_cell = False
        self.names = {}
        for time in times:
            grains, walls = fetch(self.particles, time), fetch(self.walls, time)
            for array in ("type", "material"):
                names = grains.GetFieldData().GetAbstractArray(array + "_names")
                if names is not None:
                    self.names[array] = [names.GetValue(k) for k in range(names.GetNumberOfValues())]
            cell = grains.GetFieldData().GetArray("cell")
            if cell is not None:
                self.has_cell = True
                grains_in.append(bounds_of_cell(*(cell.GetTuple3(k) for k in range(3))))
            if grains.GetNumberOfCells() > 0:
                self.has_colours |= bool(grains.GetCellData().HasArray("colour"))
                grains_in.append(grains.GetBounds())
                radii += numbers_of(grains, "radius", at_most=2000)
                self.speed = max(self.speed, percentile(numbers_of(grains, "velocity"), 0.99))
                self.grain_force = max(self.grain_force, percentile(numbers_of(grains, "force"), 0.99))
                self.pressure = max(self.pressure, percentile(numbers_of(grains, "pressure"), 0.98))
            if walls.GetNumberOfCells() > 0:
                walls_in.append(walls.GetBounds())
        for time in force_times:
            forces = numbers_of(fetch(self.contacts, time), "force_normal")
            self.force = max(self.force, percentile([f for f in forces if f > 0.0], 0.985))
        self.has_clumps = any(" clumps of " in name for name in self.names.get("type", []))
        self.radius = sum(radii) / len(radii) if radii else 0.0
        sides = [[min(x, u), max(x, u), min(y, v), max(y, v)] for x, y, u, v, _ in SIDES]
        self.bounds = self.fit(union(grains_in + [box for box in sides if grains_in or walls_in]), union(walls_in))

    @staticmethod
    def fit(grains, walls):
        """The grains with the walls about them; of a wall that goes far beyond them, only a margin."""
        if grains is None or walls is None:
            return grains or walls or [0.0, 1.0, 0.0, 1.0]
        size = max(grains[1] - grains[0], grains[3] - grains[2])
        box = []
        for k, outward in enumerate((-1.0, 1.0, -1.0, 1.0)):
            beyond = max(0.0, outward * (walls[k] - grains[k]))
            box.append(grains[k] + outward * (beyond if beyond < 0.7 * size else 0.1 * size))
        return box


def bounds_of_cell(along, up, centre):
    """Of the parallelogram of these periods, tilted to both sides."""
    tilt = 0.5 * along[0] if abs(up[0]) > MUCH_TILT * along[0] else abs(up[0])
    right, high = 0.5 * (along[0] + tilt), 0.5 * up[1]
    return [centre[0] - right, centre[0] + right, centre[1] - high, centre[1] + high]


def fetch(source, time):
    source.UpdatePipeline(time)
    return pv.servermanager.Fetch(source)


def show_bar(view, table, title, bottom):
    bar = pv.GetScalarBar(table, view)
    bar.Title, bar.ComponentTitle = title, ""
    bar.Orientation, bar.WindowLocation = "Vertical", "Any Location"
    bar.Position = place(view, 20 - BAR_WIDTH, bottom)
    bar.ScalarBarLength = 320 * unit(view) / view.ViewSize[1]
    bar.ScalarBarThickness = points(view, 13)
    bar.TitleColor = bar.LabelColor = rgb(INK)
    bar.TitleFontSize, bar.LabelFontSize = points(view, 16), points(view, 14)
    bar.TitleJustification, bar.HorizontalTitle = "Left", 1
    bar.Visibility = 1
    return bar


def colour_by(view, displays, where, array, colours, greatest, title, bottom):
    """Colours displays by an array, from 0 to the round number after `greatest`, and shows the colours."""
    end, marks = round_up(greatest)
    table = pv.GetColorTransferFunction(array)
    table.AutomaticRescaleRangeMode = "Never"
    table.VectorMode = "Magnitude"
    table.ColorSpace = "Lab"
    step = end / (len(colours) - 1)
    table.RGBPoints = [x for k, colour in enumerate(colours) for x in [k * step] + rgb(colour)]
    table.ScalarRangeInitialized = 1.0
    for display in displays:
        display.ColorArrayName, display.LookupTable = [where, array], table

    bar = show_bar(view, table, title, bottom)
    bar.AddRangeLabels, bar.DrawTickMarks, bar.DrawTickLabels = 0, 0, 1
    bar.AutomaticLabelFormat, bar.LabelFormat = 0, "%g"
    bar.UseCustomLabels, bar.CustomLabels = 1, marks


def colour_by_name(run, view, display, array):
    """Colours grains by a number that the frames have names for."""
    names = run.names[array]
    table = pv.GetColorTransferFunction(array)
    table.InterpretValuesAsCategories = 1
    table.AnnotationsInitialized = 1
    table.Annotations = [text for k, name in enumerate(names) for text in (str(k), name)]
    table.IndexedColors = [x for k in range(len(names)) for x in rgb(KINDS[k % len(KINDS)])]
    table.IndexedOpacities = [1.0] * len(names)
    display.ColorArrayName, display.LookupTable = ["CELLS", array], table
    bar = show_bar(view, table, array, 80)
    bar.TextPosition = "Ticks left/bottom, annotations right/top"


def plain(display, colour):
    display.ColorArrayName = [None, ""]
    display.AmbientColor = display.DiffuseColor = rgb(colour)


def unlit(display):
    display.Ambient, display.Diffuse, display.Specular = 1.0, 0.0, 0.0


def show_grains(run, view, color):
    pixels = run.radius / pixel_size(view)
    strength = min(1.0, max(0.3, pixels / 6.0))  # outlines of small grains would blacken the picture
    edge = [strength * ink + (1.0 - strength) * grain for ink, grain in zip(rgb(INK), rgb(GRAIN))]
    width = min(2.0, max(0.5, 0.08 * pixels))
    if run.has_clumps:  # polygons that are not convex are filled right as triangles only
        grains = pv.Show(pv.Triangulate(Input=run.particles), view)
        grains.Representation = "Surface"
        outlines = pv.Show(run.particles, view)
        outlines.Representation = "Wireframe"
        outlines.LineWidth = width
        outlines.Position = [0.0, 0.0, 0.001 * run.radius]  # before the grains
        outlines.ColorArrayName = [None, ""]
        outlines.AmbientColor = outlines.DiffuseColor = edge
        unlit(outlines)
    else:
        grains = pv.Show(run.particles, view)
        grains.Representation = "Surface With Edges"
        grains.EdgeColor = edge
        grains.LineWidth = width
    unlit(grains)
    by = {
        "velocity": (SPEED, run.speed, "speed [m/s]"),
        "force": (SPEED, run.grain_force, "total force [N]"),
        "coordination": (COORDINATION, 6.0, "contacts"),
        "pressure": (FORCE, run.pressure, "pressure [N/m]"),
    }
    if color == "given":
        grains.ColorArrayName, grains.MapScalars = ["CELLS", "colour"], 0
    elif color in run.names:
        colour_by_name(run, view, grains, color)
    elif color in by:
        colour_by(view, [grains], "CELLS", color, *by[color], 80)
    else:
        plain(grains, GRAIN)


def show_field(run, view, name, greatest):
    """A coarse-grained field under the outlines of the grains."""
    field = pv.Show(run.fields, view)
    field.Representation = "Surface"
    field.Position = [0.0, 0.0, -0.01 * run.radius]  # behind the grains
    unlit(field)
    colour_by(view, [field], "CELLS", name, SPEED, greatest, FIELDS[name], 80)
    grains = pv.Show(run.particles, view)
    grains.Representation = "Wireframe"
    grains.LineWidth = 0.7
    grains.Opacity = 0.35
    plain(grains, INK)
    unlit(grains)


def show_walls(run, view):
    walls = pv.Show(run.walls, view)
    walls.Representation = "Surface"
    walls.LineWidth = 2.0
    plain(walls, WALL)
    unlit(walls)


def show_sides(run, view):
    if run.has_cell:
        box = pv.Outline(registrationName="box", Input=run.particles)
        way = pv.PythonCalculator(registrationName="way to the cell", Input=[box, run.particles])
        way.ArrayAssociation, way.ArrayName, way.Expression = "Point Data", "way", TO_CELL
        cell = pv.WarpByVector(registrationName="cell", Input=way, Vectors=["POINTS", "way"])
        sides = pv.Show(cell, view)
        plain(sides, WALL)
        unlit(sides)
    for x, y, u, v, kind in SIDES:
        side = pv.Show(pv.Line(registrationName="side", Point1=[x, y, 0.0], Point2=[u, v, 0.0], Resolution=1), view)
        side.LineWidth = kind
        plain(side, WALL)
        unlit(side)


def show_chains(run, view):
    """A tube along each contact, as thick as its normal force is large, and disks that round the joints."""
    end, _ = round_up(run.force)
    pixel = pixel_size(view)
    greatest = max(CHAIN_RADIUS * run.radius, 2.0 * pixel)
    faint = min(0.3, max(0.04, 0.6 * pixel / greatest)) * end  # what is thinner would be dotted
    radius = pv.Calculator(registrationName="chain radius", Input=run.contacts)
    radius.AttributeType = "Cell Data"
    radius.ResultArrayName = "chain_radius"
    radius.Function = f"{greatest:.9g}*min(1,force_normal/{end:.9g})*(force_normal>{faint:.9g})"
    points = pv.CellDatatoPointData(registrationName="chain points", Input=radius)
    points.ProcessAllArrays = 1
    tubes = pv.Tube(registrationName="force chains", Input=points)
    tubes.Scalars = ["POINTS", "chain_radius"]
    tubes.VaryRadius = "By Absolute Scalar"
    tubes.NumberofSides = 16
    tubes.Capping = 0
    chains = pv.Show(tubes, view)
    chains.Representation = "Surface"
    chains.Ambient, chains.Diffuse, chains.Specular = 0.55, 0.45, 0.0
    displays = [chains]
    # ParaView places these in single precision: far from the origin they would lie beside the joints.
    if max(map(abs, run.bounds)) < 1e4 * run.radius:
        joints = pv.Show(points, view)
        joints.Representation = "Point Gaussian"
        joints.ShaderPreset = "Plain circle"
        joints.ScaleByArray = 1
        joints.SetScaleArray = ["POINTS", "chain_radius"]
        joints.UseScaleFunction = 0
        joints.GaussianRadius = 1.0
        joints.Ambient, joints.Diffuse, joints.Specular = 0.7, 0.0, 0.0
        displays.append(joints)
    for display in displays:
        display.Position = [0.0, 0.0, 0.01 * greatest]  # before the grains
    colour_by(view, displays, "POINTS", "force_normal", FORCE, run.force, "normal force [N]", 500)


def show_text(view, source, from_top, size, bold):
    text = pv.Show(source, view)
    text.WindowLocation = "Any Location"
    text.Position = place(view, 48, -from_top)
    text.FontSize, text.Bold, text.Color = points(view, size), bold, rgb(INK)


def show_texts(run, view):
    if TITLE:
        show_text(view, pv.Text(registrationName="title", Text=TITLE), 68, 22, 1)
    time = pv.AnnotateTimeFilter(registrationName="time", Input=run.particles)
    time.Format = "t = {time:.4g} s" if pv.GetParaViewVersion() >= (5, 11) else "t = %.4g s"
    show_text(view, time, 108 if TITLE else 68, 18, 0)


def fit_camera(run, view):
    """From +z, north up; room for texts above and bars on the right."""
    left, right, low, high = run.bounds
    width, height = max(right - left, 1e-12), max(high - low, 1e-12)
    across, up = (pixels / unit(view) for pixels in view.ViewSize)
    metres = max(height / (up - TOP - EDGE), width / (across - BAR_WIDTH - EDGE))  # a unit
    scale = 0.5 * up * metres
    x = 0.5 * (left + right) + 0.5 * (BAR_WIDTH - EDGE) * metres
    y = 0.5 * (low + high) + 0.5 * (TOP - EDGE) * metres
    view.InteractionMode = "2D"
    view.CameraParallelProjection = 1
    view.CameraParallelScale = scale
    view.CameraFocalPoint = view.CenterOfRotation = [x, y, 0.0]
    view.CameraPosition = [x, y, 10.0 * scale]
    view.CameraViewUp = [0.0, 1.0, 0.0]


def build(run, view, color=None, chains=True, field=None, greatest=0.0):
    if color in run.names:  # which are long
        global BAR_WIDTH
        BAR_WIDTH += 7 * max(map(len, run.names[color]))
    view.UseColorPaletteForBackground = 0
    view.BackgroundColorMode = "Single Color"
    view.Background = rgb(PAPER)
    view.OrientationAxesVisibility = 0
    view.CenterAxesVisibility = 0
    fit_camera(run, view)
    show_walls(run, view)
    show_sides(run, view)
    if field:
        show_field(run, view, field, greatest)
    else:
        show_grains(run, view, color or ("given" if run.has_colours else "velocity"))
    if chains and not field and run.force > 0.0 and run.radius > 0.0:
        show_chains(run, view)
    show_texts(run, view)


def read_arguments():
    parser = argparse.ArgumentParser(description="Makes pictures of this run.")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--frame", type=int, metavar="N", help="the frame with this number; -1 (default): the last")
    which.add_argument("--time", type=float, metavar="T", help="the frame nearest to this time [s]")
    which.add_argument("--animation", metavar="DIR", help="every frame, as DIR/frame_NNNNNN.png")
    parser.add_argument("--out", default="view.png", metavar="FILE", help="the picture (default: %(default)s)")
    parser.add_argument("--size", nargs=2, type=int, default=[1600, 1000], metavar=("W", "H"), help="in pixels")
    parser.add_argument(
        "--color",
        choices=("velocity", "coordination", "force", "pressure", "type", "material", "given", "none"),
        help="of the grains: speed, number of contacts, total force, pressure (if output.stress is true), group of the "
        "scene, material, as the scene gives them (default: given, if it gives any, else velocity)",
    )
    parser.add_argument(
        "--field", choices=tuple(FIELDS), help="a coarse-grained field instead of the grains (measure.fields)"
    )
    parser.add_argument("--no-chains", action="store_true", help="do not draw the contact forces")
    parser.add_argument("--max-speed", type=float, metavar="V", help="end of the colours of speed [m/s]")
    parser.add_argument("--max-force", type=float, metavar="F", help="normal force of the thickest chains [N]")
    return parser.parse_args()


def require_display():
    """An X server, if this ParaView draws with one: without it VTK ends in a stack trace."""
    if os.environ.get("DISPLAY"):
        return
    try:
        importlib.import_module("vtkmodules.vtkRenderingOpenGL2")  # which knows how to draw
        from vtkmodules.vtkRenderingCore import vtkRenderWindow

        if "XOpenGL" not in vtkRenderWindow().GetClassName():
            return
    except ImportError:
        return
    command = " ".join(["xvfb-run -a", os.path.basename(sys.executable or "pvbatch"), *sys.argv])
    sys.exit(
        f"view.py: there is no display to draw on; type (package xvfb):\n  {command}\n"
        "Without a display: scree picture DIR -o FILE.png"
    )


def make_pictures():
    options = read_arguments()
    require_display()
    run = Run(find_directory())
    if options.animation:
        chosen = list(range(len(run.times)))
    elif options.time is not None:
        chosen = [min(range(len(run.times)), key=lambda k: abs(run.times[k] - options.time))]
    else:
        frame = -1 if options.frame is None else options.frame
        if not -len(run.times) <= frame < len(run.times):
            sys.exit(f"view.py: there is no frame {frame}; this run has frames 0 to {len(run.times) - 1}")
        chosen = [frame % len(run.times)]
    chosen_times = [run.times[k] for k in chosen]
    some = evenly(chosen_times, FRAMES_MEASURED)
    run.measure(sorted(set(evenly(run.times, FRAMES_MEASURED) + some)), some)
    if options.field and run.fields is None:
        sys.exit("view.py: this run has no fields; needed: measure.fields in its scene")
    if options.color == "pressure" and run.pressure == 0.0:
        sys.exit("view.py: no frame has pressures of grains; needed: output.stress in the scene")
    run.speed = options.max_speed or run.speed
    run.force = options.max_force or run.force

    view = pv.CreateView("RenderView")
    view.ViewSize = options.size
    view.ViewTime = chosen_times[-1]
    greatest = run.greatest_of_field(options.field, some) if options.field else 0.0
    build(run, view, options.color, not options.no_chains, options.field, greatest)
    if options.animation:
        os.makedirs(options.animation, exist_ok=True)
    for k in chosen:
        view.ViewTime = run.times[k]
        path = os.path.join(options.animation, f"frame_{k:06d}.png") if options.animation else options.out
        pv.SaveScreenshot(path, view, ImageResolution=options.size)
        if not os.path.exists(path):
            sys.exit(f"view.py: cannot write {path}")
        print(path)


def show_in_paraview():
    run = Run(find_directory())
    some = evenly(run.times, FRAMES_MEASURED)
    run.measure(some, some)
    view = pv.GetActiveViewOrCreate("RenderView")
    build(run, view)
    animation = pv.GetAnimationScene()
    animation.UpdateAnimationUsingDataTimeSteps()
    animation.GoToLast()
    pv.SetActiveSource(run.particles)
    pv.Render(view)


pv._DisableFirstRenderCameraReset()
# Some versions of the program do not say that they are it; but it has a view from the start, which pvbatch has not.
if getattr(paraview, "fromGUI", False) or pv.GetActiveView() is not None:
    show_in_paraview()
else:
    make_pictures()
