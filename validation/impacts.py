"""# Impacts: two disks in both modes, over the angle

Two equal disks collide at 1 m/s at an angle γ to the normal. The tangential velocity of the contact comes from the
motion of the centres, from the spins, or half from each. The soft mode has springs, dashpots and Coulomb's limit
(Cundall & Strack 1979). The hard mode has Walton's rule (Walton & Braun 1986; Foerster, Louge, Chang & Allia 1994); its
β₀ is that of the tangential spring in a contact that sticks throughout (docs/compare.md), calculated here
independently.

The normal velocities of both modes agree at every angle. The tangential velocities agree if the disks slide throughout,
tan γ > 3 μ (1 + e) and tan γ > μ k_n/k_t. Otherwise the models differ: springs are loaded, slip and rebound, while
Walton's rule has a single impulse. This difference depends on μ, e, k_t/k_n and the angle, but not on the stiffness: it
does not decrease with stiffer disks.

Disks of 10 cm, e = 0.9, k_t/k_n = 2/7; k_n = 10⁸ N/m, and for μ = 0.3 also 10⁶ N/m.
"""

import math

import picture
from figure import Check, Figure
from runs import Frame

RESTITUTION, DAMPING_RATIO, RATIO = 0.9, 0.0342652, 2 / 7  # the damping ratio: docs/theory.md, section 4
RADIUS, STIFFNESS = 0.05, 1e8
STIFF, SOFT = (0.3, STIFFNESS), (0.3, STIFFNESS / 100)  # friction, stiffness
CASES = [(0.1, STIFFNESS), STIFF, SOFT, (1.0, STIFFNESS)]
ANGLES = [2.5 * k for k in range(35)]
SPINNING = [0.0, 0.5, 1.0]  # shares of the tangential velocity


def sticking_restitution():
    """β₀ of docs/compare.md, in units of the normal spring's frequency."""
    zeta = DAMPING_RATIO
    root = math.sqrt(1 - zeta**2)
    lasts = 2 * math.atan2(root, zeta) / root
    w = math.sqrt(3 * RATIO)
    b = math.sqrt(3) * zeta * w
    o = math.sqrt(w**2 - b**2)
    return -math.exp(-b * lasts) * (math.cos(o * lasts) - b / o * math.sin(o * lasts))


def scene(mode, friction, stiffness):
    """Pairs in rows of an angle, columns of a share of spin: too far from one another to meet."""
    place = []
    for row, angle in enumerate(ANGLES):
        along, across = math.cos(math.radians(angle)) / 2, math.sin(math.radians(angle))
        for column, share in enumerate(SPINNING):
            for side in (-1, 1):
                x, y = column + side * (RADIUS + 1e-8), 0.3 * row
                velocity = [-side * along, side * (1 - share) * across / 2]
                spin = -share * across / (2 * RADIUS)
                place.append({"position": [x, y], "velocity": velocity, "angular_velocity": spin})
    end = 1e-3 * math.sqrt(1e6 / stiffness)  # five times as long as they touch
    disk = {
        "density": 1,
        "stiffness": stiffness,
        "restitution": RESTITUTION,
        "friction": friction,
        "tangential_stiffness": RATIO,
        "tangential_restitution": sticking_restitution(),
    }
    return {
        "scree": 1,
        "mode": mode,
        "domain": {"x": [-1, len(SPINNING)], "y": [-1, 0.3 * len(ANGLES) + 1]},
        "materials": {"disk": disk},
        "particles": [{"place": place, "material": "disk", "shape": "disk", "size": 2 * RADIUS}],
        "time": {"end": end},
        "output": {"every": end},
    }


def rebounds(program, mode, friction, stiffness):
    """Of every angle and share of spin the normal and tangential velocity after the impact [m/s]."""
    run = program.run(f"{mode}_{friction}_{stiffness:g}", scene(mode, friction, stiffness))
    frame = Frame(run.frames("particles")[-1])
    velocity, spin = frame["velocity"], frame["angular_velocity"]
    found = []
    for a in range(0, len(spin), 2):
        normal, across = (velocity[a + 1][k] - velocity[a][k] for k in (0, 1))
        found.append((normal, across - RADIUS * (spin[a] + spin[a + 1])))
    columns = len(SPINNING)
    return [found[k : k + columns] for k in range(0, len(found), columns)]


