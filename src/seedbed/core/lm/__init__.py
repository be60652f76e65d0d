"""Language models: corpora as token files, small Llama models, one training loop, evaluation.

A paper imports what it needs from the modules (`seedbed.core.lm.train`, `seedbed.core.lm.evaluate` …), never from here:
importing this package loads nothing. `docs/language-models.md` shows the whole on one page.
"""
