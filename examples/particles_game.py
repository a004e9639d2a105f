"""Particles, a game (Algorithms, 6.1, exercise). The mouse leads the red disk; do not touch the blue ones, which collide
with one another and with the sides. Every two seconds there is one more. How long do you last?

    python3 examples/particles_game.py [SEED]

Needs the package scree and matplotlib with a window.
"""

import sys

import numpy as np
import scree

RADIUS = 0.03  # m, of all
STEP = 1 / 30  # s, between two pictures
FASTEST = 3.0  # m/s, of the red disk


def scene(seed):
    ball = {"material": "ball", "shape": "disk", "size": 2 * RADIUS}
    whole = {"x": [0, 1], "y": [0, 1]}
    return scree.Scene.from_dict({
        "scree": 1, "title": "Particles", "mode": "hard", "seed": seed,
        "domain": {**whole, "sides": "reflecting"},
        "materials": {"ball": {"density": 1, "restitution": 1}},
        "particles": [
            {"place": [{"position": [0.5, 0.05]}], **ball},
            {"fill": {"region": {"x": [0, 1], "y": [0.5, 1]}, "count": 6, "jitter": 0.6}, **ball},
            {"pour": {"count": 100, "rate": 0.5, "from": 2, "region": whole, "velocity": [0.3, -0.2]}, **ball}],
        "time": {"end": 1000}, "output": {"every": 1}})


class Game:
    def __init__(self, seed=1):
        self.sim = scree.Simulation(scene(seed))
        self.over = False

    @property
    def red(self):
        """Its position."""
        return self.sim.particles.position[0]

    @property
    def blue(self):
        """Positions of the others."""
        return self.sim.particles.position[1:]

    def step(self, towards):
        """The red disk flies towards a point for a moment. Whatever changes its velocity meanwhile is a blue one."""
        way = np.clip(towards, 1.01 * RADIUS, 1 - 1.01 * RADIUS) - self.red
        velocity = way / max(STEP, np.linalg.norm(way) / FASTEST)
        self.sim.set_velocity(self.sim.particles.id[:1], velocity)
        self.sim.run(until=self.sim.time + STEP)
        self.over = not np.allclose(self.sim.particles.velocity[0], velocity, rtol=1e-9, atol=1e-12)


def play(game):
    import matplotlib.pyplot as plt
    from matplotlib.animation import FuncAnimation
    from matplotlib.collections import EllipseCollection

    figure, ax = plt.subplots(figsize=(7, 7))
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=[], yticks=[])
    mouse = [game.red]
    disks = EllipseCollection([2 * RADIUS], [2 * RADIUS], [0], units="x", offsets=[game.red], transOffset=ax.transData)
    ax.add_collection(disks)

    def follow(event):
        if event.inaxes is ax:
            mouse[0] = np.array([event.xdata, event.ydata])

    def draw(_):
        if not game.over:
            game.step(mouse[0])
        disks.set_offsets(np.vstack([game.red, game.blue]))
        disks.set_facecolor(["red"] + ["royalblue"] * len(game.blue))
        ax.set_title(f"{game.sim.time:.1f} s, {len(game.blue)} blue disks" + (": touched!" if game.over else ""))

    draw(0)
    figure.canvas.mpl_connect("motion_notify_event", follow)
    animation = FuncAnimation(figure, draw, interval=1000 * STEP, cache_frame_data=False)
    plt.show()
    return animation


if __name__ == "__main__":
    play(Game(int(sys.argv[1]) if len(sys.argv) > 1 else 1))
