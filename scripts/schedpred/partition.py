"""Compare the classes of random instances with brute force, in fractions.

Output: metrics; a sample's number of disagreements, of instances on the border and of each class, and error, P and
class of some instances.
"""

from collections import Counter

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.random import rng
from seedbed.schedpred.partition import classify_by_search, random_rational


def main(snakemake):
    settings = snakemake.params.settings
    metrics = Metrics("partition", "single", "definition")
    for seed in range(settings["seeds"]):
        stream = rng(seed, "partition", "single")
        instances = [random_rational(stream) for _ in range(settings["instances"])]
        classes = [instance.classify() for instance in instances]
        counts = Counter(classes)
        disagreements = sum(
            found != classify_by_search(instance) for found, instance in zip(classes, instances, strict=True)
        )
        metrics.add(
            seed,
            {
                "disagreements": disagreements,
                "on_border": sum(instance.eta**2 == instance.P for instance in instances),
                **{name: counts[name] for name in ("consistent", "robust", "smooth")},
            },
        )
        for number, instance in enumerate(instances[: settings["shown"]]):
            metrics.add(seed, {"eta": instance.eta, "P": instance.P}, instance=number, **{"class": classes[number]})
    metrics.write(snakemake.output[0])


run(main, snakemake)
