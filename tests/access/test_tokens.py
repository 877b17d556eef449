"""Tokens (DESIGN 5): shown once, hashed at rest, refused at once when they are over, and never granted in doubt."""

from __future__ import annotations

import base64
import fcntl
import hmac
import json
import logging
import os
import shutil
import signal
import stat
import string
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import tokens_process
from hypothesis import given
from hypothesis import strategies as st

from cortex.access import AccessToken, Right, Tokens
from cortex.clock import SystemClock
from cortex.domain.scope import Tenant
from cortex.errors import (
    Conflict,
    InvalidRequest,
    NotFound,
    StoreBusy,
    StoreCorrupt,
    StoreTooNew,
    StoreUnavailable,
)
from cortex.ports.clock import Clock
from cortex.ports.documents import TOKENS
from cortex.stores.file_documents import FileDocuments
from cortex.surfaces.cli import app
from cortex.testing import FakeClock
from document_places import PLACES, body_of, delete, documents_at, overwrite
from forking import PIPE, Forked

ANA = Tenant("scribe", "Ana")
BEN = Tenant("scribe", "Ben")
URL_SAFE = string.ascii_letters + string.digits + "-_"


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A home with its files, or a database that hosts share."""
    return tmp_path / ("home" if request.param == "files" else f"home/{request.param}")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "tokens.json"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def tokens(place: Path, clock: FakeClock) -> Tokens:
    return opened(place, clock)


@pytest.fixture
def in_file(path: Path, clock: FakeClock) -> Tokens:
    return opened(path.parent, clock)


def opened(place: Path, clock: Clock, entropy: Callable[[int], bytes] = os.urandom) -> Tokens:
    """The tokens of a place, as another process or host would open them."""
    return Tokens(documents_at(place, clock), clock, entropy)


def started(deed: str, place: Path, argument: object) -> Forked:
    """A process of its own that does something to the tokens of a place."""
    return Forked([tokens_process.__file__, deed, place, str(argument)], stdout=PIPE, stderr=PIPE)


def done(process: Forked) -> tuple[int, list[str], str]:
    """How the process ended: its exit code, the lines it said, and what it complained of."""
    out, err = process.communicate(timeout=60)
    return process.returncode, out.splitlines(), err


def beside(path: Path) -> str:
    """What is in the folder of the tokens, by name."""
    return " ".join(sorted(each.name for each in path.parent.iterdir()))


# --- made and checked -------------------------------------------------------------------------------------------------


def test_a_token_is_known_by_its_secret(tokens: Tokens, clock: FakeClock) -> None:
    secret, token = tokens.create(ANA, [Right.READ], label="phone", expires_in=timedelta(days=30))
    assert tokens.check(secret) == token
    assert (token.tenant, token.rights, token.label) == (ANA, {Right.READ}, "phone")
    assert (token.created_at, token.expires_at) == (clock.now(), clock.now() + timedelta(days=30))
    assert token.revoked_at is None


def test_a_secret_says_which_token_it_is_and_has_32_random_bytes(place: Path, clock: FakeClock) -> None:
    calls: list[int] = []

    def entropy(number: int) -> bytes:
        calls.append(number)
        return bytes(range(number))

    secret, token = opened(place, clock, entropy).create(ANA, [Right.READ])
    assert secret == f"ctx_{token.id}_{base64.urlsafe_b64encode(bytes(range(32))).decode().rstrip('=')}"
    assert len(secret.split("_", 2)[2]) == 43
    assert sorted(calls) == [6, 32]


def test_two_tokens_differ_in_everything_that_was_drawn(tokens: Tokens) -> None:
    secrets = {tokens.create(ANA, [Right.READ])[0] for _ in range(20)}
    assert len({secret.split("_", 2)[1] for secret in secrets}) == 20
    assert len({secret.split("_", 2)[2] for secret in secrets}) == 20


def test_an_id_that_is_taken_is_never_overwritten(place: Path, clock: FakeClock) -> None:
    same = opened(place, clock, lambda number: b"\7" * number)
    secret, token = same.create(ANA, [Right.READ])
    with pytest.raises(Conflict):
        same.create(BEN, [Right.ADMIN])
    assert same.check(secret) == token
    assert same.all() == [token]


@pytest.mark.parametrize(
    ("given_rights", "allowed"),
    [
        ([Right.READ], {Right.READ}),
        ([Right.WRITE], {Right.READ, Right.WRITE}),
        ([Right.ADMIN], {Right.READ, Right.WRITE, Right.HOST, Right.ADMIN}),
        ([Right.READ, Right.ADMIN], {Right.READ, Right.WRITE, Right.HOST, Right.ADMIN}),
    ],
)
def test_a_right_includes_the_lesser_ones(tokens: Tokens, given_rights: list[Right], allowed: set[Right]) -> None:
    secret, token = tokens.create(ANA, given_rights)
    checked = tokens.check(secret)
    assert checked is not None
    assert token.rights == checked.rights == allowed


def test_a_token_stands_for_its_own_tenant_alone(tokens: Tokens) -> None:
    """Two tenants' tokens are never swapped, also where one carries the id of the other."""
    of_ana, ana = tokens.create(ANA, [Right.READ])
    of_ben, ben = tokens.create(BEN, [Right.READ])
    assert [tokens.check(of_ana), tokens.check(of_ben)] == [ana, ben]
    assert tokens.check(of_ana.replace(ana.id, ben.id)) is None
    assert tokens.check(of_ben.replace(ben.id, ana.id)) is None


