"""Claude, by Anthropic's SDK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cortex.errors import EngineError, LlmUnavailable
from cortex.ports.llm import Completion
from cortex.providers.llms import sdks

MODEL = "claude-haiku-5-5"
OPTIONS = ("model", "api_key", "base_url")


def create(options: Mapping[str, Any], timeout: float) -> AnthropicLLM:
    """Claude Haiku, or the `model` of the options. Without an `api_key` the SDK looks for one in its own places."""
    sdks.known_options(options, OPTIONS, "anthropic")
    return AnthropicLLM(
        sdks.text_option(options, "model", MODEL) or MODEL,
        timeout,
        api_key=sdks.text_option(options, "api_key"),
        endpoint=sdks.endpoint_option(options),
    )


class AnthropicLLM(sdks.SdkLLM):
    """Completes by the Messages API."""

    vendor, who, client_class = "anthropic", "Anthropic", "Anthropic"
    _knows_schemas = True

    def complete(
        self, *, system: str, prompt: str, max_tokens: int, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        client, anthropic = self._client(), self._sdk()
        request: dict[str, Any] = {
            "model": self._model,
            "max_tokens": max_tokens,
            "system": system,
            "messages": [{"role": "user", "content": prompt}],
        }
        try:
            return self._completion(self._asked(client, request, schema))
        except LlmUnavailable:
            raise
        except (TypeError, anthropic.AnthropicError) as error:
            # Without a key the SDK finds nothing to sign the request with, and says so by a TypeError.
            if not isinstance(error, anthropic.APIError):
                raise sdks.credentials_missing("Anthropic") from error
            raise sdks.failure(error, anthropic, self._who) from error
        except Exception as error:
            raise sdks.failure(error, anthropic, self._who) from error

    def trouble(self, *, thorough: bool = False) -> EngineError | None:
        if (absent := sdks.trouble_importing("anthropic")) or not thorough:
            return absent
        client = self._client()
        found = client.api_key or client.auth_token or getattr(client, "credentials", None)
        return None if found else sdks.credentials_missing("Anthropic")

    def _asked(self, client: Any, request: dict[str, Any], schema: Mapping[str, Any] | None) -> Any:
        """The answer, in the shape of `schema` where the model can be held to one."""
        if schema is None or not self._knows_schemas:
            return client.messages.create(**request)
        # As a part of the body, because not every SDK that can send it knows it by name.
        shaped = {"output_config": {"format": {"type": "json_schema", "schema": dict(schema)}}}
        try:
            return client.messages.create(**request, extra_body=shaped)
        except self._sdk().BadRequestError:
            answer = client.messages.create(**request)
            # Only now is it known that the schema was in the way, and not something else.
            self._knows_schemas = False
            return answer

    def _completion(self, answer: Any) -> Completion:
        """The text of an answer; a server may send anything, so nothing is taken for granted."""
        if getattr(answer, "stop_reason", None) == "refusal":
            raise sdks.refusal(self._who)
        blocks = getattr(answer, "content", None)
        if not isinstance(blocks, list):
            raise sdks.bad_answer(self._who, "something that is not a message")
        texts = [block.text for block in blocks if getattr(block, "type", None) == "text"]
        text = "".join(part for part in texts if isinstance(part, str))
        if not text.strip():
            raise sdks.bad_answer(self._who, "no text", "allow more tokens, or use another model")
        usage = getattr(answer, "usage", None)
        return Completion(
            text,
            input_tokens=sum(_counted(usage, part) for part in _INPUT),
            output_tokens=_counted(usage, "output_tokens"),
        )


_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def _counted(usage: object, part: str) -> int:
    return sdks.as_tokens(getattr(usage, part, None))
