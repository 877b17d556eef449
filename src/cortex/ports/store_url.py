"""Where a store is: a URL whose scheme names the kind of store. It is never shown with its secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cortex.errors import InvalidRequest

if TYPE_CHECKING:
    from urllib.parse import SplitResult

SETTING = "store.url"
HIDDEN = "***"

_SCHEME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789+.-")
_SECRET_WORDS = ("pass", "secret", "token", "key", "cred")


class StoreUrl:
    """The URL of a store. As a text it has no password and no query; only a store that connects may `reveal` it."""

    __slots__ = ("_text", "scheme", "setting")

    def __init__(self, text: str, setting: str = SETTING) -> None:
        self._text = text.strip()
        self.setting = setting
        scheme, colon, _ = self._text.partition(":")
        self.scheme = scheme.lower()
        if not colon or not scheme[:1].isalpha() or not _SCHEME.issuperset(self.scheme):
            raise self.refusal("is not a URL", hint="begin with the name of a store and a colon: NAME://HOST/DATABASE")

    def reveal(self) -> str:
        """The whole URL, secrets included. Do not put it into a message, a log or an argument of a program."""
        return self._text

    def parts(self) -> SplitResult:
        """The parts of the URL, as they are written."""
        from urllib.parse import urlsplit

        try:
            return urlsplit(self._text)
        except ValueError:  # which would repeat a part of it
            raise self.refusal("is malformed", hint="percent-encode special characters in it") from None

    def refuse_query(self, *known: str) -> None:
        """Refuse parameters after the `?` that nobody reads, and whatever follows a `#`."""
        from urllib.parse import parse_qsl

        found = self.parts()
        names = [name for name, _ in parse_qsl(found.query, keep_blank_values=True)] or [""] * bool(found.query)
        if unknown := next((name for name in names if name not in known), None):
            raise self.refusal(f"has the unknown parameter {unknown[:40]!r}", hint=_possible(known))
        if found.fragment or "" in names:
            raise self.refusal("has more than an address", hint=_possible(known))

    def refusal(self, message: str, hint: str) -> InvalidRequest:
        """The error that this URL cannot be used."""
        return InvalidRequest(message, field=self.setting, hint=hint)

    def without_secrets(self, text: str) -> str:
        """`text`, such as a driver's message, with nothing in it that is secret in this URL."""
        hidden = text.replace(self._text, str(self))
        for secret in sorted(self._secrets(), key=len, reverse=True):
            hidden = hidden.replace(secret, HIDDEN)
        return hidden

    def _secrets(self) -> set[str]:
        from urllib.parse import parse_qsl, unquote

        user, _ = self._user_and_rest()
        raw = {user.partition(":")[2]} if user else set[str]()
        query = self._text.partition("?")[2].partition("#")[0]
        named = parse_qsl(query, keep_blank_values=True)
        raw |= {value for name, value in named if any(word in name.lower() for word in _SECRET_WORDS)}
        return {each for found in raw for each in (found, unquote(found))} - {""}

    def _user_and_rest(self) -> tuple[str, str]:
        """What stands before the last `@` of an address, and the rest: a password may hold any character."""
        address = self._text[len(self.scheme) + 1 :]
        has_host = address.startswith("//") and not address.startswith("///")
        if not has_host and address.startswith("/"):
            return "", address
        user, _, rest = address.removeprefix("//").rpartition("@")
        return user, rest

    def __str__(self) -> str:
        user, rest = self._user_and_rest()
        slashes = "//" if self._text[len(self.scheme) + 1 :].startswith("//") else ""
        slashes = "" if rest.startswith("//") else slashes
        name = _before_any(user, ":/?#")
        login = f"{name}:{HIDDEN}@" if len(name) < len(user) else f"{name}@" if user else ""
        address = _before_any(rest, "?#")
        return f"{self.scheme}:{slashes}{login}{address}" + ("?…" if len(address) < len(rest) else "")

    def __repr__(self) -> str:
        return f"StoreUrl({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StoreUrl) and other.reveal() == self._text

    def __hash__(self) -> int:
        return hash(self._text)


def _before_any(text: str, marks: str) -> str:
    return text[: min((at for mark in marks if (at := text.find(mark)) >= 0), default=len(text))]


def _possible(known: tuple[str, ...]) -> str:
    return f"known: {', '.join(known)}" if known else "this store takes no parameters"