RIGHTS = st.sets(st.sampled_from(list(Right)), min_size=1)
LABELS = st.text(st.characters(categories=("L", "N", "P", "S")), max_size=40)
USERS = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=40)
AGENTS = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,63}", fullmatch=True)
SPANS = st.none() | st.timedeltas(timedelta(seconds=1), timedelta(days=36_500))


@given(agent=AGENTS, user=USERS, rights=RIGHTS, label=LABELS, span=SPANS)
def test_whatever_was_made_is_what_another_process_would_check(
    place: Path, agent: str, user: str, rights: set[Right], label: str, span: timedelta | None
) -> None:
    secret, token = opened(place, FakeClock()).create(Tenant(agent, user), rights, label=label, expires_in=span)
    assert opened(place, FakeClock()).check(secret) == token
    assert (token.agent, token.user, token.label) == (agent, user, label)
    assert rights <= token.rights


@given(data=st.data())
def test_any_mutation_of_a_secret_is_refused(place: Path, data: st.DataObject) -> None:
    tokens = opened(place, FakeClock())
    secret, token = tokens.create(ANA, [Right.ADMIN])
    at = data.draw(st.integers(0, len(secret)))
    cut = data.draw(st.integers(0, 3))
    put = data.draw(st.text(st.sampled_from(URL_SAFE) | st.characters(), max_size=3))
    mutated = secret[:at] + put + secret[at + cut :]
    assert tokens.check(mutated) == (token if mutated == secret else None)


def test_the_last_character_counts_with_all_its_bits(tokens: Tokens) -> None:
    """43 characters hold two bits more than 32 bytes have: texts that stand for the same bytes are other secrets."""
    secret, token = tokens.create(ANA, [Right.READ])
    assert [last for last in URL_SAFE if tokens.check(secret[:-1] + last)] == [secret[-1]]
    assert tokens.check(secret) == token


@pytest.mark.parametrize(
    "malformed",
    ["", " ", "ctx_", "ctx__", "ctx_0123456789ab", "ctx_0123456789ab_", "Bearer x", "\0", "\ud800", "ü" * 60,
     "x" * 10**6, "ctx_0123456789ab_" + "ü" * 43, "ctx_" + "٠" * 12 + "_" + "a" * 43],
)  # fmt: skip
def test_what_is_no_secret_at_all_is_refused(tokens: Tokens, malformed: str) -> None:
    tokens.create(ANA, [Right.READ])
    assert tokens.check(malformed) is None


@pytest.mark.parametrize("around", ["{} ", " {}", "{}\n", "{}=", "Bearer {}", "{}\0", "{0}{0}"])
def test_a_secret_is_taken_as_it_is_or_not_at_all(tokens: Tokens, around: str) -> None:
    secret, _ = tokens.create(ANA, [Right.READ])
    assert tokens.check(around.format(secret)) is None


