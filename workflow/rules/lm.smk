"""Language models: corpora as token files and pretrained models, prepared once for all papers.

A paper names what it needs: `token_files("kjv", "bytes")`, `model_files("smollm2")`.
"""

from seedbed.core.lm.conversion import WRITTEN

_LM = PAPER_CONFIG["lm"]
_SPLITS = ["train", "validation", "calibration"]


def token_files(corpus, tokenizer):
    """Files of a corpus: split -> token ids, and the tokenizer."""
    folder = data("lm", f"{corpus}/{tokenizer}")
    files = {split: f"{folder}/{split}.npy" for split in _SPLITS}
    return files | {"tokenizer": f"{folder}/tokenizer.json"}


def model_files(model):
    """Files of a pretrained model; `load_model` takes their folder."""
    return [data("lm", f"{model}/{file}") for file in WRITTEN]


def _documents(corpus):
    return data("lm", f"{corpus}/documents.parquet")


def _tokenizer_of_model(tokenizer):
    settings = _LM.tokenizers[tokenizer]
    return (
        [data("lm", f"{settings.model}/tokenizer.json")]
        if settings.kind == "model"
        else []
    )


rule lm_documents:
    input:
        lambda w: MANIFEST.format(source=_LM.corpora[w.dataset].source),
    output:
        _documents("{dataset}"),
    log:
        log_file("lm/documents/{dataset}"),
    benchmark:
        step_benchmark("lm/documents/{dataset}")
    threads: step("lm", "documents").threads
    resources:
        **limits("lm", "documents"),
    params:
        settings=lambda w: _LM.corpora[w.dataset].model_dump(mode="json"),
        code=code("lm/documents.py"),
    script:
        "../../scripts/lm/documents.py"


rule lm_tokens:
    input:
        documents=_documents("{dataset}"),
        tokenizer=lambda w: _tokenizer_of_model(w.tokenizer),
    output:
        **token_files("{dataset}", "{tokenizer}"),
    log:
        log_file("lm/tokens/{dataset}/{tokenizer}"),
    benchmark:
        step_benchmark("lm/tokens/{dataset}/{tokenizer}")
    wildcard_constraints:
        tokenizer=r"\w+",
    threads: step("lm", "tokens").threads
    resources:
        **limits("lm", "tokens"),
    params:
        settings=lambda w: _LM.tokenizers[w.tokenizer].model_dump(mode="json"),
        code=code("lm/tokens.py"),
    script:
        "../../scripts/lm/tokens.py"


rule lm_model:
    input:
        lambda w: MANIFEST.format(source=_LM.models[w.model].source),
    output:
        model_files("{model}"),
    log:
        log_file("lm/model/{model}"),
    benchmark:
        step_benchmark("lm/model/{model}")
    wildcard_constraints:
        model="|".join(_LM.models),
    threads: step("lm", "model").threads
    resources:
        **limits("lm", "model"),
    params:
        file=lambda w: _LM.models[w.model].file,
        code=code("lm/model.py"),
    script:
        "../../scripts/lm/model.py"


rule lm:
    input:
        [
            file
            for corpus in _LM.corpora
            for tokenizer in _LM.tokenizers
            for file in token_files(corpus, tokenizer).values()
        ],
        [file for model in _LM.models for file in model_files(model)],
    log:
        log_file("lm"),
    resources:
        **limits(),
