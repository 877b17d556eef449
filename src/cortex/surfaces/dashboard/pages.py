"""The files of the dashboard. They contain no memories, so they need no token."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

router = APIRouter()

PAGE = "index.html"
MEDIA_TYPES: Mapping[str, str] = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    # Revalidated each time, mostly with 304: scripts of two versions are never mixed.
    "Cache-Control": "no-cache",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file with its headers."""

    content: bytes
    media_type: str
    etag: str

    @classmethod
    def of(cls, name: str, content: bytes) -> Asset:
        tag = hashlib.sha256(content).hexdigest()[:20]
        return cls(content, MEDIA_TYPES[name.rpartition(".")[2]], f'"{tag}"')

    def response(self, request: Request) -> Response:
        headers = {**HEADERS, "ETag": self.etag}
        if self.etag in _tags(request.headers.get("if-none-match", "")):
            return Response(status_code=304, headers=headers)
        return Response(self.content, headers=headers, media_type=self.media_type)


@router.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
async def page(request: Request) -> Response:
    """The page."""
    return assets()[PAGE].response(request)


@router.api_route("/assets/{name:path}", methods=["GET", "HEAD"], include_in_schema=False)
async def asset(name: str, request: Request) -> Response:
    """A script, a style or the icon. Only files found in the package are served."""
    found = assets().get(name)
    if found is None:
        raise HTTPException(404, "no such file")
    return found.response(request)


@cache
def assets() -> Mapping[str, Asset]:
    """All files of the dashboard by name, read once."""
    return {name: Asset.of(name, file.read_bytes()) for name, file in _found(files(__package__) / "static")}


def _found(folder: Traversable, above: str = "") -> Iterator[tuple[str, Traversable]]:
    for each in sorted(folder.iterdir(), key=lambda entry: entry.name):
        name = f"{above}{each.name}"
        if each.is_dir():
            yield from _found(each, f"{name}/")
        elif each.name.rpartition(".")[2] in MEDIA_TYPES:
            yield name, each


def _tags(given: str) -> set[str]:
    return {tag.strip().removeprefix("W/") for tag in given.split(",")}
