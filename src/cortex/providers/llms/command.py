"""Any program on this machine that reads a prompt from stdin and prints an answer: a coding agent, `llm`, `ollama`.

The program starts without a shell, in an empty folder and in a process group of its own, which ends with it. A variable
in its environment tells `cortex hook` to do nothing, so a coding agent that Cortex starts never recalls or captures.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import threading
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from tempfile import TemporaryDirectory
from typing import IO, Any

from cortex.domain.small_talk import OWN_REQUEST
from cortex.errors import EngineError, InvalidRequest, LlmReason, LlmUnavailable, ProviderMissing, full_disk
from cortex.ports.llm import Completion
from cortex.providers.llms import sdks
from cortex.runtime.pool import begin

OPTIONS = ("command", "model")
MAX_OUTPUT_BYTES = 1 << 20
_MAX_COMPLAINT_BYTES = 16 << 10
_BLOCK = 64 << 10
_REAP_SECONDS = 1.0
_FIELD = f"{sdks.SECTION}.command"

_ESCAPES = re.compile(r"\x1b\[[0-9;?]{0,16}[A-Za-z]")
_NOT_FOUND = frozenset({126, 127})
# What programs say where they fail; read to tell the sort of failure, and never repeated.
_SIGNS: tuple[tuple[LlmReason, re.Pattern[str]], ...] = (
    ("rate_limited", re.compile(r"rate.?limit|usage limit|quota|too many requests|\b429\b", re.IGNORECASE)),
    ("auth", re.compile(r"log ?in\b|sign in|api.?key|unauthori|credential|authenticat|\b401\b", re.IGNORECASE)),
)

Environment = Callable[[], Mapping[str, str]]
"""The environment of a program that Cortex starts, which only the settings read."""


@dataclass(frozen=True, slots=True)
class Preset:
    """How a known program is called, how its model is named, and where it comes from."""

    arguments: tuple[str, ...]
    model_option: str | None
    """The option before the name of a model; None where the name stands alone, and is needed."""
    install: str

    def command(self, model: str | None) -> tuple[str, ...]:
        if model is None:
            return self.arguments
        chosen = (model,) if self.model_option is None else (self.model_option, model)
        # After the program and its verb: what ends a command may stand for stdin.
        return (*self.arguments[:2], *chosen, *self.arguments[2:])


PRESETS: Mapping[str, Preset] = {
    # What it reads was written by others, so it gets no tools and no servers; and it keeps no transcript.
    "claude": Preset(
        ("claude", "-p", "--tools", "", "--strict-mcp-config", "--no-session-persistence"),
        "--model",
        "install Claude Code: `npm install -g @anthropic-ai/claude-code`",
    ),
    "codex": Preset(
        ("codex", "exec", "--sandbox", "read-only", "--skip-git-repo-check", "--ephemeral", "-"),
        "--model",
        "install Codex: `npm install -g @openai/codex`",
    ),
    "gemini": Preset(("gemini",), "--model", "install Gemini CLI: `npm install -g @google/gemini-cli`"),
    "llm": Preset(("llm", "--no-log"), "--model", "install llm: `pipx install llm`"),
    "ollama": Preset(("ollama", "run"), None, "install Ollama from https://ollama.com/download"),
}


def create(options: Mapping[str, Any], timeout: float, environment: Environment) -> CommandLLM:
    """The program of `command`: a list of arguments, or the name of a preset with an optional `model`."""
    sdks.known_options(options, OPTIONS, "command")
    model = sdks.text_option(options, "model")
    if model is not None and model.startswith("-"):
        raise InvalidRequest("begins with a dash", field=f"{sdks.SECTION}.model", hint="give the name of a model")
    given = options.get("command")
    if isinstance(given, str):
        return _by_preset(given, model, timeout, environment)
    if not isinstance(given, list | tuple) or not given or not all(map(_is_argument, given)):
        raise InvalidRequest("is not a command", field=_FIELD, hint=_USAGE)
    if model is not None:
        raise InvalidRequest("needs a preset", field=f"{sdks.SECTION}.model", hint="write it into the command")
    return CommandLLM(tuple(given), timeout, environment)


_USAGE = f'give one of {", ".join(PRESETS)}, or a list such as ["my-program", "--flag"]'


def _by_preset(name: str, model: str | None, timeout: float, environment: Environment) -> CommandLLM:
    preset = PRESETS.get(name)
    if preset is None:
        raise InvalidRequest(f"{name!r} is not a program that is known", field=_FIELD, hint=_USAGE)
    if model is None and preset.model_option is None:
        raise InvalidRequest("is missing", field=f"{sdks.SECTION}.model", hint=f"name the model that {name} runs")
    label = name if model is None else f"{name}:{model}"
    return CommandLLM(preset.command(model), timeout, environment, label=label, install=preset.install)


def _is_argument(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value


class CommandLLM:
    """Asks a program. It is ended, with all it started, when it answers, takes too long or says too much."""

    def __init__(
        self, command: tuple[str, ...], timeout: float, environment: Environment, *, label: str = "", install: str = ""
    ) -> None:
        self._command = command
        self._timeout = timeout
        self._environment = environment
        self._who = os.path.basename(command[0])
        self._label = label or self._who
        self._install = install or f"install {self._who}, or give its whole path"
        self._closed = threading.Event()
        self._running: set[_Run] = set()
        # Also at the end of the process: a program in a group of its own would outlive it.
        weakref.finalize(self, _end_all, self._running)

    @property
    def name(self) -> str:
        return f"command/{self._label}"

    def complete(
        self,
        *,
        system: str,
        prompt: str,
        max_tokens: int,  # noqa: ARG002 - programs take no such limit; what they print is bounded
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002 - the prompt says it in words
    ) -> Completion:
        request = f"{OWN_REQUEST}\n{system}\n\n{prompt}\n".encode("utf-8", "replace")
        try:
            with TemporaryDirectory(prefix="cortex-llm-", ignore_cleanup_errors=True) as empty:
                run = self._started(empty)
                try:
                    code = run.finished(request, self._timeout)
                finally:
                    self._running.discard(run)
        except subprocess.TimeoutExpired:
            raise LlmUnavailable(
                f"{self._who} did not answer in time", hint="raise llm.timeout_ms", reason="timeout"
            ) from None
        return Completion(self._answer(code, run))

    def trouble(self, *, thorough: bool = False) -> EngineError | None:  # noqa: ARG002 - there is nothing to load
        return self._missing() if self._program() is None else None

    def close(self) -> None:
        """End what runs; no more calls are taken."""
        self._closed.set()
        _end_all(self._running)

    def _program(self) -> str | None:
        found = shutil.which(os.path.expanduser(self._command[0]))
        return os.path.abspath(found) if found else None

    def _missing(self) -> ProviderMissing:
        return ProviderMissing(f"the program {self._who} is not on this machine's path", hint=self._install)

    def _started(self, folder: str) -> _Run:
        program = self._program()
        if program is None:
            raise self._missing()
        if self._closed.is_set():
            raise LlmUnavailable(f"{self._who} is not called any more: the engine was closed")
        try:
            process = subprocess.Popen(
                [program, *self._command[1:]],
                cwd=folder,
                env={**self._environment(), "PWD": folder},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise full_disk(error) or ProviderMissing(
                f"{self._who} cannot be started: {error.strerror or type(error).__name__}", hint=self._install
            ) from error
        run = _Run(process)
        self._running.add(run)
        return run

    def _answer(self, code: int, run: _Run) -> str:
        if run.said_too_much:
            raise _bad_answer(f"{self._who} said more than {MAX_OUTPUT_BYTES:,} bytes")
        if self._closed.is_set() and code < 0:
            raise LlmUnavailable(f"{self._who} was ended, because the engine was closed")
        if code != 0:
            raise self._failure(code, run)
        try:
            text = sdks.without_thoughts(_ESCAPES.sub("", run.said.decode("utf-8")))
        except UnicodeDecodeError:
            raise _bad_answer(f"{self._who} answered something that is not text") from None
        if not text.strip() or "\0" in text:
            raise _bad_answer(f"{self._who} answered no text")
        return text

    def _failure(self, code: int, run: _Run) -> EngineError:
        """What an exit code means. What the program said is only looked at: it may repeat the prompt."""
        if code in _NOT_FOUND:
            return self._missing()
        if code < 0:
            return LlmUnavailable(f"{self._who} was ended by signal {-code}", hint=f"run {self._who} once by hand")
        spoken = (run.complaint + b"\n" + run.said[-_MAX_COMPLAINT_BYTES:]).decode("utf-8", "replace")
        reason: LlmReason = next((reason for reason, sign in _SIGNS if sign.search(spoken)), "unavailable")
        hint = {"auth": f"log in to {self._who}", "rate_limited": "wait, or lower llm.calls_per_hour"}.get(
            reason, f"run {self._who} once by hand to see what it says"
        )
        return LlmUnavailable(f"{self._who} ended with exit code {code}", hint=hint, reason=reason)


def _bad_answer(message: str) -> LlmUnavailable:
    return LlmUnavailable(message, hint="check llm.options.command: it must print the answer", reason="bad_answer")


class _Run:
    """One run of a program: fed, read and ended."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.said = bytearray()
        self.complaint = bytearray()
        self.said_too_much = False

    def finished(self, request: bytes, seconds: float) -> int:
        """The exit code. Whatever the program left behind in its group is ended before this returns or raises."""
        work = (partial(self._feed, request), self._read, self._read_complaint)
        threads = [begin(each, "cortex-llm-command") for each in work]
        try:
            return self._process.wait(seconds)
        finally:
            self.end()
            for thread in threads:
                thread.join(_REAP_SECONDS)

    def end(self) -> None:
        """End the program and all it started."""
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_REAP_SECONDS)

    def _feed(self, request: bytes) -> None:
        assert self._process.stdin is not None
        # A program that reads nothing may still answer.
        with suppress(OSError, ValueError), self._process.stdin as pipe:
            pipe.write(request)

    def _read(self) -> None:
        for block in _blocks(self._process.stdout):
            self.said += block
            if len(self.said) > MAX_OUTPUT_BYTES:
                self.said_too_much = True
                self.end()
                return

    def _read_complaint(self) -> None:
        for block in _blocks(self._process.stderr):
            self.complaint += block
            del self.complaint[:-_MAX_COMPLAINT_BYTES]


def _blocks(pipe: IO[bytes] | None) -> Any:
    assert pipe is not None
    with suppress(OSError, ValueError), pipe:
        while block := os.read(pipe.fileno(), _BLOCK):
            yield block


def _end_all(running: set[_Run]) -> None:
    for run in tuple(running):
        run.end()
