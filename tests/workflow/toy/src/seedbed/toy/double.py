"""Double a number."""


def measure(x, offset):
    """Error of doubling."""
    return 2 * x + offset / 10
