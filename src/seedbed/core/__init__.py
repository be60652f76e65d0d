"""What two papers or more share: claims and their statistics, tables, sources, digests, configuration."""

from seedbed.core.lazy import exports

__getattr__, __all__ = exports(__name__, {"rng": "random"})
