"""Connection to a server: sends requests with the token, and raises problems as the engine's errors."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx

from cortex import errors
from cortex.errors import DeadlineExceeded, EngineError, InvalidRequest, StoreBusy, StoreUnavailable

_CONNECT_SECONDS = 5.0
_SERVE = "start it with `cortex serve`, or use the address it printed"
_CLASSES: Mapping[str, type[EngineError]] = {
    cls.code: cls for cls in vars(errors).values() if isinstance(cls, type) and issubclass(cls, EngineError)
}
_BUSY = frozenset({"busy", "rate_limited"})


class ServerConnection:
    """Connections to one server, reused and shared by all handles."""

    def __init__(self, url: str, *, token: str | None, timeout: float) -> None:
        self.url = _checked_url(url)
        self.seconds = timeout
        self._http = httpx.Client(
            base_url=self.url,
            headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=httpx.Timeout(timeout, connect=min(timeout, _CONNECT_SECONDS)),
            # A proxy of this machine must not stand between.
            trust_env=False,
        )

    def close(self) -> None:
        self._http.close()

    def send(self, method: str, path: str, payload: Mapping[str, Any], *, in_body: bool, long: bool) -> dict[str, Any]:
        """Send a request and return the answer. `long` waits without a limit: the server has its own."""
        timeout = httpx.Timeout(None, connect=_CONNECT_SECONDS) if long else httpx.USE_CLIENT_DEFAULT
        if in_body:
            return self._answer(method, path, content=_encoded(payload), headers=_JSON, timeout=timeout)
        given = {name: _query_value(value) for name, value in _without_none(payload).items()}
        return self._answer(method, path, params=given, timeout=timeout)

    def lines(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, **options: Any
    ) -> Generator[str, None, None]:
        """The lines of a response as they arrive."""
        content: dict[str, Any] = {} if body is None else {"content": _encoded(body), "headers": _JSON}
        timeout = httpx.Timeout(None, connect=_CONNECT_SECONDS)
        with (
            self._translated_errors(),
            self._http.stream(method, path, **content, **options, timeout=timeout) as response,
        ):
            if response.is_error:
                response.read()
                raise problem_of(response)
            yield from response.iter_lines()

    def _answer(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        with self._translated_errors():
            response = self._http.request(method, path, **options)
            if response.is_error:
                raise problem_of(response)
            try:
                answer = response.json()
            except ValueError:
                answer = None
        if not isinstance(answer, dict):
            raise self.not_cortex()
        return answer

    def not_cortex(self) -> StoreUnavailable:
        return StoreUnavailable(f"{self.url} is not a Cortex server", hint="use the address of `cortex serve`")

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        try:
            yield
        except httpx.ConnectTimeout as error:
            raise StoreUnavailable(f"no server answers at {self.url}", hint=_SERVE) from error
        except httpx.TimeoutException as error:
            raise DeadlineExceeded(
                f"no answer within {self.seconds:g} s",
                hint="a change may still take effect: check before you repeat it",
            ) from error
        except httpx.ConnectError as error:
            raise StoreUnavailable(f"no server answers at {self.url}", hint=_SERVE) from error
        except httpx.TransportError as error:
            raise StoreUnavailable(
                f"the connection to {self.url} was lost",
                hint="a change may have taken effect: check before you repeat it",
            ) from error
        except RuntimeError as error:
            if not self._http.is_closed:
                raise
            raise StoreUnavailable("the connection is closed", hint="connect again") from error


def problem_of(response: httpx.Response) -> EngineError:
    """The engine's error for a problem, or the nearest one for codes that only servers have."""
    problem = _problem(response)
    code, detail, hint = (
        str(problem.get("code") or ""),
        str(problem.get("detail") or ""),
        str(problem.get("hint") or ""),
    )
    field = problem.get("field")
    cls = _CLASSES.get(code)
    error: EngineError
    if cls is InvalidRequest or (cls is None and response.is_client_error and code not in _BUSY):
        named = str(field) if field else "token" if response.status_code in {401, 403} else "request"
        message = detail.removeprefix(f"{named}: ") or f"was refused with {response.status_code}"
        error = InvalidRequest(message, field=named, hint=hint)
    elif cls is not None:
        error = cls(detail, hint=hint)
    elif code in _BUSY:
        error = StoreBusy(detail, hint=hint)
    else:
        error = StoreUnavailable(detail or f"the server answers {response.status_code}", hint=hint)
    if code:
        error.code = code
    return error


def _problem(response: httpx.Response) -> dict[str, Any]:
    try:
        payload = response.json()
    except ValueError:  # such as a proxy
        return {}
    return payload if isinstance(payload, dict) else {}


_JSON = {"Content-Type": "application/json"}


def _encoded(body: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(_without_none(body), ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (TypeError, ValueError) as error:
        raise InvalidRequest("cannot be sent as JSON", field="request", hint="use plain values") from error


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    """Without None, which leaves the choice to the server."""
    return {name: value for name, value in values.items() if value is not None}


def _query_value(value: Any) -> Any:
    """A value as a query parameter."""
    return str(value).lower() if isinstance(value, bool) else value


def _checked_url(url: str) -> str:
    try:
        parts = httpx.URL(url)
    except (httpx.InvalidURL, TypeError) as error:
        raise InvalidRequest("is not a URL", field="url", hint="use one such as http://127.0.0.1:8300") from error
    if parts.scheme not in {"http", "https"} or not parts.host:
        raise InvalidRequest("is not a URL", field="url", hint="use one such as http://127.0.0.1:8300")
    return str(url).rstrip("/")
