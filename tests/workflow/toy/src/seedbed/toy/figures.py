"""The figure of the toy paper."""

import matplotlib.pyplot as plt


def errors(metrics):
    """One dot a seed."""
    figure, axes = plt.subplots()
    for method, rows in metrics.groupby("method"):
        axes.plot(rows.seed, rows.value, linestyle="", label=method)
    axes.set(xlabel="seed", ylabel="error")
    axes.legend()
    return figure
