"""What the vendors' SDKs have in common: how their options are read, and how their failures are reported."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from email.utils import parsedate_to_datetime
from importlib import import_module
from typing import Any, ClassVar

from cortex.errors import EngineError, InvalidRequest, LlmReason, LlmUnavailable, ProviderMissing, install_command
from cortex.providers.endpoints import Endpoint

SECTION = "llm.options"
NO_KEY = "none"
"""What a server of the operator's own gets where no key is named for it: the vendor's key must not reach it."""

_UNEXPANDED = re.compile(r"\$\{(\w+)\}")
# What a vendor calls an error is a short word; its message may repeat the text it was given, and is left out.
_ERROR_NAME = re.compile(r"[\w.-]{1,64}")
# Reasoning models behind simple servers think aloud before they answer.
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>\s*", re.DOTALL)
_HINTS: Mapping[LlmReason, str] = {
    "auth": "check llm.options.api_key, or the variable the SDK reads",
    "rate_limited": "wait, or lower llm.calls_per_hour and llm.tokens_per_hour",
    "timeout": "raise llm.timeout_ms, or use a smaller model",
    "unreachable": "check that the server runs, and llm.options.base_url",
    "rejected": "check llm.options.model, and that the model's context is long enough",
    "bad_answer": "check that llm.options.base_url leads to such a server",
}


class SdkClient:
    """The client of an SDK, opened on first use: importing an SDK takes longer than most commands."""

    def __init__(self, open_client: Callable[[], Any]) -> None:
        self._open = open_client
        self._lock = threading.Lock()
        self._opened: Any = None

    def __call__(self) -> Any:
        with self._lock:
            if self._opened is None:
                self._opened = self._open()
            return self._opened

    def close(self) -> None:
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None


class SdkLLM:
    """A language model by the SDK of its vendor. Nothing is tried twice here: the caller decides that."""

    vendor: ClassVar[str]
    """The SDK, which is also the name of the provider."""
    who: ClassVar[str]
    client_class: ClassVar[str]

    def __init__(
        self, model: str, timeout: float, *, api_key: str | None = None, endpoint: Endpoint | None = None
    ) -> None:
        self._model = model
        self._timeout = timeout
        self._api_key = api_key or (NO_KEY if endpoint else None)
        self._endpoint = endpoint
        self._who = endpoint.who if endpoint else self.who
        self._client = SdkClient(self._open)

    @property
    def name(self) -> str:
        return f"{self.vendor}/{self._model}"

    def close(self) -> None:
        self._client.close()

    def _sdk(self) -> Any:
        try:
            return import_module(self.vendor)
        except ImportError as error:
            raise not_installed(self.vendor) from error

    def _open(self) -> Any:
        sdk = self._sdk()
        keep_requests_out_of_the_log(self.vendor)
        return getattr(sdk, self.client_class)(
            api_key=self._api_key,
            base_url=self._endpoint.url if self._endpoint else None,
            default_headers=self._endpoint.headers if self._endpoint else None,
            timeout=self._timeout,
            max_retries=0,
        )


def endpoint_option(options: Mapping[str, Any]) -> Endpoint | None:
    """The server of the operator's own, if one is named."""
    base_url = text_option(options, "base_url")
    return Endpoint.at(base_url, f"{SECTION}.base_url") if base_url else None


def known_options(options: Mapping[str, Any], known: Sequence[str], provider: str, section: str = SECTION) -> None:
    """Refuse an option that the provider does not have, because it would be silently without effect."""
    if unknown := sorted(set(options) - set(known)):
        from difflib import get_close_matches

        near = get_close_matches(unknown[0], known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
        raise InvalidRequest(f"is not an option of {provider}", field=f"{section}.{unknown[0]}", hint=hint)


def text_option(
    options: Mapping[str, Any], name: str, default: str | None = None, *, section: str = SECTION
) -> str | None:
    """A text among the options, with every variable it names."""
    value = options.get(name, default)
    if value is None:
        return None
    field = f"{section}.{name}"
    if not isinstance(value, str) or not value.strip():
        raise InvalidRequest("is not a text", field=field, hint="give a text, or leave it out")
    if left := _UNEXPANDED.search(value):
        raise InvalidRequest(
            f"names the variable {left.group(1)}, which is not set", field=field, hint=f"set {left.group(1)}"
        )
    return value


def not_installed(extra: str) -> ProviderMissing:
    return ProviderMissing(f"the {extra} provider is not installed", hint=f"run `{install_command(extra)}`")


def failure(error: Exception, sdk: Any, who: str) -> LlmUnavailable:
    """What an exception of an SDK means: which sort of failure, and what to do."""
    if isinstance(error, sdk.APITimeoutError):
        return _failure("timeout", f"{who} did not answer in time")
    if isinstance(error, sdk.APIConnectionError):
        return _failure("unreachable", f"{who} cannot be reached, or broke off")
    if isinstance(error, sdk.APIStatusError):
        return _answered_with(error, who)
    return _failure("bad_answer", f"{who} answered something that is not an answer ({type(error).__name__})")


def credentials_missing(who: str) -> LlmUnavailable:
    return _failure("auth", f"no credentials for {who}")


def bad_answer(who: str, what: str, hint: str = "") -> LlmUnavailable:
    return LlmUnavailable(f"{who} answered {what}", hint=hint or _HINTS["bad_answer"], reason="bad_answer")


def refusal(who: str) -> LlmUnavailable:
    return LlmUnavailable(f"{who} would not answer this prompt", reason="refused")


def without_thoughts(answer: str) -> str:
    """The answer without what a model thought aloud before it."""
    return _THOUGHTS.sub("", answer)


def as_tokens(count: object) -> int:
    """A number of tokens as a server reports it; 0 where it does not."""
    return count if isinstance(count, int) and not isinstance(count, bool) and count > 0 else 0


def trouble_importing(extra: str) -> EngineError | None:
    """Whether the SDK is absent, found out without importing it."""
    from importlib.util import find_spec

    return not_installed(extra) if find_spec(extra) is None else None


def keep_requests_out_of_the_log(sdk: str) -> None:
    """Drop what an SDK logs of each request while it is debugged: all of it, and with it every text."""
    logging.getLogger(f"{sdk}._base_client").addFilter(_is_no_request)


def _is_no_request(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith("Request options")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds a server asks to be left alone for; given in seconds, milliseconds, or as a date."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * scale
        except ValueError:
            continue
        if 0.0 <= seconds < float("inf"):
            return seconds
    try:
        until, now = (parsedate_to_datetime(headers.get(name, "")) for name in ("retry-after", "date"))
        return max(0.0, (until - now).total_seconds())
    except (TypeError, ValueError):
        return None


def _answered_with(error: Any, who: str) -> LlmUnavailable:
    status = int(error.status_code)
    reason: LlmReason = "rejected"
    if status in (401, 402, 403):
        reason = "auth"
    elif status in (408, 504):
        reason = "timeout"
    elif status == 429:
        reason = "rate_limited"
    elif status >= 500:
        reason = "server_error"
    return _failure(reason, f"{who} answered {status}{_named(error)}", retry_after(error.response.headers))


def _named(error: Any) -> str:
    """The vendor's own name of the error, where it looks like a name."""
    for name in (getattr(error, "code", None), getattr(error, "type", None)):
        if isinstance(name, str) and _ERROR_NAME.fullmatch(name):
            return f" ({name})"
    return ""


def _failure(reason: LlmReason, message: str, retry_after: float | None = None) -> LlmUnavailable:
    return LlmUnavailable(message, hint=_HINTS.get(reason, ""), reason=reason, retry_after=retry_after)
