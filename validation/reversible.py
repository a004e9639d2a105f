"""# Reversible collisions: coverage and randomness of the angles

Collisions of 2 particles in 2 dimensions (procedure 5) and of 3 particles in 1 dimension (procedure 6), a million of
each, in a row, as in section 5 of K. S. Perumalla & V. A. Protopopescu, *Reversible simulations of elastic collisions*,
ACM TOMACS 23 (2013). What the procedures do is on the page [reversible](../reversible.md). Random numbers are Philox.

**Coverage** (their figures 6 and 7): number of collisions in cells of the angle before, or of the offset, and the angle
after the collision, each as a fraction of its range. The angle before is that of the reversed velocities, so that both
have the range of the angle after. If collisions cover their phase space evenly, and no angle tells the next one, rows
and columns are independent: a chi-squared test.

**Randomness** (their Table I): each angle after a collision becomes a number in [0, 1) and then one of 32 bits, as in
their section 5.2. These numbers go to `dieharder` (R. G. Brown's version of Marsaglia's Diehard, which the paper used)
by its standard input, so that no number is read twice; each test gets a stream with a seed of its own. The tests are
those of Table I and two on the level of bits, which the paper left out for 3 particles, since its ellipse was integrated
numerically. This is a subset that takes minutes; all tests of dieharder would take days. The columns "expected" give
the p-value of Table I; p-values are uniform if the numbers are random, so there is nothing to agree with: none of them
may be next to 0 or 1. Dieharder itself calls its sums test broken.

Offsets from the ellipse are not uniform on the energy shell, and a collision remembers the one before it by 0.23 % (see
that page). Whether a test notices is shown beside the offsets 2πG, which are.

**Whole numbers** (`arithmetic: exact`): 1024 disks collide ten million times and go back, at three packing fractions; and
256 disks have the equation of state, the pair correlation at contact and the fourth moment of velocities that floats
have, within four standard errors, of eight gases each.
"""

import os
import re
import subprocess
import tempfile
from typing import NamedTuple

import picture
from figure import Check, Figure
from matplotlib.figure import Figure as Canvas
from scipy import stats

COLLISIONS, BINS = 1_000_000, 24
SYSTEMS = {"pair": "2 particles, 2-D", "line": "3 particles, 1-D", "arc": "3 particles, 1-D, ψ = 2πG"}
SEED = 20130


class Test(NamedTuple):
    number: int  # of dieharder
    name: str
    samples: int  # p-values, of which dieharder makes one by the Kolmogorov-Smirnov test
    printed: dict  # p-values of Table I by system


TESTS = [
    Test(16, "craps", 10, {"pair": "0.979800", "line": "0.570270"}),
    Test(15, "runs", 100, {"pair": "0.847070, 0.128221", "line": "0.298998, 0.632054"}),
    Test(14, "sums", 100, {"pair": "0.370145", "line": "0.257959"}),
    Test(13, "squeeze", 10, {"pair": "0.890107", "line": "0.435410"}),
    Test(12, "3-d spheres", 100, {"pair": "0.813199", "line": "0.897844"}),
    Test(11, "minimum distance", 100, {"pair": "0.348209", "line": "0.751603"}),
    Test(10, "parking lot", 100, {"pair": "0.947200", "line": "0.720233"}),
    Test(0, "birthdays", 100, {}),
    Test(8, "count the 1s (stream)", 10, {}),
]


class Result(NamedTuple):
    p_values: list
    numbers: int  # that went into the pipe
    seconds: float  # of one core


def randomness(angles, system, test):
    """Sends the numbers of a system to one test of dieharder."""
    seed = str(SEED + test.number)
    with tempfile.TemporaryFile() as count:
        source = subprocess.Popen([angles, "stream", system, seed], stdout=subprocess.PIPE, stderr=count)
        command = ["dieharder", "-g", "200", "-d", str(test.number), "-p", str(test.samples)]
        command += ["-D", "test_name", "-D", "pvalues"]  # without its rate, for which it would take 10⁸ numbers
        found = subprocess.run(command, stdin=source.stdout, capture_output=True, text=True, check=True)
        source.stdout.close()
        _, status, used = os.wait4(source.pid, 0)
        source.returncode = os.waitstatus_to_exitcode(status)
        count.seek(0)
        numbers = int(count.read())
    return Result(p_values(found.stdout), numbers, used.ru_utime + used.ru_stime)


def p_values(text):
    """Of dieharder's lines `name|p`."""
    return [float(p) for p in re.findall(r"\|\s*([01]\.\d+)", text)]


