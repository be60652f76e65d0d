"""SMOTE and Mirrors: what oversampled tables give away (Ganev et al., ICLR 2026).

Audit a table that you are about to release; which rows are synthetic, k and the ratio are inferred::

    from seedbed.smote_privacy import DistinSMOTE, ReconSMOTE, audit_table

    print(audit_table(X, y))
    is_real = DistinSMOTE().fit_predict(X[y == 1])      # real rows of an augmented minority
    records = ReconSMOTE().fit(X_synthetic).points_     # real rows from synthetic ones alone

The functions behind the two attacks bear the names of their modules, so they are imported from there:
``from seedbed.smote_privacy.distin_smote import distin_smote``.
"""

from seedbed.core.lazy import exports

__getattr__, __all__ = exports(
    __name__,
    {
        "DistinSMOTE": "distin_smote",
        "ImbalancedData": "datasets",
        "Oversampled": "smote",
        "ReconDetails": "recon_smote",
        "ReconSMOTE": "recon_smote",
        "TableAudit": "audit",
        "audit_table": "audit",
        "closest_record_share": "closest_record",
        "hyper_rectangle_sample": "smote",
        "linkability_risk": "linkability",
        "load_imbalanced": "datasets",
        "match_scores": "scoring",
        "membership_attack": "membership",
        "oversample": "smote",
        "predict_recall": "recall_prediction",
        "real_vs_synthetic": "distinguisher",
        "smote_nc_sample": "smote",
        "smote_sample": "smote",
    },
)
