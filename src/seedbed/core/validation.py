"""YAML files read into strict pydantic models, with errors of one line each: file, key, value, what is allowed."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from seedbed.core.errors import ConfigError

Model = TypeVar("Model", bound=BaseModel)
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def nearest(word: str, known: Iterable[str]) -> str:
    """Sentence that offers the known word nearest to ``word``, and the whole list."""
    known = sorted(known)
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.4)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return f"{hint}allowed: {', '.join(known) or 'none'}"


class Strict(BaseModel):
    """A frozen model that refuses unknown keys and names the nearest known one."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys_only(cls, values: Any) -> Any:
        if isinstance(values, Mapping):
            known = {field.alias or name for name, field in cls.model_fields.items()}
            for key in values:
                if key not in known:
                    raise PydanticCustomError(
                        "unknown_key", "{text}", {"text": f"unknown key {key!r}: {nearest(str(key), known)}"}
                    )
        return values


def read_yaml(path: Path) -> dict[str, Any]:
    """Mapping in the YAML file ``path``; `ConfigError` if it is missing, not YAML or not a mapping."""
    try:
        text = path.read_text()
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    try:
        data = yaml.load(text, Loader=Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise ConfigError(f"{path}: {place}not valid YAML: {getattr(error, 'problem', None) or error}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: expected keys and values, found {type(data).__name__}")
    return data


def validate(
    model: type[Model], data: Any, file: Path | str, origin: Callable[[list[str]], str] = lambda keys: ""
) -> Model:
    """``data`` as a ``model``; every fault becomes one line of a `ConfigError` that starts with ``file``.

    ``origin`` names the block of the file that a key came from, where the data was merged from several.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        lines = [_line(fault, file, origin) for fault in error.errors(include_url=False)]
        raise ConfigError("\n".join(dict.fromkeys(lines))) from None


def _line(fault: Any, file: Path | str, origin: Callable[[list[str]], str]) -> str:
    # Tagged unions and literals put names of Python types into the location; a reader of YAML has no use for them.
    keys = [str(part) for part in fault["loc"] if "[" not in str(part)]
    place = ".".join(part for part in (origin(keys), *keys) if part)
    text = fault["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    if fault["type"] == "unknown_key":
        return f"{file}: {place + ': ' if place else ''}{text}"
    if fault["type"] == "missing":
        return f"{file}: {place}: this key is required"
    return f"{file}: {place}: {fault['input']!r} is not allowed: {text[0].lower()}{text[1:]}"
