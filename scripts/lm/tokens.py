"""Encode the documents of a corpus, with a tokenizer trained on its training split where there is none yet.

Input: the documents; the tokenizer of a model, if it is one. Output: token ids of each split, documents one after the
other with the end token after each, and the tokenizer.
"""

from seedbed.core.job import run
from seedbed.core.lm.corpora import SPLITS, read_documents
from seedbed.core.lm.tokenization import ByteTokenizer, load_tokenizer, train_bpe
from seedbed.core.lm.tokens import write_tokens


def main(snakemake):
    texts = read_documents(snakemake.input.documents)
    tokenizer = make_tokenizer(snakemake, texts["train"])
    for split in SPLITS:
        write_tokens(tokenizer.encode_documents(texts[split]), snakemake.output[split])
    tokenizer.save(snakemake.output.tokenizer)


def make_tokenizer(snakemake, training_texts):
    settings = snakemake.params.settings
    if settings["kind"] == "model":
        return load_tokenizer(snakemake.input.tokenizer[0])
    return ByteTokenizer() if settings["kind"] == "bytes" else train_bpe(training_texts, settings["vocab_size"])


run(main, snakemake)
