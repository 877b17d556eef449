"""Settings: one TOML file under home, then the environment (`CORTEX_…`), then call arguments.

Only this module reads the environment. Unknown keys are errors that suggest the nearest known one.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cortex.domain.scope import DEFAULT_AGENT, DEFAULT_USER
from cortex.domain.text import CLAMP_HEAD_CHARS, CLAMP_MAX_CHARS, DEFAULT_MAX_BYTES, PASSAGE_TOKENS
from cortex.errors import InvalidRequest, StoreUnavailable

FILE_NAME = "cortex.toml"
PREFIX = "CORTEX_"


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StoreSettings(Section):
    backend: str = Field("sqlite", description="Which store keeps the traces (entry point name).")
    synchronous: str = Field(
        "full", pattern="^(full|normal)$", description="`full` survives power loss; `normal` survives a crash."
    )
    busy_timeout_ms: int = Field(5_000, ge=1, le=600_000, description="How long a writer waits for another.")


class EmbeddingSettings(Section):
    provider: str = Field("local", description="Which embedder to use (entry point name); `none` for keywords only.")
    options: dict[str, Any] = Field(default_factory=dict, description="Passed to the provider as they stand.")
    max_chars: int = Field(CLAMP_MAX_CHARS, ge=16, description="Longer inputs are cut to head and tail.")
    head_chars: int = Field(CLAMP_HEAD_CHARS, ge=0, description="How much of the cut input is its head.")
    max_bytes: int | None = Field(None, ge=16, description="A further cap in UTF-8 bytes.")
    passage_tokens: int = Field(
        PASSAGE_TOKENS, ge=16, le=512, description="Longer texts are embedded in passages of this size."
    )
    cache_entries: int = Field(20_000, ge=0, description="Vectors kept in the embedding cache; 0 turns it off.")
    query_timeout_ms: int = Field(2_000, ge=1, description="How long recall waits for the query's vector.")


class RerankSettings(Section):
    provider: str = Field("local", description="Which reranker `deep.v1` uses (entry point name).")
    options: dict[str, Any] = Field(default_factory=dict, description="Passed to the provider as they stand.")


class RecallSettings(Section):
    recipe: str = Field("balanced.v1", description="The default recipe.")
    deadline_ms: int = Field(5_000, ge=1, description="How long a recall may take before late legs are left out.")


class ReceiptSettings(Section):
    enabled: bool = Field(True, description="Keep a receipt of every operation.")
    verbosity: str = Field("low", pattern="^(low|high)$", description="`high` also lists what was dropped, and why.")
    max_items: int = Field(3, ge=1, le=10, description="How many top ids of each leg a receipt names.")
    keep_queries: bool = Field(True, description="Keep the query beside the receipt, so that it can be replayed.")


class LimitSettings(Section):
    max_text_bytes: int = Field(DEFAULT_MAX_BYTES, ge=1, description="The longest text that is remembered.")


class Settings(Section):
    """Everything an operator can set."""

    agent: str = Field(DEFAULT_AGENT, description="The agent when none is named.")
    user: str = Field(DEFAULT_USER, description="The user when none is named.")
    store: StoreSettings = StoreSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    rerank: RerankSettings = RerankSettings()
    recall: RecallSettings = RecallSettings()
    receipts: ReceiptSettings = ReceiptSettings()
    limits: LimitSettings = LimitSettings()


def default_home() -> Path:
    """`$CORTEX_HOME`, or `~/.cortex`."""
    return Path(os.environ.get(PREFIX + "HOME") or Path.home() / ".cortex").expanduser()


def models_home(home: Path) -> Path:
    """Where models are kept: `$CORTEX_MODELS`, or under home."""
    return Path(os.environ.get(PREFIX + "MODELS") or home / "models").expanduser()


def load(home: Path, overrides: Mapping[str, Any] | None = None) -> Settings:
    """The settings in force under `home`."""
    merged = _merge(_merge(_from_file(home / FILE_NAME), _from_environment(os.environ)), overrides or {})
    _refuse_unknown(merged)
    try:
        return Settings.model_validate(merged)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise InvalidRequest(
            first["msg"], field=name, hint=f"set it in {home / FILE_NAME} or {_variable(name)}"
        ) from error


def describe() -> Iterator[tuple[str, str, Any, str]]:
    """Every setting: dotted name, environment variable, default, meaning."""
    for name, info, default in _leaves(Settings(), ()):
        yield name, _variable(name), default, info


def _variable(name: str) -> str:
    return PREFIX + name.upper().replace(".", "__")


def _leaves(section: Section, path: tuple[str, ...]) -> Iterator[tuple[str, str, Any]]:
    for key, info in type(section).model_fields.items():
        value = getattr(section, key)
        if isinstance(value, Section):
            yield from _leaves(value, (*path, key))
        else:
            yield ".".join((*path, key)), info.description or "", value


def _from_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"is not valid TOML: {error}", field=str(path), hint="mend or remove the file") from error
    except OSError as error:
        raise StoreUnavailable(f"cannot read {path}: {error.strerror}", hint="check its permissions") from error


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    known = {variable: name for name, variable, _, _ in describe()}
    defaults = {name: default for name, _, default, _ in describe()}
    _refuse_misspelt(environment, known)
    found: dict[str, Any] = {}
    for variable, name in known.items():
        if variable not in environment:
            continue
        *path, last = name.split(".")
        at = found
        for key in path:
            at = at.setdefault(key, {})
        at[last] = environment[variable] if isinstance(defaults[name], str) else _value(environment[variable])
    return found


def _refuse_misspelt(environment: Mapping[str, str], known: Mapping[str, str]) -> None:
    """A variable that means a setting and misses it would be silently without effect."""
    for variable in environment:
        if variable.startswith(PREFIX) and variable not in known:
            near = difflib.get_close_matches(variable, known, n=1, cutoff=0.85)
            if near:
                raise InvalidRequest("is not a setting", field=variable, hint=f"did you mean {near[0]}?")


def _value(text: str) -> Any:
    """An environment value as TOML would read it; plain text where it is not TOML."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _merge(low: Mapping[str, Any], high: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(low)
    for key, value in high.items():
        below = merged.get(key)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        merged[key] = _merge(below, value) if both else value  # type: ignore[arg-type]
    return merged


def _refuse_unknown(given: Mapping[str, Any], section: Section | None = None, path: tuple[str, ...] = ()) -> None:
    section = section or Settings()
    known = list(type(section).model_fields)
    for key, value in given.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(known)}"
            raise InvalidRequest("is not a setting", field=".".join((*path, key)), hint=hint)
        below = getattr(section, key)
        if isinstance(below, Section) and isinstance(value, Mapping):
            _refuse_unknown(value, below, (*path, key))
