"""The result of a validation."""

from typing import NamedTuple


class Check(NamedTuple):
    """A number and the value with which it is compared."""

    what: str
    found: str
    expected: str
    passed: bool


class Figure(NamedTuple):
    columns: list  # names with units
    rows: list  # of numbers, a column each
    pictures: dict  # their names to SVG
    checks: list


def within(what, found, error, least, greatest):
    """A check of a number and its standard error against an interval."""
    return Check(what, f"{found:.4g} ± {error:.1g}", f"{least:g} to {greatest:g}", least <= found <= greatest)


def above(what, found, error):
    """A check that a number is greater than zero by more than two standard errors."""
    return Check(what, f"{found:.3f} ± {error:.3f}", "above 2 σ", found > 2 * error)