def slides(angle, friction):
    """Throughout, by a margin of 5 %."""
    return math.tan(math.radians(angle)) > 1.05 * friction * max(3 * (1 + RESTITUTION), 1 / RATIO)


def measure(program, each):
    jobs = [(mode, *case) for case in CASES for mode in ("soft", "hard")]
    found = dict(zip(jobs, each(lambda job: rebounds(program, *job), jobs)))
    rows, normal, sliding, spins = [], 0.0, 0.0, 0.0
    for case in CASES:
        soft, hard = found["soft", *case], found["hard", *case]
        for i, angle in enumerate(ANGLES):
            for share, s, h in zip(SPINNING, soft[i], hard[i]):
                rows.append([*case, angle, share, *s, *h])
                normal = max(normal, abs(s[0] - h[0]))
                spins = max(spins, *(abs(x - y) for x, y in zip((*s, *h), (*soft[i][0], *hard[i][0]))))
                if slides(angle, case[0]):
                    sliding = max(sliding, abs(s[1] - h[1]))
    apart = max(abs(x - y) for x, y in zip(differences(rows, STIFF), differences(rows, SOFT)))
    checks = [
        Check("largest difference of normal velocities [% of the speed]", f"{100 * normal:.2g}", "below 1", normal < 0.01),
        Check(
            "largest difference of tangential velocities, if disks slide throughout",
            f"{100 * sliding:.2g}",
            "below 1",
            sliding < 0.01,
        ),
        Check(
            "largest difference of impacts with the same tangential velocity but other spins",
            f"{100 * spins:.2g}",
            "below 0.5",
            spins < 0.005,
        ),
        Check("largest difference of tangential velocities at 10⁶ and 10⁸ N/m", f"{apart:.2g}", "below 1", apart < 1),
    ]
    for case in CASES:
        what = f"difference of tangential velocities, if disks stick part of the time: μ = {case[0]}, {case[1]:g} N/m"
        largest = max(map(abs, differences(rows, case)))
        checks.append(Check(what, f"{largest:.3g}", "3 to 19", 3 <= largest <= 19))
    columns = ["friction", "stiffness [N/m]", "angle [degrees]", "share of spin"]
    columns += [f"{mode} {part} [m/s]" for mode in ("soft", "hard") for part in ("normal", "tangential")]
    return Figure(columns, rows, pictures(rows), checks)


def without_spin(rows, case):
    """Rows of a case in which the disks do not spin before they meet, an angle each."""
    return [row for row in rows if tuple(row[:2]) == case and row[3] == 0.0]


def differences(rows, case):
    """Tangential velocity of the soft mode minus that of the hard mode, for each angle [% of the speed]."""
    return [100 * (row[5] - row[7]) for row in without_spin(rows, case)]


def pictures(rows):
    by_angle = picture.axes(
        ("angle of impact γ [degrees]", 0, 90), ("soft minus hard, tangential [% of the speed]", -2, 12)
    )
    rebound = picture.axes(("tan γ", 0, 4), ("tangential velocity after / normal before", -1, 3))
    for case, colour in zip(CASES, ("blue", "orange", "grey", "green")):
        name = f"μ = {case[0]}"
        if case == SOFT:
            picture.line(by_angle, f"{name}, 10⁶ N/m", colour, ANGLES, differences(rows, case))
            continue
        picture.points(by_angle, name, colour, ANGLES, differences(rows, case))
        if case[0] > 0.5:  # off the picture
            continue
        own = without_spin(rows, case)
        before = [math.cos(math.radians(angle)) for angle in ANGLES]
        tangents = [math.tan(math.radians(angle)) for angle in ANGLES]
        picture.points(rebound, f"soft, {name}", colour, tangents, [row[5] / v for row, v in zip(own, before)])
        picture.line(rebound, f"hard, {name}", colour, tangents, [row[7] / v for row, v in zip(own, before)])
    return {"impacts": picture.svg(by_angle, "upper left"), "impacts_rebound": picture.svg(rebound, "upper left")}
