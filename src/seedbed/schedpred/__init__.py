"""On Smoothness Bounds for Non-Clairvoyant Scheduling with Predictions (Zhao, Zomaya, ICLR 2026).

An instance, a policy, a ratio::

    from seedbed.schedpred import SPJF, Instance, StopAdversary, competitive_ratio
    from seedbed.schedpred import LastBigAdversary, ListScheduling, simple_schedule

    instance = Instance(sizes=[3, 1, 2], predictions=[2, 2, 2])
    print(instance.eta, instance.classify(), competitive_ratio(SPJF(), instance))
    print(StopAdversary(eta=1.5, n=100).play(SPJF()).ratio)          # what an adaptive adversary makes of it

    schedule = simple_schedule(instance, m=2, adjust=True)           # SIMPLE with list-adjusting, makespan
    print(schedule.makespan, LastBigAdversary(eta_squared=4, m=5).play(ListScheduling).ratio)

A policy of your own is a class with ``rates(seen)``; ``seen`` has predictions and work done, and no true sizes.
"""

from seedbed.core.lazy import exports

__getattr__, __all__ = exports(
    __name__,
    {
        "DoublingEstimates": "policies",
        "GroupAdversary": "games",
        "Instance": "instance",
        "LastBigAdversary": "games",
        "ListScheduling": "policies",
        "MultilevelFeedback": "multilevel_feedback",
        "Observation": "processor_sharing",
        "PlannedLists": "policies",
        "Policy": "processor_sharing",
        "PreferentialRoundRobin": "preferential_round_robin",
        "RandomOrder": "random_order",
        "RoundRobin": "round_robin",
        "SPJF": "spjf",
        "Schedule": "schedule",
        "StopAdversary": "stop_adversary",
        "competitive_ratio": "processor_sharing",
        "constant_prediction_exists": "instance",
        "list_schedule": "identical",
        "optimal_makespan": "makespan",
        "optimal_total_completion_time": "total_completion_time",
        "prediction_error": "instance",
        "simple_schedule": "identical",
        "simulate": "processor_sharing",
        "smoothness_bounds": "bounds",
        "spjf_supremum": "extreme_instances",
        "two_size_ratio": "extreme_instances",
        "validate": "schedule",
        "with_spoiler": "instance",
    },
)
