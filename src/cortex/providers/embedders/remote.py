"""What every embedder behind an API shares: options, batches, tries, time-outs, and a close look at each answer.

A provider brings the facts about its vendor and one `Api` that speaks through the vendor's SDK. Whatever goes wrong
is reported as `EmbedderUnavailable` in our own words: an SDK's words may repeat the text or the key it was given.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cortex.domain.text import estimate_tokens
from cortex.domain.vectors import ASSUMED, Calibration, EmbeddingSpace, Vector
from cortex.errors import EmbedderUnavailable, EngineError, InvalidRequest
from cortex.providers.endpoints import Endpoint
from cortex.providers.llms import sdks

BATCH_TOKENS = 8_000
ATTEMPTS = 3
FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0
JITTER = 0.2
REMOTE_SECONDS, LOCAL_SECONDS = 60.0, 300.0
BATCH_FACTOR = 2.0
"""A batch may take this many times as long as a query."""
SECTION = "embedding.options"
SHARED_OPTIONS = ("model", "api_key", "dimensions", "query_prefix", "document_prefix", "batch_size", "timeout_s")

Role = Literal["query", "document"]
Row: TypeAlias = tuple[object, object]
"""The place a vector belongs to, and its numbers, as a server sent them."""
Variable: TypeAlias = Callable[[str], str | None]
"""Looks up a variable of the environment, which only the settings read."""

# Said only to find out whether anybody answers.
_PROBE = "cortex"


# --- models -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Model:
    """What is known of a model: the length of its vectors, how it is spoken to, and where its cosines lie."""

    dimension: int
    query_prefix: str = ""
    document_prefix: str = ""
    floor: float | None = None
    """Where its cosines begin; None where that has to be measured."""
    latin_only: bool = False


_NOMIC = ("search_query: ", "search_document: ")
_E5 = ("query: ", "passage: ")
_E5_INSTRUCT = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
_PASSAGES = "Represent this sentence for searching relevant passages: "
# The makers of E5 say that its cosines begin at about 0.7, whatever its size.
_E5_FLOOR = 0.70

# By a part of the name, because every server spells it in its own way: nomic-ai/nomic-embed-text-v1.5,
# nomic-embed-text:latest, nomic-embed-text-v1.5.Q8_0.gguf. The first that fits decides.
OPEN_MODELS: Mapping[str, Model] = MappingProxyType(
    {
        "nomic-embed-text-v2": Model(768, *_NOMIC),
        "nomic-embed-text": Model(768, *_NOMIC, latin_only=True),
        "mxbai-embed-large": Model(1024, _PASSAGES, latin_only=True),
        "embeddinggemma": Model(768, "task: search result | query: ", "title: none | text: "),
        "bge-m3": Model(1024),
        "bge-small-en": Model(384, _PASSAGES, latin_only=True),
        "bge-base-en": Model(768, _PASSAGES, latin_only=True),
        "bge-large-en": Model(1024, _PASSAGES, latin_only=True),
        "multilingual-e5-large-instruct": Model(1024, _E5_INSTRUCT, floor=_E5_FLOOR),
        "multilingual-e5-small": Model(384, *_E5, floor=_E5_FLOOR),
        "multilingual-e5-base": Model(768, *_E5, floor=_E5_FLOOR),
        "multilingual-e5-large": Model(1024, *_E5, floor=_E5_FLOOR),
        "e5-small": Model(384, *_E5, floor=_E5_FLOOR, latin_only=True),
        "e5-base": Model(768, *_E5, floor=_E5_FLOOR, latin_only=True),
        "e5-large": Model(1024, *_E5, floor=_E5_FLOOR, latin_only=True),
        "all-minilm": Model(384, latin_only=True),
        "all-mpnet-base": Model(768, latin_only=True),
    }
)
"""Well-known models that people run themselves."""


def open_model(name: str) -> Model | None:
    """What is known of a model that somebody runs themselves, under whatever name."""
    return next((model for part, model in OPEN_MODELS.items() if part in name.lower()), None)


# --- what the operator says -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EmbeddingVendor:
    """The facts about a provider behind an API."""

    name: str
    who: str
    sdk: str
    model: str
    known: Callable[[str], Model | None]
    address: str
    texts_at_once: int
    variables: tuple[str, ...] = ()
    """Where the SDK looks for a key by itself."""
    address_option: str = "base_url"
    options: tuple[str, ...] = ()
    """The options it has beyond the shared ones."""
    roles: tuple[str, str] = ("", "")
    """The names the API has for a query and a document; they change the vectors."""
    keyless: bool = False
    local: bool = False
    has_own_servers: bool = False
    """Whether people run servers of their own that speak like it: then the model there has to be named."""
    missing_model: str = ""
    """What to do about a model that is not there; `{model}` stands for it."""


@dataclass(frozen=True, slots=True)
class Options:
    """What an operator says about one of these providers, read and checked."""

    vendor: EmbeddingVendor
    section: str
    name: str
    """Of the model."""
    model: Model
    resized_to: int | None
    """How long the vectors are to be, where that is another length than the model makes them by itself."""
    endpoint: Endpoint
    key: str | None = field(repr=False)
    key_from: str | None
    """Which option or variable brings the key; None where the SDK will look, "" where there is none."""
    texts_at_once: int
    query_seconds: float

    @classmethod
    def read(
        cls,
        given: Mapping[str, Any],
        vendor: EmbeddingVendor,
        *,
        variable: Variable | None = None,
        section: str = SECTION,
        address: str | None = None,
    ) -> Options:
        """The options as `given`; `address` is where the server is when they do not say."""
        sdks.known_options(given, (*SHARED_OPTIONS, vendor.address_option, *vendor.options), vendor.name, section)
        named = sdks.text_option(given, vendor.address_option, section=section)
        if vendor.has_own_servers and named and given.get("model") is None:
            hint = f"name the model that the server at {vendor.address_option} runs"
            raise InvalidRequest("is missing", field=f"{section}.model", hint=hint)
        name = sdks.text_option(given, "model", section=section) or vendor.model
        model, resized_to = _model(given, name, vendor, section)
        endpoint = Endpoint.at(
            named or address or vendor.address, f"{section}.{vendor.address_option}", _headers(given, section)
        )
        key = sdks.text_option(given, "api_key", section=section) or (sdks.NO_KEY if named else None)
        patience = LOCAL_SECONDS if vendor.local or endpoint.is_local else REMOTE_SECONDS
        at_once = vendor.texts_at_once
        return cls(
            vendor=vendor,
            section=section,
            name=name,
            model=model,
            resized_to=resized_to,
            endpoint=endpoint,
            key=key,
            key_from=_key_from(given, vendor, variable, section),
            texts_at_once=int(number(given, "batch_size", section, at_once, whole=True, most=at_once)),
            query_seconds=number(given, "timeout_s", section, patience),
        )

    @property
    def at_vendor(self) -> bool:
        """Whether requests go to the vendor itself, and not to a server of one's own."""
        return self.endpoint.url == self.vendor.address

    @property
    def who(self) -> str:
        """The server, as errors name it."""
        return self.vendor.who if self.at_vendor else self.endpoint.who

    @property
    def space(self) -> EmbeddingSpace:
        spoken = zip(self.vendor.roles, (self.model.query_prefix, self.model.document_prefix), strict=True)
        schemes = [" ".join(filter(None, parts)) for parts in spoken]
        return EmbeddingSpace(
            provider=self.vendor.name,
            model=self.name,
            dimension=self.model.dimension,
            prefixes="|".join(schemes) if any(schemes) else "",
            endpoint=self.endpoint.fingerprint,
            calibration=ASSUMED if self.model.floor is None else Calibration(self.model.floor),
            latin_only=self.model.latin_only,
        )

    def sdk(self) -> Any:
        """The vendor's SDK, imported on first use: that takes longer than most commands."""
        try:
            return import_module(self.vendor.sdk)
        except ImportError as error:
            raise sdks.not_installed(self.vendor.name) from error

    def no_key(self) -> EmbedderUnavailable:
        return EmbedderUnavailable(f"there is no key for {self.vendor.who}", hint=f"set {self.key_places}")

    @property
    def key_places(self) -> str:
        """Where the key can be put. A server of one's own never gets the vendor's."""
        places = (f"{self.section}.api_key", *(() if self.key else self.vendor.variables))
        return " or ".join(places)


