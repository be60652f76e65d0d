"""How much a quantized model loses, as a whole and layer by layer (Section 5 of the specification)."""

from __future__ import annotations

import math

from torch import Tensor


def relative_ce_error(ce_q: float, ce_fp: float) -> float:
    """CE(Ŵ) / CE(W) − 1, the headline number of all figures of the paper."""
    return ce_q / ce_fp - 1


def relative_accuracy_drop(acc_q: float, acc_fp: float) -> float:
    """(Acc(W) − Acc(Ŵ)) / (1 − Acc(W)): what is lost, over what was left to gain."""
    return (acc_fp - acc_q) / (1 - acc_fp)


def signal_to_noise(w: Tensor, w_hat: Tensor) -> float:
    """10 log10(‖W‖² / ‖W − Ŵ‖²) in dB."""
    return 10 * math.log10(float(w.detach().square().sum() / (w - w_hat).detach().square().sum()))
