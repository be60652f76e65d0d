"""Small drawings of an interval: what was measured, what was published, and the region that the rule asks for."""

from __future__ import annotations

import math
from dataclasses import dataclass

WIDTH, HEIGHT, MARGIN = 220, 26, 6


@dataclass(frozen=True)
class Strip:
    """One interval and what it is held against; all values in the metric's unit, None where there is none."""

    measured: float | None
    low: float | None = None
    high: float | None = None
    published: float | None = None
    region: tuple[float, float] | None = None  # where the rule wants the interval; infinite where open


def draw(strip: Strip) -> str:
    """SVG of ``strip``: a bar for the region, a line for the interval, a dot for ours, a diamond for the published."""
    values = [v for v in (strip.measured, strip.low, strip.high, strip.published, *(strip.region or ())) if _finite(v)]
    if not _finite(strip.measured):
        return ""
    position = _scale(values)
    parts = [_region(strip.region, position), f'<line class="axis" x1="0" x2="{WIDTH}" y1="20" y2="20"/>']
    if _finite(strip.low) and _finite(strip.high):
        parts.append(f'<line class="interval" x1="{position(strip.low)}" x2="{position(strip.high)}" y1="12" y2="12"/>')
    parts.append(f'<circle class="measured" cx="{position(strip.measured)}" cy="12" r="4"/>')
    if _finite(strip.published):
        parts.append(f'<path class="published" d="M{position(strip.published)} 14l4 5l-4 5l-4-5z"/>')
    label = _label(strip)
    return f'<svg class="strip" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">{"".join(parts)}</svg>'


def _finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _scale(values: list[float]):
    low, high = min(values), max(values)
    margin = 0.08 * (high - low) or 0.1 * abs(high) or 1.0
    low, high = low - margin, high + margin
    return lambda value: round(MARGIN + (min(max(value, low), high) - low) / (high - low) * (WIDTH - 2 * MARGIN), 1)


def _region(region: tuple[float, float] | None, position) -> str:
    if region is None:
        return ""
    left = position(region[0]) if _finite(region[0]) else 0
    right = position(region[1]) if _finite(region[1]) else WIDTH
    return f'<rect class="region" x="{left}" y="4" width="{max(round(right - left, 1), 2)}" height="16"/>'


def _label(strip: Strip) -> str:
    interval = f", 95 % interval {number(strip.low)} to {number(strip.high)}" if _finite(strip.low) else ""
    published = f", published {number(strip.published)}" if _finite(strip.published) else ""
    return f"measured {number(strip.measured)}{interval}{published}"


def number(value: float | None) -> str:
    """Three significant digits, as a person writes them."""
    if not _finite(value):
        return "–"
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        text = f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"
        return text.replace("-", "−")
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa}e{int(exponent)}".replace("-", "−")
