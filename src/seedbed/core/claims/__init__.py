"""The claims engine: a card says what a paper claims and how each claim is decided; the metrics decide it.

>>> card = load_card("seeds/smote_privacy.yaml")
>>> claims, checks = check_claims(card, metrics, {"scale": "laptop", "sources": "registries"}, {})

`card` has the grammar of cards, `filters` that of selections and regions, `measure` that of measures, `audit` the
rules that no card may have, `intervals` the statistics, `verdicts` how a claim follows from its checks.
`docs/cards.md` tells all of it on one page.
"""

from seedbed.core.lazy import exports

__getattr__, __all__ = exports(
    __name__,
    {
        "Card": "card",
        "check_claims": "engine",
        "holm_summary": "holm",
        "holm_survivors": "holm",
        "load_card": "card",
        "summary": "engine",
    },
)