def test_every_check_makes_one_comparison_in_constant_time(tokens: Tokens, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unknown, wrong, malformed, revoked or right: the work is the same, on digests of the same length."""
    secret, token = tokens.create(ANA, [Right.READ])
    revoked, of_revoked = tokens.create(ANA, [Right.READ])
    tokens.revoke(of_revoked.id)
    compared: list[tuple[int, int]] = []

    def comparing(one: bytes, other: bytes) -> bool:
        compared.append((len(one), len(other)))
        return one == other

    monkeypatch.setattr(hmac, "compare_digest", comparing)
    wrong = f"ctx_{token.id}_{'A' * 43}"
    given_secrets = [secret, revoked, wrong, wrong.replace(token.id, "0" * 12), "malformed", ""]
    assert [tokens.check(each) for each in given_secrets] == [token, None, None, None, None, None]
    assert compared == [(32, 32)] * len(given_secrets)


# --- over -------------------------------------------------------------------------------------------------------------


def test_a_revoked_token_is_refused_at_once_and_still_listed(tokens: Tokens, clock: FakeClock) -> None:
    secret, token = tokens.create(ANA, [Right.READ])
    kept, other = tokens.create(ANA, [Right.READ])
    clock.advance(60)
    revoked = tokens.revoke(token.id)
    assert revoked.revoked_at == clock.now()
    assert tokens.check(secret) is None
    assert tokens.check(kept) == other
    assert {each.id: each.state(clock.now()) for each in tokens.all()} == {token.id: "revoked", other.id: "active"}


def test_revoking_again_changes_nothing(tokens: Tokens, place: Path, clock: FakeClock) -> None:
    _, token = tokens.create(ANA, [Right.READ])
    first = tokens.revoke(token.id)
    before = documents_at(place).version(TOKENS)
    clock.advance(60)
    assert tokens.revoke(token.id) == first
    assert documents_at(place).version(TOKENS) == before


def test_a_token_is_good_until_the_moment_it_expires(tokens: Tokens, clock: FakeClock) -> None:
    secret, token = tokens.create(ANA, [Right.READ], expires_in=timedelta(hours=1))
    clock.advance(timedelta(hours=1) - timedelta(microseconds=1))
    assert tokens.check(secret) == token
    clock.advance(timedelta(microseconds=1))
    assert tokens.check(secret) is None
    assert token.state(clock.now()) == "expired"


def test_a_secret_names_its_token_to_whoever_found_it_and_wants_it_revoked(tokens: Tokens) -> None:
    secret, token = tokens.create(ANA, [Right.READ])
    assert tokens.revoke(secret).id == token.id
    assert tokens.check(secret) is None


def test_an_unknown_id_is_named_and_most_of_a_secret_is_not(tokens: Tokens) -> None:
    secret, _ = tokens.create(ANA, [Right.READ])
    with pytest.raises(NotFound, match="no token 000000000000"):
        tokens.revoke("0" * 12)
    for near in (secret[:-1], secret + "x", secret[4:], "", "../x", secret.upper()):
        with pytest.raises(NotFound, match="not the id of a token") as refused:
            tokens.revoke(near)
        assert secret[20:50] not in str(refused.value)
    assert tokens.check(secret) is not None


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["", "../up", "Scribe", "a" * 65])
def test_a_tenant_that_cannot_be_gets_no_token(tokens: Tokens, place: Path, agent: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        tokens.create(Tenant(agent), [Right.READ])
    assert refused.value.field == "agent"
    assert not place.exists()


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"rights": []}, "rights"),
        ({"rights": ["root"]}, "rights"),
        ({"label": "x" * 257}, "label"),
        ({"label": "two\nlines"}, "label"),
        ({"label": "\x1b[31m"}, "label"),
        ({"label": "\ud800"}, "label"),
        ({"label": "  "}, "label"),
        ({"expires_in": timedelta(0)}, "expires_in"),
        ({"expires_in": timedelta(days=-1)}, "expires_in"),
        ({"expires_in": timedelta.max}, "expires_in"),
        ({"expires_in": datetime(9999, 6, 1, tzinfo=UTC) - FakeClock().now()}, "expires_in"),
    ],
)
def test_a_token_that_cannot_be_is_refused_before_anything_is_written(
    tokens: Tokens, place: Path, options: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        tokens.create(ANA, **({"rights": [Right.READ]} | options))
    assert (refused.value.field, bool(refused.value.hint)) == (field, True)
    assert not place.exists()


def test_a_token_cannot_be_made_up_without_a_right_or_a_tenant() -> None:
    fields: dict[str, Any] = {
        "id": "0" * 12, "agent": "scribe", "user": "Ana", "rights": frozenset({Right.ADMIN}), "label": "",
        "created_at": datetime(2026, 1, 5, tzinfo=UTC), "expires_at": None, "revoked_at": None,
    }  # fmt: skip
    assert Right.READ in AccessToken(**fields).rights
    for wrong in ({"id": "x"}, {"agent": ""}, {"user": ""}, {"rights": frozenset()}):
        with pytest.raises(InvalidRequest):
            AccessToken(**(fields | wrong))


def multiplied(place: Path, number: int) -> None:
    """Let there be so many tokens, all like the first but for their ids."""
    payload = json.loads(body_of(place, TOKENS))
    payload["tokens"] += [payload["tokens"][0] | {"id": f"{each:012x}"} for each in range(number - 1)]
    overwrite(place, TOKENS, json.dumps(payload))


@pytest.mark.slow
def test_there_are_at_most_ten_thousand_and_one_that_is_over_makes_room(tokens: Tokens, place: Path) -> None:
    secret, token = tokens.create(ANA, [Right.READ])
    multiplied(place, 10_000)
    with pytest.raises(InvalidRequest, match="10,000") as refused:
        tokens.create(BEN, [Right.READ])
    assert "revoke" in refused.value.hint
    assert len(tokens.all()) == 10_000
    tokens.revoke("0" * 12)
    fresh, made = tokens.create(BEN, [Right.READ])
    ids = {each.id for each in tokens.all()}
    assert (len(ids), "0" * 12 in ids) == (10_000, False)
    assert [tokens.check(fresh), tokens.check(secret)] == [made, token]


# --- the file ---------------------------------------------------------------------------------------------------------


def test_the_file_and_its_folder_are_for_their_owner_alone(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "new" / "home" / "tokens.json"
    before = os.umask(0)
    try:
        opened(path.parent, clock).create(ANA, [Right.READ])
        opened(path.parent, clock).create(ANA, [Right.READ])
    finally:
        os.umask(before)
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()}
    assert modes == {"auth-required": 0o600, "tokens.json": 0o600, "tokens.json.lock": 0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700


def test_no_secret_is_kept_logged_or_shown(tokens: Tokens, place: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    secret, token = tokens.create(ANA, [Right.READ], label="phone")
    random_part = secret.split("_", 2)[2]
    digest = json.loads(body_of(place, TOKENS))["tokens"][0]["sha256"]
    tokens.check(secret)
    tokens.check(secret[:-1])
    shown = f"{tokens!r} {vars(tokens)!r} {token!r} {tokens.all()!r} {token.to_json()!r} {caplog.text}"
    assert token.id in shown
    assert random_part not in shown + body_of(place, TOKENS)
    assert digest not in shown
    assert repr(bytes.fromhex(digest)) not in shown


def test_asking_makes_nothing(in_file: Tokens, path: Path) -> None:
    assert in_file.check(f"ctx_{'0' * 12}_{'A' * 43}") is None
    assert in_file.all() == []
    assert not path.parent.exists()


def entry(change: Callable[[dict[str, Any]], Any]) -> Callable[[str], str]:
    """The file with its one token changed."""

    def changed(content: str) -> str:
        payload = json.loads(content)
        change(payload["tokens"][0])
        return json.dumps(payload)

    return changed


def put(**values: Any) -> Callable[[str], str]:
    return entry(lambda found: found.update(values))


DAMAGE: dict[str, Callable[[str], str]] = {
    "empty": lambda _: "",
    "cut off": lambda content: content[: len(content) // 2],
    "not JSON": lambda content: content + "}",
    "no object": lambda _: "[]",
    "nothing": lambda _: "null",
    "no tokens": lambda _: '{"version": 1}',
    "no version": lambda content: content.replace('"version"', '"revision"'),
    "an unknown version": lambda content: content.replace('"version": 1', '"version": "1"'),
    "an old version": lambda content: content.replace('"version": 1', '"version": 0'),
    "too deep": lambda _: "[" * 100_000,
    "zeros": lambda content: "\0" * len(content),
    "tokens by name": lambda content: json.dumps({"version": 1, "tokens": {"a": json.loads(content)["tokens"][0]}}),
    "one id twice": lambda content: json.dumps({"version": 1, "tokens": json.loads(content)["tokens"] * 2}),
    "a limit nobody knows": put(only_from="127.0.0.1"),
    "no rights": put(rights=[]),
    "unknown rights": put(rights=["root"]),
    "a digest among the rights": entry(lambda found: found.update(rights=[found["sha256"]])),
    "rights of another sort": put(rights=[["admin"]]),
    "no end": entry(lambda found: found.pop("expires_at")),
    "an empty end": put(expires_at=""),
    "an end in numbers": put(expires_at=0),
    "an end that is none": put(expires_at=False),
    "an end beyond all time": put(expires_at="9999-12-31T23:59:59-12:00"),
    "an empty revocation": put(revoked_at=""),
    "no beginning": put(created_at=None),
    "an id of another sort": put(id="../../x"),
    "an id in numbers": put(id=7),
    "an agent that cannot be": put(agent="../x"),
    "no user": put(user=None),
    "no label": put(label=None),
    "a label of another sort": put(label=0),
    "a short digest": put(sha256="00"),
    "no digest": put(sha256=None),
    "an empty digest": put(sha256=""),
    "a digest in other letters": put(sha256="z" * 64),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_lets_nobody_in_and_is_left_to_be_mended(
    tokens: Tokens, place: Path, clock: FakeClock, damage: Callable[[str], str]
) -> None:
    secret, token = tokens.create(ANA, [Right.ADMIN])
    assert tokens.check(secret) == token
    good = body_of(place, TOKENS)
    digest = json.loads(good)["tokens"][0]["sha256"]
    overwrite(place, TOKENS, bad := damage(good))
    assert bad != good
    calls: list[Callable[[], object]] = [
        lambda: tokens.check(secret),
        lambda: opened(place, clock).check(secret),
        lambda: tokens.check("malformed"),
        tokens.all,
        lambda: tokens.create(BEN, [Right.READ]),
        lambda: tokens.revoke(token.id),
    ]
    for ask in calls:
        with pytest.raises(StoreCorrupt) as refused:
            ask()
        assert documents_at(place).where(TOKENS) in refused.value.message
        assert "cortex admin tokens create" in refused.value.hint
        printed = "".join(traceback.format_exception(refused.value))
        assert digest not in printed
        assert secret[20:] not in printed
    assert body_of(place, TOKENS) == bad
    overwrite(place, TOKENS, good)
    assert tokens.check(secret) == token


def test_a_file_of_a_newer_cortex_lets_nobody_in(tokens: Tokens, place: Path) -> None:
    secret, _ = tokens.create(ANA, [Right.READ])
    overwrite(place, TOKENS, body_of(place, TOKENS).replace('"version": 1', '"version": 2'))
    with pytest.raises(StoreTooNew, match="newer"):
        tokens.check(secret)


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_lets_nobody_in(in_file: Tokens, path: Path, mode: int) -> None:
    secret, token = in_file.create(ANA, [Right.READ])
    assert in_file.check(secret) == token
    path.chmod(mode)
    for ask in (lambda: in_file.check(secret), lambda: in_file.create(ANA, [Right.READ])):
        with pytest.raises(StoreUnavailable) as refused:
            ask()
        assert f"chmod 600 {path}" in refused.value.hint
    path.chmod(0o600)
    assert in_file.check(secret) == token


def test_a_pipe_in_the_place_of_the_file_is_not_waited_for(in_file: Tokens, path: Path) -> None:
    path.parent.mkdir()
    os.mkfifo(path, 0o600)
    with pytest.raises(StoreCorrupt):
        in_file.check("x")


def test_a_folder_in_the_place_of_the_file_is_told_and_costs_no_descriptors(in_file: Tokens, path: Path) -> None:
    path.mkdir(parents=True)
    for _ in range(3):
        with pytest.raises(StoreUnavailable, match="Is a directory"):
            in_file.check("x")
    probe = os.open(os.devnull, os.O_RDONLY)
    os.close(probe)
    with pytest.raises(StoreUnavailable):
        in_file.check("x")
    again = os.open(os.devnull, os.O_RDONLY)
    os.close(again)
    assert again == probe


def test_a_home_that_cannot_be_made_is_told(tmp_path: Path, clock: FakeClock) -> None:
    (tmp_path / "file").write_text("")
    tokens = opened(tmp_path / "file", clock)
    for ask in (lambda: tokens.create(ANA, [Right.READ]), tokens.all):
        with pytest.raises(StoreUnavailable, match="Not a directory"):
            ask()


def test_a_file_that_was_removed_lets_nobody_in(tokens: Tokens, place: Path) -> None:
    secret, _ = tokens.create(ANA, [Right.READ])
    delete(place, TOKENS)
    assert tokens.check(secret) is None


def test_a_file_that_was_removed_is_missed_by_whoever_looks(tokens: Tokens, place: Path, clock: FakeClock) -> None:
    """Else its absence would be taken for a home that never had a token, which everybody on this machine may use."""
    assert tokens.missing() is None
    tokens.create(ANA, [Right.READ])
    assert tokens.missing() is None
    delete(place, TOKENS)
    for each in (tokens, opened(place, clock)):
        gone = each.missing()
        assert gone is not None
        assert "tokens.json is missing" in gone.message
        assert "`cortex admin tokens create`" in gone.hint
        assert "`cortex admin tokens clear`" in gone.hint


def test_neither_what_is_named_after_the_tokens_nor_a_copy_without_them_opens_the_door(
    in_file: Tokens, path: Path, tmp_path: Path, clock: FakeClock
) -> None:
    in_file.create(ANA, [Right.READ])
    for each in path.parent.glob("token*"):
        each.unlink()
    assert in_file.missing()
    copy = shutil.copytree(path.parent, tmp_path / "copy")
    assert opened(copy, clock).missing()


def test_a_new_token_is_made_where_the_file_is_missing(tokens: Tokens, place: Path) -> None:
    lost, _ = tokens.create(ANA, [Right.READ])
    delete(place, TOKENS)
    secret, token = tokens.create(ANA, [Right.READ])
    assert tokens.missing() is None
    assert (tokens.check(secret), tokens.check(lost)) == (token, None)


def test_tokens_of_before_are_missed_too_once_they_were_seen(tokens: Tokens, place: Path, clock: FakeClock) -> None:
    """A home of an earlier version has no file that says so; and one that was removed by hand comes back."""
    secret, token = tokens.create(ANA, [Right.READ])
    delete(place, "auth-required")
    assert opened(place, clock).check(secret) == token
    delete(place, TOKENS)
    assert tokens.missing()


def test_whoever_is_killed_while_making_the_first_token_leaves_no_door_open_that_was_closed(path: Path) -> None:
    """From the moment there was a file of tokens, its absence is noticed: whenever the process died."""
    for number in count(1):
        shutil.rmtree(path.parent, ignore_errors=True)
        code, _, _ = done(started("die", path.parent, number))
        was_there = path.exists()
        path.unlink(missing_ok=True)
        assert not was_there or opened(path.parent, SystemClock()).missing(), number
        if code == 0:
            break
    assert was_there


def test_only_clearing_goes_back_to_needing_no_token(tokens: Tokens, place: Path, clock: FakeClock) -> None:
    secret, _ = tokens.create(ANA, [Right.READ])
    opened(place, clock).clear()
    assert (tokens.check(secret), tokens.all(), tokens.missing()) == (None, [], None)
    tokens.create(ANA, [Right.READ])
    overwrite(place, TOKENS, "no json")
    tokens.clear()
    assert (tokens.all(), tokens.missing()) == ([], None)
    assert tokens.check(secret) is None


def test_clearing_leaves_no_file_but_the_lock(in_file: Tokens, path: Path) -> None:
    in_file.create(ANA, [Right.READ])
    in_file.clear()
    assert beside(path) == "tokens.json.lock"


# --- a clock that steps back ------------------------------------------------------------------------------------------


class SteppingClock(FakeClock):
    def step(self, by: timedelta) -> None:
        """Set the time of day; what counts seconds goes on."""
        self._now += by


@pytest.fixture
def stepping() -> SteppingClock:
    return SteppingClock()


HOUR = timedelta(hours=1)


@pytest.mark.parametrize("restarted", [False, True])
def test_a_token_that_was_refused_as_expired_stays_so_when_the_clock_steps_back(
    place: Path, stepping: SteppingClock, restarted: bool
) -> None:
    tokens = opened(place, stepping)
    secret, token = tokens.create(ANA, [Right.READ], expires_in=HOUR)
    stepping.advance(2 * HOUR)
    assert tokens.check(secret) is None
    stepping.step(-2 * HOUR)
    if restarted:
        tokens = opened(place, stepping)
    assert tokens.check(secret) is None
    (found,) = tokens.all()
    assert (found.id, found.state(stepping.now()), found.expires_at) == (token.id, "expired", token.expires_at)


def test_whoever_looks_sees_it_for_all(place: Path, stepping: SteppingClock) -> None:
    """Also where nobody uses the token itself: another one was checked, the list was looked at, one was made."""
    looks: list[Callable[[Tokens, str], object]] = [
        lambda tokens, other: tokens.check(other),
        lambda tokens, _: tokens.all(),
        lambda tokens, _: tokens.missing(),
        lambda tokens, _: tokens.create(BEN, [Right.READ]),
    ]
    for look in looks:
        tokens = opened(place, stepping)
        secret, _ = tokens.create(ANA, [Right.READ], expires_in=HOUR)
        other, _ = tokens.create(BEN, [Right.READ])
        stepping.advance(HOUR)
        look(opened(place, stepping), other)
        stepping.step(-HOUR)
        assert tokens.check(secret) is None
        assert tokens.check(other) is not None


def test_a_token_that_is_still_good_is_not_ended_by_a_step_of_the_clock(place: Path, stepping: SteppingClock) -> None:
    tokens = opened(place, stepping)
    secret, token = tokens.create(ANA, [Right.READ], expires_in=HOUR)
    stepping.advance(HOUR / 2)
    stepping.step(-24 * HOUR)
    assert tokens.check(secret) == token
    late, made = tokens.create(ANA, [Right.READ], expires_in=HOUR)
    assert tokens.check(late) == made


def test_what_cannot_be_written_down_is_known_to_the_process_and_written_down_later(
    path: Path, stepping: SteppingClock, caplog: pytest.LogCaptureFixture
) -> None:
    tokens = opened(path.parent, stepping)
    secret, _ = tokens.create(ANA, [Right.READ], expires_in=HOUR)
    stepping.advance(HOUR)
    with open(path.with_name("tokens.json.lock"), "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert tokens.check(secret) is None
    assert "could not be updated" in caplog.text
    stepping.step(-HOUR)
    assert tokens.check(secret) is None
    opened(path.parent, stepping).create(BEN, [Right.READ])
    assert tokens.check(secret) is None
    assert opened(path.parent, stepping).check(secret) is None


# --- many processes ---------------------------------------------------------------------------------------------------


def test_changes_of_other_processes_are_followed(place: Path) -> None:
    tokens = opened(place, SystemClock())
    code, secrets, err = done(started("create", place, 2))
    assert (code, err) == (0, "")
    first, second = [tokens.check(secret) for secret in secrets]
    assert first is not None
    assert second is not None
    assert done(started("revoke", place, first.id))[0] == 0
    assert [tokens.check(secret) for secret in secrets] == [None, second]


def test_the_file_is_read_again_only_when_it_has_changed(path: Path) -> None:
    """A thousand checks before a change and a thousand after it open the file twice."""
    assert done(started("opens", path.parent, 1_000)) == (0, ["1", "1"], "")


def test_two_changes_within_one_tick_of_the_clock_are_told_apart(path: Path, clock: FakeClock) -> None:
    writing, checking = opened(path.parent, clock), opened(path.parent, clock)
    times = []
    for _ in range(30):
        secret, token = writing.create(ANA, [Right.READ])
        times.append(path.stat().st_mtime_ns)
        assert checking.check(secret) == token
        writing.revoke(token.id)
        times.append(path.stat().st_mtime_ns)
        assert checking.check(secret) is None
    assert times == sorted(set(times))


def test_a_change_is_later_than_the_one_before_also_where_the_clock_went_back(in_file: Tokens, path: Path) -> None:
    in_file.create(ANA, [Right.READ])
    ahead = path.stat().st_mtime_ns + 10**15
    os.utime(path, ns=(ahead, ahead))
    secret, token = in_file.create(ANA, [Right.READ])
    assert path.stat().st_mtime_ns > ahead
    assert in_file.check(secret) == token


def test_processes_that_create_at_the_same_time_lose_nothing(place: Path) -> None:
    processes = [started("create", place, 12) for _ in range(6)]
    items = [done(process) for process in processes]
    assert [(code, err) for code, _, err in items] == [(0, "")] * 6
    secrets = [secret for _, lines, _ in items for secret in lines]
    tokens = opened(place, SystemClock())
    assert len(tokens.all()) == len(secrets) == 72
    assert len({token.id for secret in secrets if (token := tokens.check(secret))}) == 72


def test_threads_check_while_others_change(tokens: Tokens) -> None:
    secret, token = tokens.create(ANA, [Right.READ])
    with ThreadPoolExecutor(8) as pool:
        made = [pool.submit(tokens.create, BEN, [Right.READ]) for _ in range(20)]
        checked = [pool.submit(tokens.check, secret) for _ in range(400)]
        assert {each.result() for each in checked} == {token}
        assert all(tokens.check(each.result()[0]) == each.result()[1] for each in made)
    assert len(tokens.all()) == 21


def test_a_change_that_waits_too_long_for_another_says_so_and_checks_go_on(path: Path, clock: FakeClock) -> None:
    tokens = Tokens(FileDocuments(path.parent, patience_seconds=0.05), clock)
    secret, token = tokens.create(ANA, [Right.READ])
    with open(path.with_name("tokens.json.lock"), "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(StoreBusy, match="another process"):
            tokens.create(BEN, [Right.READ])
        assert tokens.check(secret) == token
    assert tokens.revoke(token.id).revoked_at is not None


# --- crashes ----------------------------------------------------------------------------------------------------------


def test_whoever_is_killed_while_creating_leaves_the_old_file_or_the_new_one(path: Path) -> None:
    """kill -9 before each call that changes something outside, until one comes through."""
    tokens = opened(path.parent, SystemClock())
    secret, token = tokens.create(ANA, [Right.READ])
    known = {token.id}
    added = []
    for number in count(1):
        code, lines, err = done(started("die", path.parent, number))
        if code == 0:
            break
        assert (code, lines, err) == (-signal.SIGKILL, [], "")
        found = {each.id for each in opened(path.parent, SystemClock()).all()}
        assert known <= found
        assert len(found - known) <= 1
        added.append(len(found - known))
        known = found
        assert tokens.check(secret) == token
    assert len(added) >= 6
    assert added == sorted(added), "once the new file is in place, later deaths do not take it back"
    assert added[0] == 0
    assert added[-1] == 1
    assert beside(path) == "auth-required tokens.json tokens.json.lock"


def test_a_change_is_on_the_disk_before_it_counts_and_its_place_in_the_folder_after(path: Path) -> None:
    """A power cut loses only what was not acknowledged. That tokens exist is written before the first one."""
    change = ["fsync", "replace", "fsync"]
    for written in (["flock", *change, *change], ["flock", *change]):
        code, calls, err = done(started("calls", path.parent, 1))
        assert (code, err) == (0, "")
        assert [call for call in calls if call in {"flock", "fsync", "replace"}] == written


def test_whoever_dies_in_the_middle_of_writing_leaves_the_old_file(in_file: Tokens, path: Path) -> None:
    secret, token = in_file.create(ANA, [Right.READ])
    before = path.read_bytes()
    code, lines, _ = done(started("torn", path.parent, 100))
    assert (code, lines) == (-signal.SIGXFSZ, [])
    assert (path.parent / ".tokens.json.new").stat().st_size == 100
    assert path.read_bytes() == before
    assert in_file.check(secret) == token
    assert in_file.create(ANA, [Right.READ])
    assert beside(path) == "auth-required tokens.json tokens.json.lock"


def test_where_there_is_no_room_to_write_the_old_file_stays_and_the_trouble_is_named(
    in_file: Tokens, path: Path
) -> None:
    in_file.create(ANA, [Right.READ])
    before = path.read_bytes()
    code, lines, err = done(started("full", path.parent, 100))
    assert (code, lines) == (1, [])
    assert f"DiskFull: no space is left to write {path}" in err
    assert path.read_bytes() == before
    assert beside(path) == "auth-required tokens.json tokens.json.lock"


def test_what_was_told_before_a_kill_is_kept(place: Path) -> None:
    items: list[str] = []
    for number in range(1, 5):
        process = started("create", place, 10_000)
        assert process.stdout is not None
        items += [process.stdout.readline().strip() for _ in range(number)]
        process.kill()
        code, more, err = done(process)
        assert (code, err) == (-signal.SIGKILL, "")
        items += [line for line in more if len(line) == len(items[0])]
    tokens = opened(place, SystemClock())
    assert len(items) >= 10
    assert all(tokens.check(secret) for secret in items)


# --- the command line -------------------------------------------------------------------------------------------------


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Runs a command on a home of its own; gives its exit code and what it said on stdout and stderr."""

    def ran(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = app.run(["--home", str(tmp_path / "home"), "admin", "tokens", *arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return ran


def payload_of(ran: tuple[int, str, str]) -> Any:
    code, out, err = ran
    assert (code, err) == (0, "")
    return json.loads(out)


def test_the_secret_stands_alone_on_stdout_and_the_words_beside_it(cli: Callable[..., Any], path: Path) -> None:
    code, out, err = cli("create", "--agent", "scribe", "--user", "Ana", "--label", "phone")
    token = opened(path.parent, SystemClock()).check(out.removesuffix("\n"))
    assert code == 0
    assert token is not None
    assert (token.tenant, token.rights, token.label) == (ANA, {Right.READ, Right.WRITE}, "phone")
    assert f"token {token.id} for agent scribe, user Ana: read, write, until it is revoked" in err
    assert "it cannot be shown again" in err
    assert out.strip() not in err


def test_as_json_a_new_token_is_one_object_with_its_secret(cli: Callable[..., Any], path: Path) -> None:
    made = payload_of(cli("create", "--rights", "Admin, read", "--expires", "30d", "--json"))
    token = opened(path.parent, SystemClock()).check(made.pop("secret"))
    assert token is not None
    assert made == token.to_json() | {"state": "active"}
    assert (made["agent"], made["user"], made["rights"]) == ("main", "default", ["read", "write", "host", "admin"])
    assert token.expires_at == token.created_at + timedelta(days=30)


def test_the_tenant_is_the_one_of_the_settings_where_none_is_named(cli: Callable[..., Any], path: Path) -> None:
    path.parent.mkdir()
    (path.parent / "cortex.toml").write_text('agent = "scribe"\nuser = "Ben"\n')
    made = payload_of(cli("create", "--json"))
    assert (made["agent"], made["user"]) == ("scribe", "Ben")


def test_the_list_shows_every_token_with_its_state_and_no_secret(
    cli: Callable[..., Any], path: Path, clock: FakeClock
) -> None:
    assert cli("list") == (0, "no tokens; create one with `cortex admin tokens create`\n", "")
    past = opened(path.parent, clock)
    made = [past.create(ANA, [Right.READ], label="old phone", expires_in=timedelta(minutes=1))]
    made += [past.create(BEN, [Right.WRITE]), past.create(BEN, [Right.ADMIN])]
    past.revoke(made[1][1].id)
    code, out, err = cli("list")
    assert (code, err) == (0, "")
    states = {each["id"]: each["state"] for each in payload_of(cli("list", "--json"))["tokens"]}
    assert states == {token.id: state for (_, token), state in zip(made, ["expired", "revoked", "active"], strict=True)}
    for secret, token in made:
        (line,) = (line for line in out.splitlines() if token.id in line)
        assert all(part in line for part in (token.agent, token.user, states[token.id], token.label))
        assert secret[20:] not in out
    assert "read, write, host, admin" in out
    assert [each["user"] for each in payload_of(cli("list", "--user", "Ana", "--json"))["tokens"]] == ["Ana"]
    assert payload_of(cli("list", "--agent", "other", "--json")) == {"tokens": []}


def test_a_token_is_revoked_by_its_id(cli: Callable[..., Any], path: Path) -> None:
    tokens = opened(path.parent, SystemClock())
    (one, first), (two, second) = tokens.create(ANA, [Right.READ]), tokens.create(ANA, [Right.READ])
    code, out, err = cli("revoke", first.id)
    assert (code, err) == (0, "")
    assert out.startswith(f"token {first.id} revoked at ")
    assert payload_of(cli("revoke", second.id, "--json"))["state"] == "revoked"
    assert [tokens.check(one), tokens.check(two)] == [None, None]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("create", "--rights", "write,raed"), 2, "hint: did you mean 'read'?"),
        (("create", "--rights", ""), 2, "rights: '' is not known"),
        (("create", "--expires", "soon"), 2, "expires: is not a time span"),
        (("create", "--expires", "0d"), 2, "expires_in: is not a usable period"),
        (("create", "--expires", "99999999d"), 2, "expires_in: is not a usable period"),
        (("create", "--label", "a\nb"), 2, "label: "),
        (("create", "--agent", "../up"), 2, "agent: "),
        (("revoke", "0" * 12), 3, f"error: there is no token {'0' * 12}\nhint: `cortex admin tokens list` shows them"),
    ],
)
def test_a_command_that_cannot_be_carried_out_says_why(
    cli: Callable[..., Any], arguments: tuple[str, ...], code: int, said: str
) -> None:
    found, out, err = cli(*arguments)
    assert (found, out) == (code, "")
    assert said in err


def test_where_the_file_is_missing_the_list_says_so_and_clearing_needs_to_be_meant(
    cli: Callable[..., Any], path: Path
) -> None:
    assert cli("create")[0] == 0
    path.unlink()
    code, out, err = cli("list")
    assert (code, out) == (11, "")
    assert "is missing although tokens were created" in err
    code, _, err = cli("clear")
    assert code == 2
    assert "--yes" in err
    assert opened(path.parent, SystemClock()).missing()
    code, out, _ = cli("clear", "--yes")
    assert code == 0
    assert "all tokens deleted" in out
    assert cli("list")[1] == "no tokens; create one with `cortex admin tokens create`\n"


def test_a_damaged_file_is_named_on_the_command_line_with_its_fix(cli: Callable[..., Any], path: Path) -> None:
    path.parent.mkdir()
    path.write_text("{")
    for arguments in (("list",), ("create",), ("revoke", "0" * 12)):
        code, out, err = cli(*arguments)
        assert (code, out) == (StoreCorrupt.exit_code, "")
        assert err.startswith(f"error: {path} is damaged, so no token is accepted\nhint: restore it from a copy")
