"""OpenAI's models and every server that speaks like it (llama.cpp, vLLM, LM Studio, Ollama), by OpenAI's SDK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cortex.errors import EngineError, InvalidRequest, LlmUnavailable
from cortex.ports.llm import Completion
from cortex.providers.llms import sdks

MODEL = "gpt-5-mini"
OPTIONS = ("model", "api_key", "base_url", "temperature")
SHAPES = ("json_schema", "json_object", "none")
"""How an answer can be held to a schema, from the strictest; a server that does not know one gets the next."""


def create(options: Mapping[str, Any], timeout: float) -> OpenaiLLM:
    """A model of OpenAI, or of the server at `base_url`. Without either key, OpenAI's SDK looks for its own."""
    sdks.known_options(options, OPTIONS, "openai")
    endpoint = sdks.endpoint_option(options)
    model = sdks.text_option(options, "model", MODEL if endpoint is None else None)
    if model is None:
        raise InvalidRequest(
            "is missing", field="llm.options.model", hint="name the model that the server at base_url runs"
        )
    return OpenaiLLM(
        model,
        timeout,
        api_key=sdks.text_option(options, "api_key"),
        endpoint=endpoint,
        temperature=_temperature(options.get("temperature")),
    )


def _temperature(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 2.0:
        raise InvalidRequest("is not a number from 0 to 2", field="llm.options.temperature", hint="leave it out")
    return float(value)


class OpenaiLLM(sdks.SdkLLM):
    """Completes by the Chat Completions API. Nothing is tried twice, but for a shape a server does not know."""

    vendor, who, client_class = "openai", "OpenAI", "OpenAI"
    _shapes: tuple[str, ...] = SHAPES

    def __init__(self, model: str, timeout: float, *, temperature: float | None = None, **access: Any) -> None:
        super().__init__(model, timeout, **access)
        self._temperature = temperature

    def complete(
        self, *, system: str, prompt: str, max_tokens: int, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        client = self._client()
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": prompt}],
            # OpenAI's newer models refuse the old name, and many servers know no other.
            "max_tokens" if self._endpoint else "max_completion_tokens": max_tokens,
        }
        if self._temperature is not None:
            request["temperature"] = self._temperature
        try:
            return self._completion(self._asked(client, request, schema))
        except LlmUnavailable:
            raise
        except Exception as error:
            raise sdks.failure(error, self._sdk(), self._who) from error

    def trouble(self, *, thorough: bool = False) -> EngineError | None:
        if (absent := sdks.trouble_importing("openai")) or not thorough:
            return absent
        try:
            self._client()
        except EngineError as error:
            return error
        return None

    def _asked(self, client: Any, request: dict[str, Any], schema: Mapping[str, Any] | None) -> Any:
        """The answer, held to `schema` as strictly as the server can."""
        if schema is None:
            return client.chat.completions.create(**request)
        openai, shapes = self._sdk(), self._shapes
        for at, shape in enumerate(shapes):
            try:
                answer = client.chat.completions.create(**request, **_shaped(shape, schema))
            except (openai.BadRequestError, openai.UnprocessableEntityError):
                if shape == shapes[-1]:
                    raise
            else:
                # Only an answer shows that the stricter shapes were in the way, and not something else.
                self._shapes = shapes[at:]
                return answer
        raise AssertionError("the last shape either answers or raises")

    def _open(self) -> Any:
        try:
            return super()._open()
        except self._sdk().OpenAIError as error:
            raise sdks.credentials_missing("OpenAI") from error

    def _completion(self, answer: Any) -> Completion:
        """The text of an answer; a server may send anything, so nothing is taken for granted."""
        choices = getattr(answer, "choices", None)
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = getattr(choice, "message", None)
        if getattr(message, "refusal", None) or getattr(choice, "finish_reason", None) == "content_filter":
            raise sdks.refusal(self._who)
        content = getattr(message, "content", None)
        if message is None or not isinstance(content, str | None):
            raise sdks.bad_answer(self._who, "something that is not a completion")
        text = sdks.without_thoughts(content or "")
        if not text.strip():
            raise sdks.bad_answer(self._who, "no text", "allow more tokens, or use another model")
        usage = getattr(answer, "usage", None)
        return Completion(
            text,
            input_tokens=sdks.as_tokens(getattr(usage, "prompt_tokens", None)),
            output_tokens=sdks.as_tokens(getattr(usage, "completion_tokens", None)),
        )


def _shaped(shape: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    if shape == "json_schema":
        strict = {"name": "answer", "strict": True, "schema": dict(schema)}
        return {"response_format": {"type": "json_schema", "json_schema": strict}}
    return {"response_format": {"type": "json_object"}} if shape == "json_object" else {}
