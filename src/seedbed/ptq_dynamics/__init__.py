"""How training dynamics decide what post-training quantization costs (Catalan-Tatjer, Ajroldi, Geiping, ICLR 2026).

Quantize any causal language model of `transformers`, and see what it costs::

    from seedbed.ptq_dynamics import quantize_model, relative_ce_error

    small = quantize_model(model, calibration_tokens, "gptq", bits=3, group_size=128)
    print(relative_ce_error(evaluate(small, text, 2048).loss, evaluate(model, text, 2048).loss))

Schedules, AdamC and training are in `seedbed.core.lm`.
"""

from seedbed.core.lazy import exports

__getattr__, __all__ = exports(
    __name__,
    {
        "HessianAccumulator": "calibration",
        "LAWA": "averaging",
        "QuantizedTensor": "grid",
        "awq_scale_search": "awq",
        "fit_ptq_scaling": "scaling",
        "gptq_quantize": "gptq",
        "hessian_top_eigs": "curvature",
        "hessian_trace": "curvature",
        "loss_plane": "landscape",
        "pack": "grid",
        "quantize_model": "quantization",
        "relative_accuracy_drop": "degradation",
        "relative_ce_error": "degradation",
        "rtn_quantize": "rtn",
        "signal_to_noise": "degradation",
        "soup": "averaging",
        "unpack": "grid",
    },
)
