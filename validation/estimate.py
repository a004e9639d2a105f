"""Numbers with their standard errors: fits, means and slopes."""

import math
from typing import NamedTuple

import numpy
from scipy import optimize, stats


class Fit(NamedTuple):
    values: list  # of the parameters
    errors: list  # their standard errors, from the scatter about the fit
    rms: float  # of the weighted residuals, per degree of freedom


def fit(model, start, x, y, sigma=None):
    """Fits model(x, *parameters), a function of one number, to y by least squares.

    sigma are relative weights' inverses; the errors are scaled by the scatter that is found. Needs more points than
    parameters: as few would leave no scatter to tell the errors.
    """
    if len(x) <= len(start):
        raise ValueError(f"{len(x)} points cannot give {len(start)} parameters and their errors")
    of_all = numpy.vectorize(model, otypes=[float])
    values, covariance = optimize.curve_fit(of_all, x, y, start, sigma, ftol=1e-13, xtol=1e-13)
    residuals = numpy.divide(y - of_all(x, *values), 1.0 if sigma is None else sigma)
    rms = math.sqrt(residuals @ residuals / (len(x) - len(start)))
    return Fit(values.tolist(), numpy.sqrt(numpy.diag(covariance)).tolist(), rms)


def slope_of(x, y):
    """Slope of the straight line through two points or more."""
    return float(stats.linregress(x, y).slope)


def mean_and_error(values):
    """Mean and its standard error; of one value the error is not known."""
    return float(numpy.mean(values)), float(stats.sem(values)) if len(values) > 1 else math.nan
