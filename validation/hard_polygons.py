"""# Hard polygons: equation of state, temperatures, cooling, single impacts, and the order of squares and triangles

Gases of smooth hard polygons between periodic sides, event-driven. Their pressure is compared with Monte Carlo by
independent programs: of squares at packing fraction 0.8 by HOOMD-blue (its test of `compute.SDF`: Z = 14.85 ± 0.03), of
others with the NVT Monte Carlo of this study; with the second virial coefficients of convex bodies in the plane, B₂ = A +
P²/(4π) (isotropic average, area A, perimeter P); and with third ones by Monte Carlo. Translation and rotation have one
temperature. Squares that lose energy cool by ln E = −(2/3)(1 − e²) per collision of all grains over their number, by
the mean-field theory of their two temperatures.

Single impacts on a floor: a thin smooth rod that falls on one end gets the impulse m v (1 + e)/(1 + 3 cos² θ), θ its angle
to the floor. A rigid block that rocks from one lower corner onto the other, without rebound or sliding, keeps ω⁺/ω⁻ = 1 −
(3/2) sin² α of its angular velocity, tan α its width over its height (G. W. Housner, Bulletin of the Seismological
Society of America 53 (1963) 403).

Last, what squares do as they are packed denser. The tetratic order |⟨exp(4iθ)⟩| of a finite system is never zero; where
it is not beyond what √(π/4N) gives, that of N grains turned at random, there is none. Beside it is the correlation of
neighbours, ⟨cos 4(θᵢ−θⱼ)⟩, which is greater than its square, the more so the shorter the order reaches. Squares on a lattice would also have order of their places, |⟨exp(iG·r)⟩| at the
reciprocal vectors of the lattice that the run began with. Runs begin on the aligned lattice, thus with all order, and
lose it: what is left after 600 collisions a grain may be more than in equilibrium where the order decays slowly, never
less. N = 1024, two seeds. Two seeds of one size do not tell where the transitions are, nor of what kind: no more is
claimed than that tetratic order persists at densities at which the lattice has melted, and that the pressure has no
jump.

The same for equilateral triangles: their order of direction is |⟨exp(6iθ)⟩|, which is the same for triangles that point up
and down, and |⟨exp(3iθ)⟩|, which is not and is zero in the tiling that the runs begin with. By Monte Carlo it sets in at a
packing fraction of 0.7, continuously (A. P. Gantapara, W. Qi & M. Dijkstra, Soft Matter 11 (2015) 8684).
"""

import math

import numpy

import picture
from estimate import mean_and_error
from figure import Check, Figure
from runs import Frame

# vertices, packing fraction: Z and its error, of independent programs (docs/theory.md, hard polygons)
PRESSURES = {
    (4, 0.3): (2.305, 0.009),
    (4, 0.5): (5.041, 0.022),
    (4, 0.6): (7.972, 0.025),
    (4, 0.7): (11.36, 0.05),
    (4, 0.8): (14.85, 0.03),
    (3, 0.3): (2.631, 0.012),
    (5, 0.3): (2.189, 0.006),
    (5, 0.5): (4.675, 0.016),
    (6, 0.3): (2.154, 0.009),
    (6, 0.5): (4.490, 0.024),
}
THIRD = {3: 5.256, 4: 3.983, 5: 3.618, 6: 3.451}  # B3/A^2, by Monte Carlo
DILUTE = 0.02  # packing fraction
DENSITIES = [0.50, 0.60, 0.65, 0.70, 0.75, 0.80, 0.85]
SEEDS = [1, 2]
SIDE = 16  # grains along a side of the smaller systems
COLUMNS = 32  # and of those whose order is looked at
AREA = 1e-4  # of a grain [m^2]


def corners(vertices):
    """Of a regular polygon that stands on an edge."""
    turn = math.pi / vertices - math.pi / 2
    return [[math.cos(2 * math.pi * k / vertices + turn), math.sin(2 * math.pi * k / vertices + turn)] for k in range(vertices)]


def second_virial(vertices):
    """B2/A."""
    return 1 + vertices / math.pi * math.tan(math.pi / vertices)  # P^2 / (4 A) = n tan(pi / n)


