"""A person in many users' data and backups: every mention is found and erased, and no namesake is touched."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from cortex.domain.lanes import ANY_STATE
from cortex.domain.turn import TurnDraft
from cortex.errors import Held, InvalidRequest, NotFound
from cortex.memory import Cortex
from cortex.ports.store import Filter
from cortex.testing import FakeClock

Open = Callable[..., Cortex]
ANNA, ALSO = "Anna Schmidt", ("anna@acme.example", "Annie")

PLANTED = (
    "The invoice goes to Anna Schmidt by Friday",
    "Write to anna@acme.example about the boat",
    "Annie keeps the key of the boathouse",
)
NAMESAKES = (
    "Anna Müller sings in the choir on Mondays",
    "Peter Schmidt repairs clocks in the old town",
    "Anna-Lena Schmidt-Meier teaches physics",
    "Annie Leibovitz took the picture in the hall",
)


def texts(engine: Cortex, user: str) -> set[str]:
    return {each.text for each in engine.bind(user=user).list(Filter(states=ANY_STATE), limit=1_000)}


def plant(engine: Cortex, user: str, number: int) -> None:
    mine = engine.bind(user=user)
    mine.remember(f"{PLANTED[number % 3]} ({number})", as_new=True, embed=False)
    mine.remember(f"{NAMESAKES[number % 4]} ({number})", as_new=True, embed=False)
    if number % 10 == 0:
        said = [TurnDraft(text=f"I am late today, number {number}", speaker=ANNA), TurnDraft(text="Noted, see you")]
        mine.store_turns("chat", said, embed=False)


def searched(engine: Cortex, users: int, backups: int, clock: FakeClock) -> set[str]:
    """Plant the person for so many users and make so many backups on the way; returns what a search must find."""
    for number in range(users):
        plant(engine, f"user-{number:02}", number)
        if (number + 1) % (users // backups) == 0:
            clock.advance(timedelta(days=1))
            engine.backup()
    return {
        each.id
        for number in range(users)
        for each in engine.bind(user=f"user-{number:02}").list(Filter(states=ANY_STATE), limit=100)
        if each.text.startswith(PLANTED) or getattr(each, "speaker", "") == ANNA
    }


@pytest.mark.parametrize(
    ("users", "backups"), [(6, 2), pytest.param(50, 10, marks=pytest.mark.slow)], ids=["6-users", "50-users"]
)
def test_a_person_is_erased_from_all_users_and_backups_and_no_namesake_is_touched(
    open_engine: Open, clock: FakeClock, users: int, backups: int
) -> None:
    engine = open_engine(lifecycle={"backup_keep_daily": 30, "backup_keep_weekly": 30})
    expected = searched(engine, users, backups, clock)
    kept = [backup.path for backup in engine.backups()]
    assert len(kept) == backups
    found = engine.find_subject(ANNA, also=ALSO)
    assert {each.id for each in found.sure} == expected
    assert found.likely == []
    assert set(found.backups) == {path.name for path in kept}
    assert all(each.live for each in found.matches)
    held_by = {name for each in found.matches for name in each.backups}
    assert held_by == set(found.backups)
    before = {f"user-{number:02}": texts(engine, f"user-{number:02}") for number in range(users)}

    certificate = engine.erase_subject(ANNA, also=ALSO).certificate
    assert certificate.clean, certificate
    assert (certificate.erased, certificate.users, certificate.left) == (len(expected), users, 0)
    assert engine.subject_certificate(certificate.id) == certificate
    assert ANNA not in str(certificate.to_json())
    assert len(certificate.erasures) == users
    for user, said in before.items():
        assert texts(engine, user) == {each for each in said if not each.startswith((*PLANTED, "I am late"))}
    # In the bytes of the store and of every backup, and in what the backups bring back.
    engine.close()
    for path in filter(Path.is_file, (*kept, *(engine.context.dependencies.home / "agents").rglob("*"))):
        content = path.read_bytes()
        assert not any(text.encode() in content for text in PLANTED), path
    again = open_engine(lifecycle={"backup_keep_daily": 30, "backup_keep_weekly": 30})
    assert again.find_subject(ANNA, also=ALSO).matches == ()
    again.restore_backup(kept[0].name)
    assert again.find_subject(ANNA, also=ALSO).sure == []
    assert any(each.startswith(NAMESAKES) for number in range(users) for each in texts(again, f"user-{number:02}"))
    assert again.verify() == []


def test_what_only_a_backup_holds_is_found_and_taken_out_of_it(open_engine: Open, clock: FakeClock) -> None:
    engine = open_engine()
    first = engine.backup().backup.path
    clock.advance(timedelta(days=1))
    id = engine.remember(PLANTED[0], as_new=True).memory.id
    backup = engine.backup().backup.path
    engine.restore_backup(str(first))
    (match,) = engine.find_subject(ANNA).matches
    assert (match.id, match.live, backup.name in match.backups) == (id, False, True)
    assert engine.erase_subject(ANNA).certificate.clean
    assert PLANTED[0].encode() not in backup.read_bytes()


def test_an_erasure_by_id_takes_what_it_erases_out_of_the_backups_of_each_store(engine: Cortex) -> None:
    if not engine.context.store.abilities.restore:
        pytest.skip("it has no backups")
    id = engine.remember(PLANTED[0], as_new=True).memory.id
    engine.backup()
    assert engine.find_subject(ANNA).holding
    engine.erase(id, backups=True)
    assert engine.find_subject(ANNA).matches == ()


def test_the_person_is_speaker_sender_subject_and_mention_in_any_version(engine: Cortex) -> None:
    engine.remember("She likes tea", subject=ANNA, attribute="drink", value="tea", as_new=True)
    edited = engine.remember("Anna Schmidt likes coffee", as_new=True).memory.id
    engine.edit(edited, text="Somebody likes coffee")
    engine.store_turns("chat", [TurnDraft(text="I like cocoa", speaker="anna schmidt")])
    sender = engine.bind(user="sender:+49 170 1234567")
    sender.store_turns("direct", [TurnDraft(text="I like juice")])
    found = engine.find_subject(ANNA, also=["+49 170 1234567"])
    roles = {(role, sure) for each in found.matches for role, sure in each.roles.items()}
    assert roles == {("subject", "sure"), ("mention", "sure"), ("speaker", "sure"), ("sender", "sure")}
    done = engine.erase_subject(ANNA, also=["+49 170 1234567"]).certificate
    assert done.left == 0
    assert done.places == ("the names of 1 users",)
    assert not done.clean
    assert texts(engine, "default") == set()


def test_the_likely_ones_stay_unless_they_are_named(engine: Cortex) -> None:
    sure = engine.remember("Anna Schmidt keeps a boat", as_new=True).memory.id
    likely = engine.remember("Anna keeps a bicycle", as_new=True).memory.id
    other = engine.remember("Frau Schmidt keeps bees", as_new=True).memory.id
    found = engine.find_subject(ANNA)
    assert [each.id for each in found.sure] == [sure]
    assert {each.id for each in found.likely} == {likely, other}
    with pytest.raises(NotFound):
        engine.erase_subject(ANNA, ids=["0198c1a2-7b3c-7def-8a01-23456789abcd"])
    assert engine.get(sure)
    assert engine.erase_subject(ANNA, ids=[likely]).certificate.likely == 1
    assert texts(engine, "default") == {"Frau Schmidt keeps bees"}
    assert engine.erase_subject(ANNA, likely=True).certificate.likely == 0
    assert texts(engine, "default") == set()


def test_what_was_extracted_from_a_turn_of_theirs_goes_and_kept_queries_too(engine: Cortex) -> None:
    engine.capture([{"role": "user", "content": "Anna Schmidt lives in Porto."}], session="s")
    engine.recall("where does Anna Schmidt live?")
    engine.flush()
    found = engine.find_subject(ANNA)
    assert found.queries == {"default": 1}
    backup = engine.backup().backup.path if engine.context.store.abilities.restore else None
    certificate = engine.erase_subject(ANNA).certificate
    assert (certificate.queries, certificate.left) == (1, 0)
    if backup is not None:
        assert backup.read_bytes().find(b"where does Anna Schmidt live?") == -1
    assert engine.find_subject(ANNA).queries == {}
    assert texts(engine, "default") == set()


def test_an_erasure_that_meets_a_hold_erases_nothing_of_anybody(engine: Cortex) -> None:
    kept = engine.bind(user="ben").remember(PLANTED[0], as_new=True).memory.id
    engine.remember(PLANTED[0], as_new=True)
    hold = engine.bind(user="ben").hold(ids=[kept]).hold
    with pytest.raises(Held, match=hold.name):
        engine.erase_subject(ANNA)
    assert texts(engine, "default") == {PLANTED[0]}
    assert engine.erasures() == []
    engine.release_hold(hold.name, everyone=True)
    person = engine.hold(person=ANNA, also=ALSO, everyone=True).hold
    with pytest.raises(Held, match=person.name):
        engine.bind(user="ben").erase(kept)
    engine.release_hold(person.name, everyone=True)
    assert engine.erase_subject(ANNA).certificate.clean


def test_an_erasure_that_was_killed_goes_on_under_its_certificate(
    engine: Cortex, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cortex.services.erasure import ErasureService

    for user in ("ada", "ben"):
        engine.bind(user=user).remember(PLANTED[0], as_new=True)
    with monkeypatch.context() as patched:
        patched.setattr(ErasureService, "finish_together", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            engine.erase_subject(ANNA)
    assert engine.finish_erasures() == []
    later = engine.bind(user="ada").remember("Anna Schmidt called again about it", as_new=True)
    assert later
    certificate = engine.erase_subject(ANNA).certificate
    assert certificate.clean
    assert (len(certificate.erasures), certificate.erased) == (3, 3)


def test_an_export_has_the_texts_if_they_are_asked_for(engine: Cortex) -> None:
    engine.remember(PLANTED[0], as_new=True)
    engine.bind(user="ben").remember("Anna keeps a bicycle", as_new=True)
    (line,) = engine.export_subject(ANNA)
    assert (line["user"], line["sure"], line["roles"], line["text"]) == ("default", True, {"mention": "sure"}, None)
    lines = list(engine.export_subject(ANNA, with_text=True, likely=True))
    assert {(each["user"], each["text"]) for each in lines} == {
        ("default", PLANTED[0]), ("ben", "Anna keeps a bicycle"),
    }  # fmt: skip


def test_a_name_that_would_be_found_in_anything_is_refused(engine: Cortex) -> None:
    for person, also, named in (("A", (), "person"), (ANNA, ("x",), "also[0]")):
        with pytest.raises(InvalidRequest) as refused:
            engine.erase_subject(person, also=also)
        assert refused.value.field == named