def number(
    given: Mapping[str, Any], name: str, section: str, default: float, *, whole: bool = False, most: float = 86_400.0
) -> float:
    """A number above nothing among the options."""
    value = given.get(name)
    if value is None:
        return default
    kinds = (int,) if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not 0 < value <= most:
        what = "a whole number" if whole else "a number"
        raise InvalidRequest(f"is not {what} up to {most:,.0f}", field=f"{section}.{name}", hint="or leave it out")
    return float(value)


def _model(given: Mapping[str, Any], name: str, vendor: EmbeddingVendor, section: str) -> tuple[Model, int | None]:
    """The model called `name`, spoken to as the options say, and the length to ask for where it is not its own."""
    known = vendor.known(name)
    dimension = int(number(given, "dimensions", section, known.dimension if known else 0, whole=True, most=65_536))
    if not dimension:
        raise InvalidRequest(
            f"is missing, and how long the vectors of {name!r} are is not known",
            field=f"{section}.dimensions",
            hint="set it to the number of dimensions that the model's description gives",
        )
    base = known or Model(dimension)
    model = Model(
        dimension,
        _prefix(given, "query_prefix", section, base.query_prefix),
        _prefix(given, "document_prefix", section, base.document_prefix),
        base.floor,
        base.latin_only,
    )
    # Only for a model that is known to make other lengths: a server that knows no lengths refuses the option.
    return model, dimension if known and dimension != known.dimension else None


