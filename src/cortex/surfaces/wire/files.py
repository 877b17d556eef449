"""The agent's files: index, search, and read cited lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import PurePath
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, Strict, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from cortex.services.files.files import Indexed
from cortex.services.files.indexed_files import FileChunks, FileInfo, FilePage, FileState
from cortex.services.files.transcript_sync import SyncedTranscripts
from cortex.surfaces.wire.fields import (
    AT,
    ID,
    AnyTrace,
    LaneName,
    ModeName,
    Moment,
    Next,
    ReceiptField,
    Share,
    Short,
    TrustName,
)
from cortex.surfaces.wire.model import ChatRequest, Json, Request, Response, example
from cortex.workspace.flow import Synced


class MemorySearchRequest(ChatRequest):
    """What to search for in the files."""

    query: str = Field(description="What to search for, in plain words.")
    max_results: int | None = Field(None, ge=1, le=100, description="How many results at most.")
    min_score: Share | None = Field(None, description="The minimum score of a result.")
    session: str | None = Field(None, description="The current session: in group chats, citations may be left out.")
    sources: list[Literal["memory", "sessions", "docs"]] | None = Field(
        None, min_length=1, description="Only these: notes, turns of sessions, or documents."
    )
    lexical_only: bool = Field(False, description="Compare words only: nothing is embedded.")
    deadline_ms: float | None = Field(
        None, ge=1, le=600_000, allow_inf_nan=False, description="What is not found by then is left out."
    )


class MemorySearchResponse(Response):
    """Matching lines, each with its file."""

    results: list[Json] = Field(description="Snippets with path, lines and score, best first.")
    provider: str | None = Field(description="The embedding provider.")
    model: str | None = Field(description="The embedding model.")
    fallback: Json | None = Field(description="Which backend replaced the chosen one, and why.")
    citations: str = Field(description="Whether results are cited: `on`, `off` or `auto`.")
    mode: ModeName = Field(description="What was compared: keywords, vectors or both.")
    backend: str = Field(description="The search backend: `builtin` or `qmd`.")
    stale: str | None = Field(description="Why the index may be out of date.")

    model_config = example({
        "results": [{"path": "memory/2026-01-05.md", "startLine": 3, "endLine": 9, "score": 0.71,
        "snippet": "The deploy key rotates on Mondays", "source": "memory", "provenance": {"originClass": "agent",
        "sessionKind": "unknown", "observedAt": 1_767_603_600_000}}], "provider": "local",
        "model": "e5-small-v2", "fallback": None, "citations": "auto", "mode": "hybrid", "backend": "builtin",
        "stale": None,
    })  # fmt: skip


class MemoryGetRequest(ChatRequest):
    """Which lines to read."""

    path: str = Field(
        min_length=1, description="A path from a search, such as `memory/2026-01-05.md` or `plan.md#L10-L15`."
    )
    start: int | None = Field(None, alias="from", ge=1, le=1_000_000_000, description="The first line, from 1.")
    lines: int | None = Field(None, ge=1, le=1_000_000_000, description="How many lines.")
    missing_ok: bool = Field(
        False, description="Answer `status: not_found` for a file that does not exist, instead of an error."
    )

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        return super().payload_of({"from" if name == "start" else name: value for name, value in arguments.items()})


class MemoryGetResponse(Response):
    """The lines of a file."""

    path: str
    text: str
    start: int = Field(alias="from", description="The first line, from 1.")
    lines: int = Field(description="The number of lines returned.")
    total: int = Field(description="The number of lines of the file.")
    note: str | None = Field(None, description="A note about the lines, if any.")
    status: Literal["ok", "not_found"] = Field("ok", description="Whether the file exists; see `missing_ok`.")

    model_config = example({"path": "MEMORY.md", "text": "# Rules\n- Use tabs", "from": 1, "lines": 2, "total": 2})


class StatusResponse(Response):
    """The status, as named values."""

    bare = "status"
    status: Json

    model_config = example({"version": "0.1.0", "agent": "main", "user": "default", "degraded": []})


class FilesStatusResponse(StatusResponse):
    """The status of the files."""

    model_config = example({"backend": "builtin", "files": 12, "chunks": 87, "reindexing": False})


class HostStatusResponse(StatusResponse):
    """The `MemoryProviderStatus` of hosts such as OpenClaw."""

    model_config = example({
        "backend": "builtin", "provider": "local", "model": "e5-small-v2-int8", "files": 12, "chunks": 87,
        "dirty": False, "sources": ["memory"], "fts": {"enabled": True, "available": True},
        "vector": {"enabled": True, "available": True, "dims": 384},
    })  # fmt: skip


class HostStatusRequest(ChatRequest):
    """A request without fields of its own, but for the chat."""

    model_config = example({})


FileStateName = Annotated[
    FileState, Strict(False), WithJsonSchema({"type": "string", "enum": [state.value for state in FileState]})
]
_FILE: Json = {
    "path": "memory/2026-01-05.md", "source": "", "lane": "notes", "scope": "personal", "state": "fresh", "size": 812,
    "modified_at": AT, "chunks": 2,
}  # fmt: skip


class IndexedFilesRequest(Request):
    """Which of the files."""

    contains: str = Field("", max_length=1_024, description="Only paths with this in them.")
    state: FileStateName | None = Field(None, description="Only files in this state.")
    after: str | None = Field(None, min_length=1, max_length=4_096, description="Continue after this path.")
    limit: int = Field(100, ge=1, le=1_000, description="How many at most.")


class FileFields(Response):
    """One file that is memory, or was."""

    result = FileInfo
    path: str = Field(description="What it is cited by.")
    source: str = Field(description="The name of its source; empty for the agent's own workspace.")
    lane: LaneName
    scope: str
    state: FileStateName = Field(
        description=(
            "fresh, changed (written since it was read), new (not indexed yet), unreadable, gone, or out_of_sight (it "
            "cannot be looked at now)."
        )
    )
    size: int
    modified_at: Moment | None = Field(description="When the indexed version was written.")
    chunks: int = Field(description="How many chunks it was cut into.")
    trouble: str = Field("", description="Why it could not be read.")


class IndexedFilesResponse(Response):
    """Files by path."""

    files: tuple[FileFields, ...]
    next: Next
    total: int = Field(description="How many match, on all pages.")

    model_config = example({"files": [_FILE], "next": None, "total": 1})

    @classmethod
    def of(cls, result: FilePage, request: Any = None) -> Self:  # noqa: ARG003
        return cls.model_validate({"files": tuple(result), "next": result.next, "total": result.total})

    def value(self) -> FilePage:
        return FilePage((each.value() for each in self.files), self.next, self.total)


class IndexedFileRequest(Request):
    """The file."""

    path: str = Field(min_length=1, max_length=4_096, description="Its path, as it is cited.")


class IndexedFileResponse(Response):
    """A file, and its chunks in the order of its lines."""

    file: FileFields
    chunks: tuple[AnyTrace, ...]

    model_config = example({"file": _FILE, "chunks": []})

    @classmethod
    def of(cls, result: FileChunks, request: Any = None) -> Self:  # noqa: ARG003
        return cls.model_validate({"file": result.file, "chunks": result.chunks})

    def value(self) -> FileChunks:
        return FileChunks(self.file.value(), self.chunks)  # type: ignore[arg-type]


class IndexRequest(Request):
    """Which files to index; without `path`, sync the indexed ones."""

    path: str | None = Field(None, description="The absolute path of a folder or file on the server.")
    force: bool = Field(False, description="Rebuild the index.")
    shape: Literal["tree", "workspace", "transcripts"] | None = Field(
        None, description="What the path is: a tree of notes, an agent's workspace, or session transcripts."
    )
    lane: LaneName | None = Field(None, description="The lane of its lines: notes or docs.")
    scope: Short | None = Field(None, description="The namespace.")
    trust: TrustName | None = Field(None, description="The trust tier of its lines.")
    name: Short | None = Field(None, description="The prefix of cited paths.")
    chunker: Literal["sections", "lines"] | None = Field(None, description="How files are split: by sections or lines.")
    summarize: bool | None = Field(
        None, description="Let a language model summarize each section; summaries are searched, never shown."
    )

    model_config = example({"force": False})
    _options: ClassVar[tuple[str, ...]] = ("shape", "lane", "scope", "trust", "name", "chunker", "summarize")

    @model_validator(mode="after")
    def _has_a_path(self) -> Self:
        if self.path is None:
            if given := next(iter(self.options()), None):
                raise PydanticCustomError("no_path", f"{given} needs a path", {"hint": "add a path"})
        elif len(PurePath(self.path).parts) < 2 or not PurePath(self.path).is_absolute():
            # A caller does not know the working directory of the server.
            raise PydanticCustomError("relative", "path is not absolute", {"hint": "use the full path"})
        return self

    def options(self) -> dict[str, Any]:
        """The arguments of `Files.add`."""
        return {name: value for name in self._options if (value := getattr(self, name)) is not None}

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        options = arguments.get("options", {})
        skipped = {"options", "progress"}
        return super().payload_of({name: each for name, each in arguments.items() if name not in skipped} | options)


class IndexResponse(Response):
    """What was synced from files and transcripts; unreadable files are listed with the reason."""

    synced: Json
    transcripts: Json
    receipt: ReceiptField

    model_config = example({
        "synced": {"full": "", "seen": 12, "added": 1, "changed": 0, "removed": 0, "chunks": 7, "problems": []},
        "transcripts": {"transcripts": 0, "grown": 0, "turns": 0, "unreadable": 0, "problems": []},
        "receipt": {"id": ID, "op": "index"},
    })  # fmt: skip

    @classmethod
    def of(cls, result: Indexed, request: Any = None) -> Self:  # noqa: ARG003
        return cls(synced=asdict(result.synced), transcripts=asdict(result.transcripts), receipt=result.receipt)

    def value(self) -> Indexed:
        def typed(part: Json) -> dict[str, Any]:
            return {**part, "problems": [(path, why) for path, why in part["problems"]]}

        return Indexed(Synced(**typed(self.synced)), SyncedTranscripts(**typed(self.transcripts)), self.receipt)
