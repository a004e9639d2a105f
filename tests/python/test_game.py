"""The game of examples/particles_game.py, played by a program."""

import sys

import numpy as np
import pytest

from common import EXAMPLES

sys.path.insert(0, str(EXAMPLES))
from particles_game import RADIUS, STEP, Game


def nearest(game):
    """Way to the blue disk that is nearest to the red one."""
    ways = game.blue - game.red
    return ways[np.argmin(np.linalg.norm(ways, axis=1))]


def test_who_chases_a_blue_disk_touches_it_and_the_game_is_over():
    game = Game()
    while not game.over:
        assert game.sim.time < 20
        before = np.linalg.norm(nearest(game))
        assert before > 2 * RADIUS * (1 - 1e-9)
        game.step(game.red + nearest(game))
    assert before < 2 * RADIUS + 5 * STEP   # the red disk and a blue one meet within a step


def test_who_stays_in_a_corner_lasts_for_a_while_and_meets_more_and_more():
    game = Game(seed=2)
    begin = len(game.blue)
    while not game.over and game.sim.time < 4.5:
        game.step([0, 0])
        assert np.all(game.red >= RADIUS)
    assert game.sim.time > 1
    assert game.over or len(game.blue) == begin + 2


def test_the_same_moves_give_the_same_game():
    times = []
    for _ in range(2):
        game = Game(seed=5)
        while not game.over and game.sim.time < 3:
            game.step([0.5 + 0.4 * np.sin(3 * game.sim.time), 0.1])
        times.append((game.sim.time, game.sim.hash))
    assert times[0] == times[1]


def test_it_is_drawn(monkeypatch, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from particles_game import play

    monkeypatch.setattr(plt, "show", lambda: plt.gcf().savefig(tmp_path / "game.png"))
    animation = play(Game())
    assert (tmp_path / "game.png").stat().st_size > 3000
    animation._draw_was_started = True   # matplotlib warns of an animation that never ran