def _prefix(given: Mapping[str, Any], name: str, section: str, default: str) -> str:
    """A prefix, which unlike other texts may be empty: then there is none."""
    return "" if given.get(name) == "" else sdks.text_option(given, name, section=section) or default


def _headers(given: Mapping[str, Any], section: str) -> dict[str, str]:
    headers = given.get("headers") or {}
    if not isinstance(headers, Mapping):
        raise InvalidRequest("is not a table", field=f"{section}.headers", hint="give names and texts")
    return {str(name): sdks.text_option(headers, name, section=f"{section}.headers") or "" for name in headers}


def _key_from(given: Mapping[str, Any], vendor: EmbeddingVendor, variable: Variable | None, section: str) -> str | None:
    for option in ("api_key", vendor.address_option):
        if given.get(option) is not None:
            return f"{section}.{option}"
    if variable is None or vendor.keyless:
        return None
    return next((name for name in vendor.variables if variable(name)), "")


# --- failures ---------------------------------------------------------------------------------------------------------

Kind = Literal["auth", "absent", "rejected", "rate_limited", "timeout", "unreachable", "server_error", "bad_answer"]
_TRANSIENT: frozenset[Kind] = frozenset({"rate_limited", "timeout", "unreachable", "server_error"})
_BY_STATUS: Mapping[int, Kind] = MappingProxyType(
    {401: "auth", 402: "auth", 403: "auth", 404: "absent", 408: "timeout", 429: "rate_limited", 504: "timeout"}
)


@dataclass(frozen=True, slots=True)
class RequestFailure:
    """Why a request brought no vectors."""

    kind: Kind
    what: str
    retry_after: float | None = None


def answered(status: int, headers: Mapping[str, str]) -> RequestFailure:
    """What an HTTP status means."""
    if status < 400:
        return RequestFailure("bad_answer", f"answered {status} and something that is not an answer")
    kind: Kind = _BY_STATUS.get(status) or ("server_error" if status >= 500 else "rejected")
    return RequestFailure(kind, f"answered {status}", sdks.retry_after(headers))


