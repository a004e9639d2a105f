#!/usr/bin/env python3
"""What many ranks would do, on paper: a model fed by the counts of bench_soft --ranks (bench/results/ranks.csv).

    bench/scaling.py      prints the tables of docs/scaling.md

Nothing of it is measured beyond this machine. Network: the values that vendors and the OSU benchmarks give for
100 Gbit/s InfiniBand between two machines.
"""

import csv
import math
from pathlib import Path

RANK_COUNTS = (16, 256, 4096)
GRAINS = (10**6, 10**7, 10**8)

NS_A_GRAIN = 137.0  # of one core: 7.3 million particle-steps/s at 10 000 grains (docs/performance.md)
LATENCY = 1.5e-6  # of a message [s]
BANDWIDTH = 12e9  # [bytes/s]
IMBALANCE = 1.1  # between 1 and 1.2, beyond which domains are divided anew
BYTES_A_GRAIN = 1262  # of memory
GHOST_BYTES = 24  # net force and torque of a ghost, in each step
TALLY_BYTES = 400  # sums that go up and down a tree in each step
NEIGHBOURS = 6  # of a domain of a recursive bisection, in the plane


def layer_of_ghosts() -> float:
    """Ghosts a grain's width of a domain's edge, from the counts."""
    rows = list(csv.DictReader((Path(__file__).parent / "results" / "ranks.csv").open()))
    layers = [int(row["ghosts"]) / (int(row["edges"]) * int(row["rows"])) for row in rows]
    return sum(layers) / len(layers)


def step(grains: float, ranks: int, layer: float) -> dict[str, float]:
    own = grains / ranks
    ghosts = 4.0 * math.sqrt(own) * layer
    work = IMBALANCE * (own + ghosts) * NS_A_GRAIN * 1e-9
    hops = 2 * math.ceil(math.log2(ranks))
    network = NEIGHBOURS * LATENCY + ghosts * GHOST_BYTES / BANDWIDTH + hops * (LATENCY + TALLY_BYTES / BANDWIDTH)
    return {
        "own": own,
        "ghosts": ghosts,
        "seconds": work + network,
        "efficiency": own * NS_A_GRAIN * 1e-9 / (work + network),
        "network": network / (work + network),
    }


def main() -> None:
    layer = layer_of_ghosts()
    print(f"layer of ghosts: {layer:.2f} a grain of edge\n")
    print("| grains | ranks | own | ghosts | ms a step | million particle-steps/s | of ideal | network's part |")
    print("|---|---|---|---|---|---|---|---|")
    for grains in GRAINS:
        for ranks in RANK_COUNTS:
            s = step(grains, ranks, layer)
            print(
                f"| 10^{round(math.log10(grains))} | {ranks} | {s['own']:.0f} | {s['ghosts']:.0f} | {1e3 * s['seconds']:.3g} "
                f"| {1e-6 * grains / s['seconds']:.3g} | {s['efficiency']:.2f} | {s['network']:.2f} |"
            )
    print("\n| grains | memory of the whole, on rank 0 [GB] |\n|---|---|")
    for grains in GRAINS:
        print(f"| 10^{round(math.log10(grains))} | {grains * BYTES_A_GRAIN * 1e-9:.3g} |")


if __name__ == "__main__":
    main()