def coverage(angles, system):
    """Numbers of collisions in cells: before against after, offset against after."""
    command = [angles, "counts", system, str(SEED), str(COLLISIONS), str(BINS)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [[int(cell) for cell in line.split(",")] for line in lines]
    return {"before": rows[:BINS], "offset": rows[BINS:]}


def measure(program, each):
    angles = program.executable.parent.parent / "validation" / "collision_angles"
    version = subprocess.run([program.executable, "--version"], capture_output=True, text=True, check=True).stdout
    program.commits.add(commit_of(version))
    rows, checks = [], []
    for system in ("pair", "line"):
        for against, cells in coverage(angles, system).items():
            rows += [[system, against, i, j, n] for i, row in enumerate(cells) for j, n in enumerate(row)]
            p = stats.chi2_contingency(cells).pvalue
            checks.append(between(f"{SYSTEMS[system]}: {against} and after independent", [p], COLLISIONS, ""))
    jobs = [(system, test) for test in TESTS for system in SYSTEMS]
    results = each(lambda job: randomness(angles, *job), jobs)
    for (system, test), result in zip(jobs, results):
        program.spent.append(result.seconds)
        printed = test.printed.get(system, "")
        checks.append(between(f"{test.name}, {SYSTEMS[system]}", result.p_values, result.numbers, printed))
    checks += exact_checks(program)
    return Figure(["system", "against", "row", "column", "collisions"], rows, pictures(rows), checks)


def exact_checks(program):
    """What bench_exact finds of gases in whole numbers."""
    checks = []
    for number, _, _, retraces, momentum, drift, _, back in lines_of(program, "back"):
        what = f"whole numbers, packing fraction {number}: 10⁷ collisions there and back"
        found = f"{back}; energy drift {drift}, {retraces} clusters went back ({momentum} % of momentum)"
        checks.append(Check(what, found, "equal hashes", back == "equal hashes"))
    signs = {"<v^4>/<v^2>^2": "⟨v⁴⟩/⟨v²⟩²"}
    for number, quantity, exact, floating, errors in lines_of(program, "alike"):
        what = f"whole numbers, packing fraction {number}: {signs.get(quantity, quantity)}"
        checks.append(Check(what, exact, f"floats: {floating}, within 4 errors", abs(float(errors)) < 4))
    return checks


def lines_of(program, part):
    """The table that a part of bench_exact prints: its columns are two blanks apart."""
    build = program.executable.parent.parent
    here, beside = build / "bench" / "bench_exact", build.parent / "bench" / "bench" / "bench_exact"
    bench = here if here.exists() else beside
    before = os.times().children_user
    done = subprocess.run([bench, part], capture_output=True, text=True)  # status 1: the table says what differs
    program.spent.append(os.times().children_user - before)
    lines = done.stdout.replace("+-", "±").splitlines()[1:]
    if done.returncode not in (0, 1) or not lines:
        raise RuntimeError(f"{bench} {part} ended with status {done.returncode}: {done.stderr}")
    return [re.split(r"\s{2,}", line.strip()) for line in lines]


def between(what, found, numbers, printed):
    """A check of p-values: none within 1e-4 of 0 or 1."""
    expected = "0.0001 < p < 0.9999" + (f"; Table I: {printed}" if printed else "")
    text = ", ".join(f"{p:.4f}" for p in found) + f" ({numbers:.2g} numbers)"
    return Check(what, text, expected, bool(found) and all(1e-4 < p < 1 - 1e-4 for p in found))


def commit_of(version):
    found = re.search(r"\b[0-9a-f]{12}(-dirty)?\b", version)
    return found.group() if found else "unknown"


def pictures(rows):
    return {f"reversible_{system}": drawn(rows, system) for system in ("pair", "line")}


def drawn(rows, system):
    canvas = Canvas(figsize=(6.4, 3.1))
    for where, against in zip(canvas.subplots(1, 2), ("before", "offset")):
        cells = [[0] * BINS for _ in range(BINS)]
        for of, which, i, j, count in rows:
            if (of, which) == (system, against):
                cells[int(j)][int(i)] = count
        mean = COLLISIONS / BINS**2
        image = where.imshow(cells, origin="lower", extent=(0, 1, 0, 1), cmap="Blues", vmin=0, vmax=2 * mean)
        where.set(xlabel=f"angle {against}" if against == "before" else "offset", ylabel="angle after", title=SYSTEMS[system])
        where.grid(False)
        canvas.colorbar(image, ax=where, shrink=0.8, label="collisions")
    return picture.text(canvas)
