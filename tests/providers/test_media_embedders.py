"""Embedders of media by the vendors' SDKs, and a memory that finds pictures by what they show (E19).

The servers are scripted and on loopback; what speaks to them is the SDK of the vendor.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from media_servers import DIMENSION, MediaServer, media_server, mp3, png

from cortex import Cortex
from cortex.domain.chunk import Chunk
from cortex.domain.hits import RecallResult
from cortex.domain.modality import Medium, media_type_of
from cortex.errors import EmbedderUnavailable, InvalidRequest, MediumRefused, ProviderMissing
from cortex.ports.embedder import MediaEmbedder
from cortex.providers.embedders import gemini, voyage
from cortex.providers.embedders.remote import Patience
from cortex.services.turn_hooks import is_failure
from cortex.testing import FakeClock, FakeEmbedder

PROVIDERS: dict[str, Any] = {"gemini": gemini, "voyage": voyage}
NOWHERE = Path("models")
QUESTION = "a red bicycle leaning against brick"
SEEN = "red bicycle leaning brick wall"


@pytest.fixture(autouse=True)
def nothing_from_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "VOYAGE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[MediaServer]:
    with media_server(getattr(request, "param", "gemini")) as server:
        yield server


def create(server: MediaServer, **options: Any) -> MediaEmbedder:
    made: MediaEmbedder = PROVIDERS[server.provider].create_media(
        server.options() | options, NOWHERE, patience=Patience(sleep=lambda seconds: None)
    )
    return made


both = pytest.mark.parametrize("server", PROVIDERS, indirect=True)


# --- the providers ----------------------------------------------------------------------------------------------------


@both
def test_a_picture_and_a_question_about_it_are_near_in_one_space(server: MediaServer):
    server.shows[png("one")] = SEEN
    embedder = create(server)
    shown, requested = embedder.embed_medium(Medium(png("one"), "image/png")), embedder.embed_query(QUESTION)
    assert shown.shape == requested.shape == (DIMENSION,)
    assert float(shown @ requested) > 0.7 > 0.3 > float(shown @ embedder.embed_query("tax return of last year"))
    assert server.media == [("image/png", png("one"))]


@both
def test_a_picture_that_the_server_refuses_says_nothing_of_others(server: MediaServer):
    server.refuse.add(png("broken"))
    server.shows[png("one")] = SEEN
    embedder = create(server)
    with pytest.raises(MediumRefused) as refused:
        embedder.embed_medium(Medium(png("broken"), "image/png"))
    assert "cortex index --force" in refused.value.hint
    assert embedder.embed_medium(Medium(png("one"), "image/png")).any()


@both
def test_a_server_that_is_down_is_tried_three_times(server: MediaServer):
    server.status = 503
    with pytest.raises(EmbedderUnavailable, match="3 times") as error:
        create(server).embed_medium(Medium(png("one"), "image/png"))
    assert not isinstance(error.value, MediumRefused)


def test_what_a_provider_takes_is_declared():
    takes = {name: create_of(name).accepts for name in PROVIDERS}
    assert {"image/png", "image/jpeg", "audio/mpeg", "audio/wav"} <= takes["gemini"]
    assert {"image/png", "image/webp"} <= takes["voyage"]
    assert not any(each.startswith("audio/") for each in takes["voyage"])


def create_of(name: str) -> MediaEmbedder:
    made: MediaEmbedder = PROVIDERS[name].create_media({}, NOWHERE)
    return made


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (png("one"), "image/png"), (b"\xff\xd8\xff\xe0", "image/jpeg"), (b"RIFF\x00\x00\x00\x00WEBP", "image/webp"),
        (mp3("one"), "audio/mpeg"), (b"\xff\xfb\x90", "audio/mpeg"), (b"RIFF\x00\x00\x00\x00WAVE", "audio/wav"),
        (b"\x00\x00\x00\x18ftypisom", "video/mp4"), (b"%PDF-1.7", "application/pdf"),
        (b"-----BEGIN OPENSSH PRIVATE KEY-----", ""), (b"", ""), (b"\xff", ""),
    ],
)  # fmt: skip
def test_a_medium_is_known_by_its_bytes_and_not_by_its_name(data: bytes, media_type: str):
    assert media_type_of(data) == media_type


# --- a memory ---------------------------------------------------------------------------------------------------------

Open = Callable[..., Cortex]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def notes(tmp_path: Path, server: MediaServer) -> Path:
    """A note that shows a picture and a recording without a word about them, and another without any."""
    folder = tmp_path / "notes"
    (folder / "img").mkdir(parents=True)
    write(folder / "trip.md", "# Trip\n\n## Tuesday\n\n![](img/IMG_0042.png)\n\n## Friday\n\n![[memo.mp3]]\n")
    write(folder / "plain.md", "# Plain\n\nThe cellar door sticks when it rains.\n")
    write(folder / "img" / "IMG_0042.png", png("bicycle"))
    write(folder / "memo.mp3", mp3("memo"))
    server.shows[png("bicycle")] = SEEN
    server.shows[mp3("memo")] = "voices discuss lighthouse renovation budget"
    return folder


def write(path: Path, held: str | bytes, age: float = 3_600) -> None:
    path.write_bytes(held.encode() if isinstance(held, str) else held)
    written = FakeClock().now().timestamp() - age
    os.utime(path, (written, written))


@pytest.fixture
def open_engine(tmp_path: Path, clock: FakeClock, server: MediaServer) -> Iterator[Open]:
    engines: list[Cortex] = []

    def open_one(home: Path = tmp_path / "home", query_timeout_ms: int = 60_000, **given: Any) -> Cortex:
        media = {"image": "gemini", "audio": "gemini", "options": {"gemini": server.options()}} | given
        settings = {
            "embedding": {"media": media, "query_timeout_ms": query_timeout_ms},
            "recall": {"deadline_ms": 60_000},
        }
        engines.append(Cortex(home=home, embedder=FakeEmbedder(256), clock=clock, settings=settings))
        return engines[-1]

    yield open_one
    for engine in engines:
        engine.close()


def found(result: RecallResult) -> list[tuple[str, ...]]:
    return [hit.trace.media_refs for hit in result.hits if isinstance(hit.trace, Chunk)]


def cited(engine: Cortex, query: str) -> list[str]:
    """The files that a search of files cites: what is near enough."""
    return [line.path for line in engine.files.search(query)]


def references(engine: Cortex, **options: Any) -> dict[str, int]:
    counts: dict[str, int] = engine.index(**options).receipt.facts["media"]["references"]
    return counts


def test_E19_a_picture_that_nobody_described_is_found_by_what_it_shows(open_engine: Open, notes: Path):
    engine = open_engine()
    receipt = engine.index(notes).receipt
    assert receipt.facts["media"] == {"sent": 2, "references": {"embedded": 2}, "failed": {}}
    picture, recording = engine.search(QUESTION), engine.search("lighthouse renovation budget")
    assert found(picture)[0] == found(engine.recall(QUESTION))[0] == ("img/IMG_0042.png",)
    assert found(recording)[0] == ("memo.mp3",)
    assert "media" in picture.hits[0].legs
    facts = picture.receipt.facts
    assert facts["legs"]["media"]["absent"] is None
    assert facts["mediaTop"][0] == picture.hits[0].trace.id
    assert engine.replay(picture.receipt.id).same
    assert engine.verify() == []


def test_E19_what_has_nothing_to_do_with_a_picture_does_not_find_it(open_engine: Open, notes: Path):
    engine = open_engine()
    engine.index(notes)
    assert cited(engine, QUESTION) == ["notes/trip.md"]
    assert cited(engine, "which day is the tax return due") == []


def test_E19_without_a_provider_captions_are_what_is_found(open_engine: Open, notes: Path, server: MediaServer):
    engine = open_engine(image="", audio="")
    write(notes / "trip.md", "# Trip\n\n![A red bicycle](img/IMG_0042.png)\n")
    assert "media" not in engine.index(notes).receipt.facts
    assert found(engine.search(QUESTION))[0] == ("img/IMG_0042.png",)
    assert (server.media, server.texts) == ([], [])


def test_E19_a_picture_is_sent_once_and_again_when_it_changed(open_engine: Open, notes: Path, server: MediaServer):
    engine = open_engine()
    engine.index(notes)
    engine.index()
    assert len(server.media) == 2
    server.shows[png("boat")] = "wooden sailing boat harbor"
    write(notes / "img" / "IMG_0042.png", png("boat"), age=60)
    engine.index()
    assert server.media[2:] == [("image/png", png("boat"))]
    assert cited(engine, "wooden sailing boat") == ["notes/trip.md"]
    assert cited(engine, QUESTION) == []
    # A second memory under the same home has it from the cache.
    assert references(open_engine(notes.parent / "home"), force=True) == {"embedded": 2}
    assert len(server.media) == 3


def test_E19_nothing_outside_the_indexed_folder_is_read_or_sent(
    open_engine: Open, notes: Path, tmp_path: Path, server: MediaServer
):
    write(tmp_path / "secret.png", png("secret"))
    (notes / "link.png").symlink_to(tmp_path / "secret.png")
    write(notes / "key.png", "-----BEGIN OPENSSH PRIVATE KEY-----")
    targets = ["../secret.png", str(tmp_path / "secret.png"), "link.png", "https://example.org/a.png", "key.png"]
    write(notes / "bad.md", "\n\n".join(f"![]({target})" for target in targets) + "\n\n![](gone.png)\n")
    states = references(open_engine(max_bytes=1_024), path=notes)
    assert states == {"embedded": 2, "missing": 1, "outside": 4, "unsupported": 1}
    assert {data for _, data in server.media} == {png("bicycle"), mp3("memo")}


def test_E19_size_and_number_are_bounded(open_engine: Open, notes: Path, server: MediaServer):
    write(notes / "img" / "IMG_0042.png", png("large" * 100))
    engine = open_engine(max_bytes=1_024)
    assert references(engine, path=notes) == {"embedded": 1, "too_large": 1}
    other = open_engine(notes.parent / "other", max_files=1)
    server.shows[png("large" * 100)] = SEEN
    assert references(other, path=notes) == {"embedded": 1, "over_limit": 1}


def test_E19_a_refused_picture_is_not_sent_again_until_it_changes(open_engine: Open, notes: Path, server: MediaServer):
    server.refuse.add(png("bicycle"))
    engine = open_engine()
    assert references(engine, path=notes) == {"embedded": 1, "refused": 1}
    requests = len(server.requests)
    engine.index()
    assert len(server.requests) == requests
    server.refuse.clear()
    write(notes / "img" / "IMG_0042.png", png("bicycle"), age=60)
    assert references(engine) == {"embedded": 2}


def test_E19_a_failing_media_embedder_is_named_in_the_receipt_and_stops_nothing(
    open_engine: Open, notes: Path, server: MediaServer
):
    server.status = 403
    engine = open_engine()
    facts = engine.index(notes).receipt.facts["media"]
    assert facts["references"] == {"waiting": 2}
    assert facts["failed"] == {"image": "embedder_unavailable", "audio": "embedder_unavailable"}
    assert cited(engine, "cellar door") == ["notes/plain.md"]
    server.status = 0
    again = open_engine()  # the first waits half a minute before it asks again
    assert references(again) == {"embedded": 2}
    server.status = 403
    result = again.search("where does the cellar door stick")
    assert found(result)[0] == ()
    assert "media:embedder_unavailable" in result.receipt.facts["degraded"]
    assert result.receipt.facts["legs"]["media"]["absent"] == "embedder_unavailable"


def test_E19_a_sync_in_the_background_leaves_an_embedder_alone_that_failed_just_now(
    open_engine: Open, notes: Path, server: MediaServer, clock: FakeClock
):
    engine = open_engine()
    server.status = 403
    engine.index(notes)
    requests = len(server.requests)
    clock.advance(60)
    synced = engine.files.sync(reason="edit")
    assert (len(server.requests), synced.receipt.facts["media"]["references"]) == (requests, {"waiting": 2})
    server.status = 0
    clock.advance(300)
    synced = engine.files.sync(reason="edit")
    assert synced.receipt.facts["media"] == {"sent": 2, "references": {"embedded": 2}, "failed": {}}


def test_E19_a_media_embedder_that_hangs_costs_a_few_recalls_their_wait_and_no_turn_its_text(
    open_engine: Open, notes: Path, server: MediaServer
):
    engine = open_engine(query_timeout_ms=100)
    engine.index(notes)
    server.hangs = True
    results = [engine.search(f"where does the cellar door stick, {number}") for number in range(6)]
    assert all(found(result)[0] == () for result in results)
    degraded = [result.receipt.facts["degraded"] for result in results]
    media = [code for codes in degraded for code in codes if code.startswith("media:")]
    assert media == ["media:deadline_exceeded"] * 4 + ["media:media_embedder_busy"] * 2
    # Nothing of what was remembered is missing: recall does not go down a rung for it.
    assert not any(map(is_failure, media))


def test_E19_what_no_note_shows_any_more_is_in_no_space_and_no_cache(
    open_engine: Open, notes: Path, server: MediaServer
):
    engine = open_engine()
    engine.index(notes)
    write(notes / "trip.md", "# Trip\n\n## Friday\n\n![[memo.mp3]]\n", age=60)
    assert references(engine) == {"embedded": 1}
    assert cited(engine, QUESTION) == []
    # Shown again, it is sent again: nothing had kept its vector.
    write(notes / "trip.md", "# Trip\n\n![](img/IMG_0042.png)\n\n![[memo.mp3]]\n", age=30)
    engine.index()
    assert server.media.count(("image/png", png("bicycle"))) == 2


def test_E19_media_of_a_provider_that_is_no_longer_named_are_removed(open_engine: Open, notes: Path):
    open_engine().index(notes)
    assert references(open_engine(image="")) == {"embedded": 1}
    assert cited(open_engine(), QUESTION) == []


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"audio": "voyage"}, "embedding.media.audio"),
        ({"options": {"gemini": {"modle": "x"}}}, "embedding.media.options.gemini.modle"),
        ({"options": {"gemini": "x"}}, "embedding.media.options.gemini"),
    ],
)
def test_E19_a_provider_that_cannot_do_it_is_refused_with_the_setting_to_change(
    open_engine: Open, given: dict[str, Any], field: str
):
    with pytest.raises(InvalidRequest) as refused:
        open_engine(**given)
    assert refused.value.field == field
    with pytest.raises(ProviderMissing, match="gemmini"):
        open_engine(image="gemmini")
