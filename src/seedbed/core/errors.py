"""Errors whose text is meant for the person who runs Seedbed: shown as it is, without a traceback."""

from __future__ import annotations


class SeedbedError(Exception):
    """Something that the user can mend; the message names the file, the key, the value and what is allowed."""


class ConfigError(SeedbedError):
    """A configuration file, a card or a command-line setting is wrong."""


class SourceError(SeedbedError):
    """A source could not be fetched, or what came is not what `config/sources.yaml` promises."""


class Unavailable(SeedbedError):
    """A source cannot be had on this machine (its client is missing); claims that need it are `not tested`."""
