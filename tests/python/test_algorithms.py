"""scree.geometry and scree.broadphase against their definitions."""

import numpy as np
import pytest

from scree import broadphase, geometry

SQUARE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=float)
KINDS = [broadphase.AllPairs, broadphase.DistanceSort, broadphase.HierarchicalGrid, broadphase.LinkedCells,
         broadphase.SortAndUpdate, broadphase.SortedStrips]


def test_squares_that_overlap():
    found = geometry.overlap(SQUARE, SQUARE + [0.75, 0.25])
    assert abs(found.area - 0.25 * 0.75) < 1e-14
    assert np.abs(found.centroid - [0.875, 0.625]).max() < 1e-14
    assert np.linalg.norm(found.normal) == pytest.approx(1, abs=1e-14) and found.normal[0] > 0
    assert {tuple(np.round(p, 12)) for p in (found.chord_begin, found.chord_end)} == {(0.75, 1.0), (1.0, 0.25)}
    assert geometry.distance(SQUARE, SQUARE + [0.75, 0.25]) == 0


def test_squares_that_are_apart():
    other = SQUARE[::-1] @ [[0.6, 0.8], [-0.8, 0.6]] + [3, 0.2]
    found = geometry.closest_features(SQUARE, other)
    assert abs(found.distance - np.linalg.norm(found.point_b - found.point_a)) < 1e-14
    samples = np.linspace(0, 1, 2001)[:, None]
    def outline(corners):
        return np.concatenate([a + samples * (b - a) for a, b in zip(corners, np.roll(corners, -1, axis=0))])
    a, b = outline(SQUARE), outline(other)
    brute = min(np.linalg.norm(b - point, axis=1).min() for point in a[::20])
    assert found.distance <= brute + 1e-12 and brute - found.distance < 1e-2
    assert geometry.distance(SQUARE, other) == found.distance
    assert geometry.overlap(SQUARE, other).area == 0 and np.isnan(geometry.overlap(SQUARE, other).normal).all()
    assert found.feature_a[0] in ("edge", "vertex")


@pytest.mark.parametrize("bad", [[], [[0, 0]], [[0, 0], [1, 1], [2, 2]], [[0, 0], [1, 0], [np.nan, 1]], "x", None, 3,
                                 [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0], [2, 0], [1, 0.1], [1, 2]]])
def test_what_is_no_convex_polygon_raises(bad):
    for function in (geometry.overlap, geometry.distance, geometry.closest_features):
        with pytest.raises((ValueError, TypeError)):
            function(bad, SQUARE)
        with pytest.raises((ValueError, TypeError)):
            function(SQUARE, bad)


def brute(boxes):
    lo, hi = boxes[:, 0], boxes[:, 1]
    together = np.all((lo[:, None] <= hi[None]) & (lo[None] <= hi[:, None]), axis=2)
    return np.argwhere(np.triu(together, 1))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dimension", [2, 3])
def test_the_pairs_are_those_that_overlap(kind, dimension):
    rng = np.random.default_rng(1)
    lo = rng.uniform(0, 1, (200, dimension))
    boxes = np.stack([lo, lo + rng.uniform(0, 0.15, (200, dimension))], axis=1)
    family = kind(boxes)
    assert len(family) == 200
    expected = brute(boxes)
    assert len(expected) > 50 and np.array_equal(family.pairs, expected)
    for _ in range(5):
        before = {tuple(p) for p in expected.tolist()}
        boxes = boxes + rng.uniform(-0.03, 0.03, (200, 1, dimension))
        begun, ended = family.update(boxes)
        expected = brute(boxes)
        now = {tuple(p) for p in expected.tolist()}
        assert {tuple(p) for p in begun.tolist()} == now - before and {tuple(p) for p in ended.tolist()} == before - now
        assert np.array_equal(family.pairs, expected)
        box = np.array([[0.2] * dimension, [0.4] * dimension])
        hits = np.flatnonzero(np.all((boxes[:, 0] <= box[1]) & (boxes[:, 1] >= box[0]), axis=1))
        assert np.array_equal(family.query(box), hits) and len(hits) > 0


@pytest.mark.parametrize("kind", KINDS)
def test_bad_boxes_raise(kind):
    good = np.array([[[0, 0], [1, 1]], [[2, 2], [3, 3]]], dtype=float)
    for bad in (np.zeros((2, 2)), np.zeros((2, 3, 2)), np.zeros((2, 2, 4)), [[[1, 1], [0, 0]]], [[[0, 0], [np.nan, 1]]],
                [[[0, 0], [np.inf, 1]]], "x", None):
        with pytest.raises((ValueError, TypeError)):
            kind(bad)
    family = kind(good)
    for bad in (good[:1], np.zeros((2, 2, 3)), -good, None):
        with pytest.raises((ValueError, TypeError)):
            family.update(bad)
    with pytest.raises((ValueError, TypeError)):
        family.query([[1, 1], [0, 0]])
    assert len(kind(np.zeros((0, 2, 2)))) == 0
