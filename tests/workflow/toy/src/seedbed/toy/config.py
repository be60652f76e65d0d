"""What `config/toy.yaml` may say."""

from pydantic import Field

from seedbed.core.config import PaperConfig
from seedbed.core.validation import Strict


class Main(Strict):
    """The only experiment."""

    datasets: list[str]
    methods: list[str]
    seeds: int = Field(ge=1)
    offset: int


class Config(PaperConfig):
    """All experiments of the toy paper."""

    main: Main
