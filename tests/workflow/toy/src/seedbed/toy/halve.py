"""Halve a number."""


def measure(x, offset):
    """Error of halving."""
    return x / 2 + offset
