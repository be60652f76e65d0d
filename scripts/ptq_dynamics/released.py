"""Quantize one checkpoint of a released trajectory, or an average of several, at one bit width.

Input: text of the corpus, in documents. Output: metrics of one checkpoint. Weights come from the Hugging Face hub.
"""

from seedbed.core.job import run
from seedbed.core.lm.corpora import read_documents
from seedbed.core.metrics import Metrics
from seedbed.ptq_dynamics.protocol import Protocol
from seedbed.ptq_dynamics.released import encode, load_average


def main(snakemake):
    settings, dataset, part = snakemake.params.settings, snakemake.wildcards.dataset, snakemake.params.part
    model = load_average(part["repository"], part["revisions"], snakemake.params.device)
    texts = read_documents(snakemake.input[0])
    validation, calibration = (encode(part["repository"], texts[split]) for split in ("validation", "calibration"))
    protocol = Protocol(model, validation, calibration, dataset, settings, settings["context"], batch=4)
    metrics = Metrics("released", dataset, part["quantizer"])
    for bits, values in protocol.measure(0, part["quantizer"], [part["bits"]]).items():
        metrics.add(0, values, run=part["run"], step=part["step"], bits=bits)
    metrics.write(snakemake.output[0])


run(main, snakemake)
