"""Convex polygons in the plane: arrays of corners, (n, 2) [m], in order along the outline, in either sense.

ValueError for what is no convex polygon.
"""

from __future__ import annotations

from types import SimpleNamespace

from . import _scree


def overlap(a, b) -> SimpleNamespace:
    """Where two polygons overlap: area [m^2], depth [m], centroid, normal (unit, from a to b), chord_begin and chord_end,
    where the outline of a enters and leaves b, each (2,) [m]. Area 0 and places of nan where they do not overlap."""
    return SimpleNamespace(**_scree.overlap(a, b))


def closest_features(a, b) -> SimpleNamespace:
    """distance [m], 0 where they touch; point_a, point_b, the closest points, (2,) [m], nan where they touch; feature_a,
    feature_b: ("vertex", k) or ("edge", k), from corner k to the next, of the outline made counter-clockwise."""
    return SimpleNamespace(**_scree.closest_features(a, b))


def distance(a, b) -> float:
    """[m]; 0 where they touch or overlap."""
    return _scree.closest_features(a, b)["distance"]