def headers_of(error: object) -> Mapping[str, str]:
    """The headers of the response that an exception holds; none where it holds no response."""
    headers: Mapping[str, str] = getattr(getattr(error, "response", None), "headers", {})
    return headers


def broken_off(error: Exception) -> RequestFailure:
    """What an exception means that came with no status. By its names: the SDKs use four HTTP libraries."""
    names = {kind.__name__ for kind in type(error).__mro__}
    if names & {"Timeout", "TimeoutError", "TimeoutException", "APITimeoutError"}:
        return RequestFailure("timeout", "did not answer in time")
    if names & {"ConnectionError", "APIConnectionError", "TransportError"}:
        return RequestFailure("unreachable", "cannot be reached, or broke off")
    return RequestFailure("bad_answer", f"answered something that is not an answer ({type(error).__name__})")


# --- the embedder -----------------------------------------------------------------------------------------------------


class Api(Protocol):
    """One request to one vendor, through its SDK, which must not try again by itself."""

    def embed(self, texts: list[str], role: Role, seconds: float) -> list[Row]:
        """The vectors of `texts`, each with the place it belongs to. Raises whatever the SDK raises."""

    def failure(self, error: Exception) -> RequestFailure:
        """What an exception of the SDK means."""

    def close(self) -> None: ...


def _clock_dust() -> float:
    """The last digits of the clock, from 0 to 1: enough to part clients that failed together."""
    return time.monotonic_ns() // 1_000 % 1_000 / 1_000


@dataclass(frozen=True, slots=True)
class Patience:
    """How an embedder waits before it tries again."""

    sleep: Callable[[float], object] = time.sleep
    chance: Callable[[], float] = _clock_dust
    """From 0 to 1, how much of the jitter to add."""

    def before(self, attempt: int, failure: RequestFailure) -> float | None:
        """The seconds to wait before `attempt`, the first being 1; None where it is not worth another try."""
        if failure.kind not in _TRANSIENT or attempt > ATTEMPTS:
            return None
        wished = failure.retry_after or 0.0
        own = FIRST_WAIT * 2.0 ** (attempt - 2) * (1.0 + JITTER * self.chance())
        return None if wished > LONGEST_WAIT else min(LONGEST_WAIT, max(wished, own))


PATIENCE = Patience()