def gas(vertices, fraction, columns, seed, collisions, restitution=1.0):
    """A scene of columns^2 grains on a square lattice, aligned where they would touch else, for about so many collisions a
    grain."""
    count = columns**2
    length = math.sqrt(count * AREA / fraction)
    draw = numpy.random.default_rng(seed)
    velocity = draw.normal(size=(count, 2))
    velocity -= velocity.mean(axis=0)
    velocity *= math.sqrt(2 * (count - 1) / (velocity**2).sum())  # kT / m = 1
    tangent = math.tan(math.pi / vertices)
    gyration = math.sqrt(AREA * (tangent / 6 + 0.5 / tangent) / vertices)
    spin = draw.normal(size=count) / gyration
    circumradius = math.sqrt(2 * AREA / (vertices * math.sin(2 * math.pi / vertices)))
    is_free = 2.02 * circumradius < length / columns
    angle = draw.uniform(0, 2 * math.pi, size=count) if is_free else numpy.zeros(count)
    pitch = length / columns
    place = [
        {
            "position": [(k % columns + 0.5) * pitch, (k // columns + 0.5) * pitch],
            "angle": float(angle[k]),
            "velocity": velocity[k].tolist(),
            "angular_velocity": float(spin[k]),
        }
        for k in range(count)
    ]
    # by the pressure that is expected: Z - 1 collisions in about this time
    compressibility = PRESSURES.get((vertices, fraction), (1 + second_virial(vertices) * fraction / (1 - fraction) ** 2, 0))[0]
    time = collisions * math.sqrt(AREA) / (2 * max(compressibility - 1, 0.05))
    material = {"density": 1, "restitution": restitution}
    scene = {
        "scree": 1,
        "mode": "hard",
        "domain": {"x": [0, length], "y": [0, length], "periodic": ["x", "y"]},
        "materials": {"ice": material},
        "particles": [
            {"place": place, "material": "ice", "shape": {"polygon": corners(vertices)}, "size": math.sqrt(4 * AREA / math.pi)}
        ],
        "time": {"end": time},
        "output": {"every": time / 20},
        "measure": {"every": time / 100, "from": time / 5},
    }
    if restitution < 1:
        scene["contact"] = {"duration": 1e-9 * time}
        scene["output"]["every"] = time / 400
        scene["measure"] = {"every": time / 400}
    return scene


def triangles(fraction, columns, seed, collisions):
    """Equilateral triangles in a rectangle, columns^2 with columns even, at first in the tiling of the plane, spread out."""
    side = math.sqrt(4 * AREA / math.sqrt(3))
    spread = 1 / math.sqrt(fraction)
    height = side * math.sqrt(3) / 2
    length, depth = columns / 2 * side * spread, columns * height * spread
    scene = gas(3, fraction, columns, seed, collisions)
    for k, grain in enumerate(scene["particles"][0]["place"]):
        row, column = divmod(k, columns)
        points_up = (row + column) % 2 == 0
        x = (column / 2 + 0.5) * side
        y = row * height + (height / 3 if points_up else 2 * height / 3)
        grain["position"] = [x * spread % length, y * spread]
        grain["angle"] = 0.0 if points_up else math.pi
    scene["domain"].update(x=[0, length], y=[0, depth])
    return scene


def fall(outline, angle, velocity, spin, restitution, friction, height):
    """A scene of one grain of unit density, without gravity, that is going to hit a floor.

    outline: about its centroid [m]; height: of the centroid above the floor [m]."""
    area = sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(outline, outline[1:] + outline[:1])) / 2
    place = [{"position": [0, height], "angle": angle, "velocity": velocity, "angular_velocity": spin}]
    return {
        "scree": 1,
        "mode": "hard",
        "domain": {"x": [-5, 5], "y": [-1, 5]},
        "materials": {"stone": {"density": 1, "restitution": restitution, "friction": friction}},
        "walls": [{"name": "floor", "material": "stone", "polygon": [[-5, -0.5], [5, -0.5], [5, 0], [-5, 0]]}],
        "particles": [{"place": place, "material": "stone", "shape": {"polygon": outline}, "size": math.sqrt(4 * area / math.pi)}],
        "contact": {"duration": 1e-9},
        "time": {"end": 1},
        "output": {"every": 1},
    }


def rectangle(width, height):
    return [[-width / 2, -height / 2], [width / 2, -height / 2], [width / 2, height / 2], [-width / 2, height / 2]]


def rod_impulse(program, angle, restitution):
    """Of a rod of length 1 that falls at speed 1 on one end, over its mass."""
    height = 0.5 * math.sin(angle) + 0.999
    scene = fall(rectangle(1, 1e-4), angle, [0.3, -1], 0, restitution, 0, height)
    run = program.run(f"rod_{angle}_{restitution}", scene)
    return Frame(run.frames("particles")[-1])["velocity"][0][1] + 1


def rocking(program, width, height):
    """Share of its angular velocity that a block keeps when it rocks from one lower corner onto the other."""
    spin, angle, gap = 1.0, 1e-5, 1e-9  # it turns about its left corner, which stays where it is, and the right one goes down
    arm = complex(width / 2, height / 2) * complex(math.cos(angle), math.sin(angle))  # from the left corner
    velocity = [spin * arm.imag, -spin * arm.real]  # -spin times i arm
    scene = fall(rectangle(width, height), angle, velocity, -spin, 0, 100, arm.imag + gap)
    scene["time"]["end"] = scene["output"]["every"] = 2e-5
    run = program.run(f"block_{width}_{height}", scene)
    return Frame(run.frames("particles")[-1])["angular_velocity"][0] / -spin


def compressibility(run, count, area):
    """Z and its error by blocks; T_rot / T_tr and its error."""
    rows = run.table("measure.csv")
    energy = run.table("series.csv")[-1]["kinetic_energy"]
    temperature = 2 * energy / (3 * count - 2)
    z = [1 + row["contact_pressure"] * area / (count * temperature) for row in rows]
    ratio = [row["rotational_temperature"] / row["temperature"] for row in rows]
    blocks = lambda values: mean_and_error([float(numpy.mean(part)) for part in numpy.array_split(values, 8)])
    return *blocks(z), *blocks(ratio)


def orientation(run, symmetry):
    """|<exp(i symmetry angle)>|, mean over the last half of the frames."""
    frames = run.frames("particles")
    angles = [numpy.array(Frame(path)["angle"]) for path in frames[len(frames) // 2 :]]
    return float(numpy.mean([abs(numpy.exp(1j * symmetry * angle).mean()) for angle in angles]))


def order(run, columns):
    """Tetratic order, that of neighbours, and that of places, means over the last half of the frames."""
    frames = run.frames("particles")
    found = []
    for path in frames[len(frames) // 2 :]:
        frame = Frame(path)
        angle = numpy.array(frame["angle"])
        position = numpy.array(frame["position"] or frame["Points"])[: len(angle), :2]
        length = columns * math.sqrt(AREA / run.fraction)
        turned = numpy.exp(4j * angle)
        apart = position[:, None, :] - position[None, :, :]
        apart -= length * numpy.round(apart / length)
        near = ((apart**2).sum(axis=2) < 2.25 * AREA / run.fraction) & ~numpy.eye(len(angle), dtype=bool)
        local = (turned[:, None] * turned[None, :].conj()).real[near].mean()
        wave = 2 * math.pi * columns / length
        places = [abs(numpy.exp(1j * wave * position[:, axis]).mean()) for axis in (0, 1)]
        found.append([abs(turned.mean()), local, sum(places) / 2])
    return numpy.mean(found, axis=0).tolist()


def measure(program, each):
    checks, rows = [], []

    def state(job):
        vertices, fraction = job
        run = program.run(f"gas_{vertices}_{fraction}", gas(vertices, fraction, SIDE, 1, 1500 if fraction > 0.1 else 3000))
        return compressibility(run, SIDE**2, SIDE**2 * AREA / fraction)

    jobs = [*PRESSURES, *((n, DILUTE) for n in THIRD)]
    found = dict(zip(jobs, each(state, jobs)))
    ratios = []
    for (vertices, fraction), (z, error, ratio, ratio_error) in found.items():
        rows.append(["state", vertices, fraction, 1, z, error, ratio, ratio_error, "", "", ""])
        ratios.append((ratio, ratio_error))
        if fraction == DILUTE:
            b2, expected = (z - 1) / fraction - THIRD[vertices] * fraction, second_virial(vertices)
            e = error / fraction
            checks.append(Check(f"B₂/A, {vertices} corners", f"{b2:.3f} ± {e:.3f}", f"{expected:.4f}", abs(b2 - expected) < 3 * e + 0.01))
        else:
            expected, of_it = PRESSURES[vertices, fraction]
            off = abs(z - expected) < 3 * math.hypot(error, of_it) + 0.004 * expected
            if (vertices, fraction) == (4, 0.8):
                off = 14.7 <= z <= 14.9
            checks.append(Check(f"Z, {vertices} corners at {fraction}", f"{z:.3f} ± {error:.3f}", f"{expected} ± {of_it}", off))
    ratio, error = mean_and_error([r for r, _ in ratios])
    checks.append(Check("rotational over translational temperature, mean of all", f"{ratio:.4f} ± {error:.4f}", "1", abs(ratio - 1) < 3 * error + 0.002))

    def cool(seed):
        run = program.run(f"cooling_{seed}", gas(4, 0.2, SIDE, seed, 120, 0.9))
        series, samples = run.table("series.csv"), run.table("measure.csv")
        collisions, points, last = 0.0, [], 0.0
        energy = {round(row["time"], 9): row["kinetic_energy"] for row in series}
        for row in samples:
            collisions += row["collision_rate"] / 2 * (row["time"] - last)
            last = row["time"]
            if round(last, 9) in energy:
                points.append((collisions, math.log(energy[round(last, 9)])))
        use = [p for p in points if 1 < p[0] < 16]
        return -float(numpy.polyfit(*zip(*use), 1)[0])

    slope, error = mean_and_error(list(each(cool, range(1, 7))))
    checks.append(Check("cooling of squares, e = 0.9: −d ln E per collision a grain", f"{slope:.4f} ± {error:.4f}", "0.1267, 5 %", abs(slope / 0.12667 - 1) < 0.05))

    for angle, restitution in ((0.2, 1.0), (0.7, 0.6), (1.2, 0.0)):
        found, expected = rod_impulse(program, angle, restitution), (1 + restitution) / (1 + 3 * math.cos(angle) ** 2)
        checks.append(Check(f"impulse of a rod at {angle} rad, e = {restitution}", f"{found:.4f} m v", f"{expected:.4f} m v", abs(found - expected) < 1e-3))
    for width, height in ((0.25, 1.0), (0.5, 1.0), (0.8, 1.0)):
        found, expected = rocking(program, width, height), 1 - 1.5 * width**2 / (width**2 + height**2)
        checks.append(Check(f"ω⁺/ω⁻ of a rocking block, width over height {width}", f"{found:.5f}", f"{expected:.5f}", abs(found - expected) < 1e-4))

    def phase(job):
        fraction, seed = job
        run = program.run(f"order_{fraction}_{seed}", gas(4, fraction, COLUMNS, seed, 600))
        run.fraction = fraction
        return [*compressibility(run, COLUMNS**2, COLUMNS**2 * AREA / fraction), *order(run, COLUMNS)]

    jobs = [(fraction, seed) for fraction in DENSITIES for seed in SEEDS]
    for (fraction, seed), values in zip(jobs, each(phase, jobs)):
        rows.append(["order", 4, fraction, seed, *values])
    def phase_of_triangles(job):
        fraction, seed = job
        run = program.run(f"triangles_{fraction}_{seed}", triangles(fraction, COLUMNS, seed, 600))
        area = COLUMNS**2 * AREA / fraction
        return [*compressibility(run, COLUMNS**2, area), orientation(run, 6), orientation(run, 3), ""]

    jobs = [(fraction, seed) for fraction in DENSITIES for seed in SEEDS]
    for (fraction, seed), values in zip(jobs, each(phase_of_triangles, jobs)):
        rows.append(["triangles", 3, fraction, seed, *values])
    chance = math.sqrt(math.pi / 4) / COLUMNS
    six = {f: numpy.mean([r[8] for r in rows if r[0] == "triangles" and r[2] == f]) for f in DENSITIES}
    without, with_it = [f for f in DENSITIES if six[f] < 5 * chance], [f for f in DENSITIES if six[f] > 10 * chance]
    text = f"{max(without, default=0):.2f}, {min(with_it, default=1):.2f}"
    apart = bool(without and with_it) and max(without) < 0.7 <= min(with_it)
    checks.append(Check("triangles: greatest density without order of six directions, least with it", text, "on both sides of 0.7, or at it", apart))
    z = {f: numpy.mean([r[4] for r in rows if r[0] == "triangles" and r[2] == f]) * f for f in DENSITIES}
    rising = all(z[a] < z[b] for a, b in zip(DENSITIES, DENSITIES[1:]))
    checks.append(Check("triangles: pressure rises with density throughout", "yes" if rising else "no", "yes", rising))
    tetratic = {f: numpy.mean([r[8] for r in rows if r[0] == "order" and r[2] == f]) for f in DENSITIES}
    places = {f: numpy.mean([r[10] for r in rows if r[0] == "order" and r[2] == f]) for f in DENSITIES}
    both = [f for f in DENSITIES if tetratic[f] > 10 * chance and places[f] < 5 * chance]
    text = ", ".join(f"{f:.2f}" for f in both) or "none"
    checks.append(Check("densities with tetratic order, but no order of places", text, "some, from 0.65 to 0.8", bool(both)))
    z = {f: numpy.mean([r[4] for r in rows if r[0] == "order" and r[2] == f]) * f for f in DENSITIES}
    rising = all(z[a] < z[b] for a, b in zip(DENSITIES, DENSITIES[1:]))
    checks.append(Check("pressure rises with density throughout", "yes" if rising else "no", "yes", rising))
    columns = ["what", "corners", "packing fraction", "seed", "Z", "error of Z", "T_rot/T_tr", "error of it", "tetratic order", "of neighbours", "order of places"]
    return Figure(columns, rows, pictures(rows), checks)


def pictures(rows):
    states = [r for r in rows if r[0] == "state" and r[2] > 0.1]
    plot = picture.axes(("packing fraction", 0.2, 0.85), ("Z = pA/NkT", 0, 16))
    for (vertices, name), colour in zip({3: "triangles", 4: "squares", 5: "pentagons", 6: "hexagons"}.items(), ("green", "blue", "orange", "purple")):
        own = [r for r in states if r[1] == vertices]
        picture.points(plot, name, colour, [r[2] for r in own], [r[4] for r in own], [r[5] for r in own])
        reference = sorted((f, z[0]) for (n, f), z in PRESSURES.items() if n == vertices)
        plot.plot(*zip(*reference), linestyle="none", marker="x", color="#777777", label="Monte Carlo" if vertices == 4 else None)
    of_order = [r for r in rows if r[0] == "order"]
    second = picture.axes(("packing fraction", 0.48, 0.87), ("order", 0, 1))
    for name, colour, k in (("tetratic", "blue", 8), ("tetratic, of neighbours", "green", 9), ("of places", "orange", 10)):
        picture.points(second, name, colour, [r[2] for r in of_order], [r[k] for r in of_order])
        picture.line(second, None, colour, DENSITIES, [numpy.mean([r[k] for r in of_order if r[2] == f]) for f in DENSITIES])
    of_triangles = [r for r in rows if r[0] == "triangles"]
    third = picture.axes(("packing fraction", 0.48, 0.87), ("order of triangles", 0, 1))
    for name, colour, k in (("of six directions", "blue", 8), ("of three directions", "orange", 9)):
        picture.points(third, name, colour, [r[2] for r in of_triangles], [r[k] for r in of_triangles])
        picture.line(third, None, colour, DENSITIES, [numpy.mean([r[k] for r in of_triangles if r[2] == f]) for f in DENSITIES])
    plots = {"hard_polygons": plot, "hard_polygons_order": second, "hard_polygons_triangles": third}
    return {name: picture.svg(one) for name, one in plots.items()}
