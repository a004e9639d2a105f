"""The wave along a row of dominoes by the theory of J. M. J. van Leeuwen, The domino effect, Am. J. Phys. 78 (2010) 721,
physics/0401018: each turns about its lower front corner, hits the next one without a rebound, and all that have fallen
stay in contact, their upper corners sliding with friction down the back of the next one. So they have one degree of
freedom, the angle of the foremost."""

import math

GRAVITY = 9.81  # m/s^2


class Row:
    def __init__(self, high, thick, pitch, friction):
        self.high, self.thick, self.pitch, self.friction = high, thick, pitch, friction
        self.inertia = (high**2 + thick**2) / 3  # about the corner, over the mass
        self.reach = math.asin((pitch - thick) / high)  # angle at which the next one is hit

    def weight(self, angle):
        """Torque over the mass, forward."""
        return GRAVITY / 2 * (self.high * math.sin(angle) - self.thick * math.cos(angle))

    def chain(self, fallen, angle):
        """Angles of those behind the foremost and its own."""
        found = [angle]
        for _ in range(fallen):
            ahead = found[-1]
            found.append(ahead + math.asin((self.pitch * math.cos(ahead) - self.thick) / self.high))
        return found[::-1]

    def levers(self, behind, ahead):
        """Of the force between two that lean on each other: torque about the corner of the one behind and of the one
        ahead, for a force along the normal of the back and for one up the back."""
        x, y = self.high * math.sin(behind), self.high * math.cos(behind)
        normal, up = (math.cos(ahead), -math.sin(ahead)), (math.sin(ahead), math.cos(ahead))
        return [y * f[0] - arm * f[1] for arm in (x, x - self.pitch) for f in (normal, up)]

    def rates(self, angles):
        """Angular velocities over that of the foremost."""
        found = [1.0]
        for behind, ahead in zip(angles[-2::-1], angles[:0:-1]):
            own, _, other, _ = self.levers(behind, ahead)
            found.append(found[-1] * other / own)
        return found[::-1]

    def solve(self, angles, rates, known):
        """Of inertia * (rates * X + offset) = torques for all, the X, with `known` = torque - inertia * offset of each
        and the forces between them eliminated, from the last one on."""
        of_known = of_x = arm = 0.0  # the force from behind is of_known + of_x * X
        for k in range(len(angles) - 1):
            own, own_up, other, other_up = self.levers(angles[k], angles[k + 1])
            sense = math.copysign(self.friction, own_up * rates[k] - other_up * rates[k + 1])
            total, slope = known[k] + of_known * arm, of_x * arm - self.inertia * rates[k]
            of_known, of_x = total / (own + sense * own_up), slope / (own + sense * own_up)
            arm = other + sense * other_up
        return (known[-1] + of_known * arm) / (self.inertia * rates[-1] - of_x * arm)

    def acceleration(self, fallen, angle, speed):
        """Of the foremost."""
        angles = self.chain(fallen, angle)
        rates = self.rates(angles)
        step = 1e-6
        later, sooner = (self.rates(self.chain(fallen, angle + by)) for by in (step, -step))
        bends = [(a - b) / (2 * step) for a, b in zip(later, sooner)]
        known = [self.weight(a) - self.inertia * bend * speed**2 for a, bend in zip(angles, bends)]
        return self.solve(angles, rates, known)

    def times(self, count, speed, steps=100):
        """When each of `count` dominoes is hit, the first one with this angular velocity."""
        found, square = [0.0], speed**2
        step = self.reach / steps
        for fallen in range(count - 1):
            time = 0.0
            for k in range(steps):
                half = square + step * self.acceleration(fallen, k * step, math.sqrt(square))
                after = square + 2 * step * self.acceleration(fallen, (k + 0.5) * step, math.sqrt(half))
                time += 2 * step / (math.sqrt(square) + math.sqrt(after))
                square = after
            found.append(found[-1] + time)
            behind = self.chain(fallen, self.reach)
            momenta = [self.inertia * rate * math.sqrt(square) for rate in self.rates(behind)] + [0.0]
            angles = [*behind, 0.0]
            square = self.solve(angles, self.rates(angles), momenta) ** 2
        return found
