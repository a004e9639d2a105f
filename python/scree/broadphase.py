"""Which boxes overlap: the family of broadphases, on arrays of boxes (n, 2, 2), or (n, 2, 3) in space: lower and upper
corner of each. A pair is two numbers of boxes, the lower one first; boxes that touch overlap.

    boxes = SortAndUpdate(array)
    boxes.pairs                        # (k, 2), at the start
    begun, ended = boxes.update(new)   # what has changed, each (k, 2), ascending
    boxes.query(box)                   # numbers of the boxes that overlap box, (2, 2)
"""

from __future__ import annotations

import numpy as np

from . import _scree


class _Broadphase:
    def __init__(self, boxes):
        boxes = np.asarray(boxes, dtype=float)
        if boxes.ndim != 3 or boxes.shape[1] != 2 or boxes.shape[2] not in (2, 3):
            raise ValueError(f"boxes: has shape {boxes.shape}, must be (n, 2, 2) or (n, 2, 3)")
        self._core = getattr(_scree, f"{type(self).__name__}{boxes.shape[2]}")(boxes)
        self._pairs = {tuple(pair) for pair in self._core.begun().tolist()}

    def update(self, boxes) -> tuple[np.ndarray, np.ndarray]:
        """All boxes anew. @return pairs that began and that ended. ValueError for another number of boxes."""
        begun, ended = self._core.update(boxes)
        self._pairs.difference_update(map(tuple, ended.tolist()))
        self._pairs.update(map(tuple, begun.tolist()))
        return begun, ended

    def query(self, box) -> np.ndarray:
        """Numbers of the boxes that overlap a box, ascending."""
        return self._core.query(np.asarray(box, dtype=float)[None])

    @property
    def pairs(self) -> np.ndarray:
        """All that overlap now, (k, 2), ascending."""
        return np.array(sorted(self._pairs), dtype=np.uint32).reshape(-1, 2)

    def __len__(self) -> int:
        return self._core.size()


class AllPairs(_Broadphase):
    """Compares all: the definition, for tests."""


class DistanceSort(_Broadphase):
    """docs/theory.md, section 9, as the others."""


class HierarchicalGrid(_Broadphase):
    """Cells of several sizes, for boxes of very different sizes."""


class LinkedCells(_Broadphase):
    """Cells of one size, for boxes of similar sizes."""


class SortAndUpdate(_Broadphase):
    """Sorted ends of intervals; fast where boxes move little between two updates (Schinner 1999)."""


class SortedStrips(_Broadphase):
    """Strips along one axis, sorted along the other."""