class RemoteEmbedder:
    """Unit vectors from an API, in batches, tried three times, each answer checked before it is believed."""

    _again = "cortex admin backfill"
    """What embeds later what could not be embedded now."""

    def __init__(self, options: Options, api: Api, patience: Patience = PATIENCE) -> None:
        self._options = options
        self._api = api
        self._patience = patience
        self._space = options.space

    @property
    def space(self) -> EmbeddingSpace:
        return self._space

    @property
    def key_from(self) -> str | None:
        """Which option or variable brings the key; None where the SDK will look, "" where there is none."""
        return self._options.key_from

    def embed_query(self, text: str) -> Vector:
        prefixed = self._options.model.query_prefix + text
        return self._embedded([prefixed], "query", self._options.query_seconds)[0]

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        prefixed = [self.as_document(text) for text in texts]
        seconds = self._options.query_seconds * BATCH_FACTOR
        batched = batches(prefixed, self._options.texts_at_once)
        return [vector for batch in batched for vector in self._embedded(batch, "document", seconds)]

    def as_document(self, text: str) -> str:
        """A document as it is sent."""
        return self._options.model.document_prefix + text

    def trouble(self, *, thorough: bool = False) -> EngineError | None:
        """Whether the SDK or the key is missing; `thorough` also embeds a word."""
        if not _installed(self._options.vendor.sdk):
            return sdks.not_installed(self._options.vendor.name)
        if self._options.key_from == "":
            return self._options.no_key()
        if not thorough:
            return None
        try:
            self.embed_query(_PROBE)
        except EngineError as error:
            return error
        return None

    def close(self) -> None:
        self._api.close()

    def _embedded(self, texts: list[str], role: Role, seconds: float) -> list[Vector]:
        return self._vectors(self._asked(lambda: self._api.embed(texts, role, seconds)), len(texts))

    def _asked(
        self, request: Callable[[], list[Row]], rejected: type[EmbedderUnavailable] = EmbedderUnavailable
    ) -> list[Row]:
        """The rows of a request, after at most three tries; `rejected` is raised where the server refuses its input."""
        attempt = 1
        while True:
            try:
                return request()
            except EngineError:
                raise
            except Exception as error:
                failure = self._api.failure(error)
            # Outside of the handler, so that nothing the SDK said hangs on to what is raised.
            attempt += 1
            wait = self._patience.before(attempt, failure)
            if wait is None:
                kind = rejected if failure.kind == "rejected" else EmbedderUnavailable
                raise kind(self._why(failure, tries=attempt - 1), hint=self._hint(failure.kind))
            self._patience.sleep(wait)

    def _vectors(self, rows: list[Row], count: int) -> list[Vector]:
        if len(rows) != count:
            raise self._unusable(f"{len(rows)} vectors for {count} texts")
        by_place = {place: numbers for place, numbers in rows if isinstance(place, int)}
        if by_place.keys() != set(range(count)):
            raise self._unusable("vectors that belong to no text")
        return [self._vector(by_place[place]) for place in range(count)]

    def _vector(self, numbers: object) -> Vector:
        found = _as_array(numbers)
        if found is None:
            raise self._unusable("a vector that does not consist of numbers")
        if found.shape != (self._space.dimension,):
            raise self._unusable(
                f"a vector of {found.size} numbers for {self._options.name}, not of {self._space.dimension}",
                hint=f"set {self._options.section}.dimensions, then run `{self._again}`",
            )
        length = float(np.linalg.norm(found))
        if not 0.0 < length < float("inf"):  # NaN compares false
            raise self._unusable("a vector that is zero or not finite")
        vector: Vector = (found / length).astype(np.float32)
        return vector

    def _unusable(self, what: str, hint: str = "") -> EmbedderUnavailable:
        return EmbedderUnavailable(f"{self._options.who} answered {what}", hint=hint or self._hint("bad_answer"))

    def _why(self, failure: RequestFailure, tries: int) -> str:
        message = f"{self._options.who} {failure.what}"
        if tries > 1:
            message += f", {tries} times"
        if failure.retry_after:
            message += f", and asks to be left alone for {failure.retry_after:g} s"
        return message

    def _hint(self, kind: Kind) -> str:
        """What to do about a failure, by the names the operator knows."""
        options, vendor = self._options, self._options.vendor
        section, address = options.section, f"{options.section}.{vendor.address_option}"
        if kind == "auth":
            return f"check {options.key_places}"
        if kind == "absent":
            return vendor.missing_model.format(model=options.name) or f"check {section}.model and {address}"
        return {
            "rejected": f"check {section}.model and {section}.dimensions; lower embedding.max_chars for a small model",
            "rate_limited": f"wait, and then run `{self._again}`",
            "timeout": f"raise {section}.timeout_s, or lower {section}.batch_size",
            "unreachable": f"check that the server runs and can be reached, and {address}",
            "server_error": f"try again later, then run `{self._again}`",
            "bad_answer": f"check that {address} leads to such a server",
        }[kind]


def batches(texts: Sequence[str], most: int) -> Iterator[list[str]]:
    """`texts` in requests of at most `most`, and of at most 8000 tokens where they hold more than one (B17)."""
    batch: list[str] = []
    tokens = 0
    for text in texts:
        size = estimate_tokens(text)
        if batch and (len(batch) == most or tokens + size > BATCH_TOKENS):
            yield batch
            batch, tokens = [], 0
        batch.append(text)
        tokens += size
    if batch:
        yield batch


def _as_array(numbers: object) -> NDArray[np.float64] | None:
    try:
        return np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def _installed(module: str) -> bool:
    """Whether a module is there, found out without importing it."""
    from importlib.util import find_spec

    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # not even the package it is in
        return False
