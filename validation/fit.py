"""Least squares with the errors of what is fitted."""

import math
from typing import NamedTuple


class Fit(NamedTuple):
    values: list  # of the parameters
    errors: list  # their standard errors, from the scatter about the fit
    rms: float  # of the weighted residuals, per degree of freedom


def least_squares(model, start, x, y, sigma=None):
    """Fits model(x, *parameters) to y by Levenberg and Marquardt's method.

    sigma are relative weights' inverses; the errors are scaled by the scatter that is found. Needs more points than
    parameters.
    """
    sigma = sigma or [1.0] * len(x)
    if len(x) <= len(start):
        raise ValueError(f"{len(x)} points cannot give {len(start)} parameters and their errors")

    def residuals(p):
        return [(yi - model(xi, *p)) / si for xi, yi, si in zip(x, y, sigma)]

    p = [float(value) for value in start]
    r = residuals(p)
    damping = 1e-3
    for _ in range(200):
        jacobian = [derivative(residuals, p, k) for k in range(len(p))]
        normal = [[dot(a, b) for b in jacobian] for a in jacobian]
        slope = [-dot(a, r) for a in jacobian]
        damped = [[v * (1 + damping * (i == j)) for j, v in enumerate(row)] for i, row in enumerate(normal)]
        step = solve(damped, slope)
        trial = [a + b for a, b in zip(p, step)]
        found = residuals(trial)
        if dot(found, found) <= dot(r, r):
            small = all(abs(s) <= 1e-10 * (abs(v) + 1e-300) for s, v in zip(step, trial))
            p, r, damping = trial, found, damping / 10
            if small:
                break
        elif damping > 1e12:
            break
        else:
            damping *= 10
    variance = dot(r, r) / (len(x) - len(p))
    errors = []
    for k in range(len(p)):
        unit = [float(i == k) for i in range(len(p))]
        errors.append(math.sqrt(variance * solve(normal, unit)[k]))
    return Fit(p, errors, math.sqrt(variance))


def slope_of(x, y):
    """Slope of the straight line through two points or more."""
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    return dot([a - middle_x for a in x], [b - middle_y for b in y]) / sum((a - middle_x) ** 2 for a in x)


def mean_and_error(values):
    """Mean and its standard error; of one value the error is not known."""
    mean = sum(values) / len(values)
    if len(values) == 1:
        return mean, math.nan
    return mean, math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values))


def derivative(function, p, k):
    h = 1e-6 * (abs(p[k]) + 1e-6)
    above, below = ([v + s * (i == k) for i, v in enumerate(p)] for s in (h, -h))
    return [(a - b) / (2 * h) for a, b in zip(function(above), function(below))]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def solve(matrix, right):
    """Gauss's elimination with pivots."""
    rows = [[*row, value] for row, value in zip(matrix, right)]
    n = len(rows)
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (rows[k][n] - dot(rows[k][k + 1 : n], x[k + 1 :])) / rows[k][k]
    return x
