"""`cortex init`: a newcomer is guided to a memory that works; a script gets the same without a question."""

from __future__ import annotations

import json
import re
import stat
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from conversation import Conversation
from hypothesis import given
from hypothesis import strategies as st
from terminal import Cli

from cortex import settings, settings_file, store_drivers
from cortex.providers.embedders import gemini, ollama, openai, voyage
from cortex.providers.models import EMBEDDER, ModelState, ModelStore
from cortex.surfaces.cli import vendors
from cortex.surfaces.cli.app import run
from sweeps import sweep

HAS_MODEL = any(
    each.model is EMBEDDER and each.state is ModelState.READY
    for each in ModelStore(settings.models_home(Path.home() / ".cortex")).status()
)
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "VOYAGE_API_KEY", "OLLAMA_HOST")


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user of this machine with a home, and nothing in it; the folder that commands are run in is theirs too."""
    home = tmp_path / "user"
    (home / "project").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home / "project")
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture
def openclaw(user: Path) -> Path:
    """The workspace of OpenClaw, with a day's notes."""
    workspace = user / ".openclaw" / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "MEMORY.md").write_text("# Memory\nThe user likes the tram to Foz.\n")
    (workspace / "memory" / "2026-01-04.md").write_text("# Sunday\nMended the bicycle.\n")
    (user / ".openclaw" / "openclaw.json").write_text("{\n  // by hand\n  agents: {},\n}\n")
    return workspace


def everything_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# --- a script ---------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_variables")
def test_a_home_is_set_up_with_settings_that_change_nothing(cli: Cli, user: Path) -> None:
    said = cli("init", "--no-model")
    assert said.code == 0
    written = (cli.home / "cortex.toml").read_text()
    assert "# recipe = " in written
    assert settings.load(cli.home) == settings.Settings()
    assert cli("status").code == 0


def test_what_is_set_up_is_its_owners_alone(cli: Cli, user: Path) -> None:
    cli("init", "--no-model")
    assert (mode(cli.home), mode(cli.home / "cortex.toml")) == (0o700, 0o600)
    assert mode(cli.home / "agents" / "main.sqlite") == 0o600


@pytest.mark.usefixtures("no_variables")
def test_every_default_in_the_settings_file_may_be_uncommented(tmp_path: Path) -> None:
    uncommented = re.sub(r"^# (\w+ = \S.*)$", r"\1", settings_file.template(), flags=re.MULTILINE)
    (tmp_path / "cortex.toml").write_text(uncommented)
    assert uncommented.count("\nprovider = ") == 3
    found, default = settings.load(tmp_path), settings.Settings()
    assert replace(found, store=default.store) == default
    assert found.store.url == default.store.url
    for scheme in ("sqlite", "postgresql"):
        ours, theirs = (store_drivers.options_of(each, scheme, tmp_path) for each in (found, default))
        assert ours == theirs


def test_setting_up_again_changes_nothing(cli: Cli, user: Path) -> None:
    cli("init", "--no-model", "--embedder", "none")
    path = cli.home / "cortex.toml"
    path.write_text(path.read_text() + "# mine\n")
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    said = cli("init", "--no-model", "--embedder", "none", "--json")
    assert said.code == 0
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert said.json["problems"] == []
    assert cli.counted() == 0


def test_options_answer_what_would_be_asked(cli: Cli, user: Path, openclaw: Path) -> None:
    (user / ".cursor").mkdir()
    said = cli("init", "--no-model", "--embedder", "auto", "--llm", "anthropic", "--notes", str(openclaw),
               "--host", "cursor", "--json")  # fmt: skip
    assert said.code == 0, said.err
    assert (said.json["embedder"], said.json["llm"]) == ("auto", "anthropic")
    assert said.json["notes"] == [{"path": str(openclaw), "shape": "workspace"}]
    assert [(host["host"], host["changed"]) for host in said.json["hosts"]] == [("cursor", True)]
    loaded = settings.load(cli.home)
    assert (loaded.embedding.provider, loaded.llm.provider) == ("auto", "anthropic")
    entry = json.loads((user / ".cursor" / "mcp.json").read_text())["mcpServers"]["cortex"]
    assert entry == {"command": sys.executable, "args": ["-m", "cortex", "mcp", "--home", str(cli.home)]}
    assert "The user likes the tram to Foz." in cli("search", "tram to Foz").out


def test_a_script_is_told_what_was_found_and_nothing_of_it_is_touched(cli: Cli, user: Path, openclaw: Path) -> None:
    before = (user / ".openclaw" / "openclaw.json").read_text()
    said = cli("init", "--no-model")
    assert f"found: notes in {openclaw}" in said.out
    assert "cortex init --host openclaw" in said.out
    assert (user / ".openclaw" / "openclaw.json").read_text() == before
    told = cli("init", "--no-model", "--json").json["found"]
    assert told == {"notes": [str(openclaw)], "hosts": ["openclaw"]}
    assert cli("index", "--list", "--json").json["sources"] == []


def test_any_other_folder_of_notes_is_followed_whole(cli: Cli, user: Path) -> None:
    (user / "notes" / "deep").mkdir(parents=True)
    (user / "notes" / "deep" / "plan.md").write_text("# Plan\nPlant the quince in March.\n")
    assert cli("init", "--no-model", "--notes", str(user / "notes")).code == 0
    assert "Plant the quince in March." in cli("search", "quince").out


@pytest.mark.parametrize(
    ("options", "code", "about"),
    [
        (["--embedder", "locl"], 21, "did you mean 'local'?"),
        (["--llm", "antropic"], 21, "did you mean 'anthropic'?"),
        (["--notes", "nowhere"], 3, "give --notes a folder or file that exists"),
        (["--host", "emacs"], 2, "one of claude-code"),
    ],
)
def test_what_cannot_be_had_is_refused_before_anything_is_made(
    cli: Cli, user: Path, options: list[str], code: int, about: str
) -> None:
    said = cli("init", "--no-model", *options)
    assert about in said.hint
    assert said.code == code
    assert not cli.home.exists()


def test_a_settings_file_that_is_there_keeps_every_comment(cli: Cli, user: Path) -> None:
    cli.home.mkdir(mode=0o700)
    path = cli.home / "cortex.toml"
    path.write_text('# mine\nagent = "ada" # me\n\n[embedding] # vectors\nprovider = "none" # for now\n\n[recall]\n')
    path.chmod(0o640)
    assert cli("init", "--no-model", "--embedder", "auto", "--llm", "anthropic").code == 0
    assert path.read_text() == (
        '# mine\nagent = "ada" # me\n\n[embedding] # vectors\nprovider = "auto" # for now\n\n[recall]\n'
        '\n[llm]\nprovider = "anthropic"\n'
    )
    assert mode(path) == 0o640


def test_what_cannot_be_added_safely_is_told(cli: Cli, user: Path) -> None:
    cli.home.mkdir(mode=0o700)
    path = cli.home / "cortex.toml"
    path.write_text('embedding = { provider = "none" }\n')
    said = cli("init", "--no-model", "--embedder", "auto")
    assert said.code == 0
    assert path.read_text() == 'embedding = { provider = "none" }\n'
    assert f'write provider = "auto" under [embedding] in {path}' in said.out


def test_a_variable_that_overrules_the_choice_is_named(cli: Cli, user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORTEX_EMBEDDING__PROVIDER", "none")
    assert "unset CORTEX_EMBEDDING__PROVIDER" in cli("init", "--no-model", "--embedder", "auto").out


def test_a_settings_file_that_cannot_be_read_is_not_touched(cli: Cli, user: Path) -> None:
    cli.home.mkdir(mode=0o700)
    (cli.home / "cortex.toml").write_text("agent = = 3")
    assert "is not valid TOML" in cli("init", "--embedder", "none").error
    assert everything_below(cli.home) == ["cortex.toml"]


def test_without_the_model_it_says_how_to_get_it(
    tmp_path: Path, user: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """C6"""
    place = user / "models"
    place.write_text("a file where the folder should be")
    monkeypatch.setenv("CORTEX_MODELS", str(place))
    assert run(["--home", str(tmp_path / "home"), "init", "--json"]) == 0
    payload = json.loads(capsys.readouterr().out)
    assert "recall uses keywords only" in payload["problems"][0]["message"]
    assert "CORTEX_MODELS" in payload["problems"][0]["hint"]


def test_a_host_whose_file_is_broken_is_an_error_for_a_script(cli: Cli, user: Path) -> None:
    (user / ".cursor").mkdir()
    (user / ".cursor" / "mcp.json").write_text("{ no json")
    said = cli("init", "--no-model", "--host", "cursor")
    assert "is not JSON" in said.error
    assert (user / ".cursor" / "mcp.json").read_text() == "{ no json"


# --- putting one setting into a file ----------------------------------------------------------------------------------

_LINES = st.sampled_from(
    [
        "", "# a comment", "[embedding]", "[llm]", "[embedding.media]", "[ recall ]", "# provider = \"local\"",
        'provider = "none"', "provider = 'none' # why", 'model = """\n[embedding]\nprovider = "x"\n"""',
        'recipe = "balanced.v1"', "options = { model = 'm' }", "  image = ''",
    ]
)  # fmt: skip


@given(st.lists(_LINES, max_size=8), st.sampled_from(["embedding.provider", "llm.provider", "agent"]))
def test_putting_a_setting_changes_that_one_alone_or_nothing(lines: list[str], name: str) -> None:
    text = "\n".join(lines) + "\n"
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    after = settings_file.put(text, name, 'a "b"\\c')
    if after is None:
        return
    section, _, key = name.rpartition(".")
    loaded = tomllib.loads(after)
    place = loaded.get(section, {}) if section else loaded
    assert place.pop(key) == 'a "b"\\c'
    was = before.get(section, {}) if section else before
    was.pop(key, None)
    assert place == was
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        line for line in after.splitlines() if line.startswith("#")
    ]


def test_line_ends_stay_as_they_are() -> None:
    assert settings_file.put("[llm]\r\n# x\r\n", "llm.provider", "openai") == '[llm]\r\nprovider = "openai"\r\n# x\r\n'


@pytest.mark.parametrize("provider", [openai, gemini, voyage, ollama])
def test_what_people_are_told_of_a_vendor_is_what_its_provider_does(provider: object) -> None:
    vendor = provider.VENDOR  # type: ignore[attr-defined]
    told = vendors.EMBEDDERS[vendor.name]
    assert told.address == vendor.address
    assert told.variables == (vendor.variables or ("OLLAMA_HOST",))


# --- a person ---------------------------------------------------------------------------------------------------------


def talking(user: Path, *options: str, **variables: str) -> Conversation:
    return Conversation(
        "init", *options, folder=user / "project", HOME=str(user), CORTEX_SERVE__PORT="8399", **variables
    )


def test_a_newcomer_presses_enter_and_has_a_memory_that_works(user: Path, openclaw: Path) -> None:
    """From nothing to a recall, with keywords alone so that no model is needed."""
    (user / ".cursor").mkdir()
    with talking(user, "--embedder", "none") as person:
        person.asked("Folder").answer()
        person.asked(f"Index {openclaw} (MEMORY.md and memory/, 2 files)?").answer()
        person.asked("Another folder").answer()
        person.asked(f"Add Cortex to {user / '.cursor' / 'mcp.json'}? [y/N]").answer("y")
        # Enter changes no file of another program.
        person.asked(f"Add Cortex to {user / '.openclaw' / 'openclaw.json'}? [y/N]").answer()
        person.asked("Keep this memory?").answer()
        assert person.ended() == 0, person.said
        said = person.said
    home = user / ".cortex"
    assert (mode(home), mode(home / "cortex.toml")) == (0o700, 0o600)
    assert f'mcpServers.cortex = {{"command": "{sys.executable}"' in said.replace("\n  ", " ").replace("  ", " ")
    assert "recalled in " in said
    assert "Cortex was set up on this machine on" in said
    assert "forgotten again" in said
    assert "cortex serve" in said
    assert "http://127.0.0.1:8399/" in said
    assert "cortex" in json.loads((user / ".cursor" / "mcp.json").read_text())["mcpServers"]
    assert "cortex" not in (user / ".openclaw" / "openclaw.json").read_text()


def test_nothing_is_asked_twice(user: Path, openclaw: Path) -> None:
    """What an option said, what is followed and what is connected already is not asked for."""
    options = ("--home", str(user / "memory"), "--embedder", "none", "--notes", str(openclaw), "--host", "openclaw")
    with talking(user, *options) as person:
        person.asked("Keep this memory?").answer("y")
        assert person.ended() == 0, person.said
        assert f"export CORTEX_HOME={user / 'memory'}" in person.said.replace("\n", "")
    with talking(user, "--home", str(user / "memory")) as person:
        person.asked("Choose").answer()
        person.asked("A folder of notes (Enter for none)").answer()
        person.asked("Keep this memory?").answer("n")
        assert person.ended() == 0, person.said
        assert "Connect" not in person.said


def test_wrong_answers_are_asked_again_with_what_is_possible(user: Path) -> None:
    (user / "a file").write_text("x")
    with talking(user, OPENAI_API_KEY="sk-not-shown", ANTHROPIC_API_KEY="sk-not-shown") as person:
        person.asked("Folder").answer(str(user / "a file" / "below"))
        person.asked("Folder").answer(str(user / "elsewhere"))
        person.asked("Choose").answer("9")
        person.asked("Choose").answer("none")
        person.asked("Choose").answer("2")  # Anthropic, whose key is set
        person.asked("A folder of notes").answer(str(user / "nowhere"))
        person.asked("A folder of notes").answer()
        person.asked("Keep this memory?").answer("n")
        assert person.ended() == 0, person.said
        said = person.said
    assert "is a file; give a folder" in said.replace("\n", " ").replace("  ", " ")
    assert "OpenAI's API: OPENAI_API_KEY is set" in said
    assert "sk-not-shown" not in said
    assert "sk-not-shown" not in (user / "elsewhere" / "cortex.toml").read_text()
    loaded = settings.load(user / "elsewhere")
    assert (loaded.embedding.provider, loaded.llm.provider) == ("none", "anthropic")


@pytest.mark.parametrize("question", sweep(["Folder", "Choose", "A folder of notes"], ["A folder of notes"]))
def test_ctrl_c_in_the_conversation_leaves_nothing(user: Path, question: str) -> None:
    before = everything_below(user)
    with talking(user) as person:
        for each in ("Folder", "Choose", "A folder of notes"):
            person.asked(each)
            if each == question:
                person.interrupt()
                break
            person.answer()
        assert person.ended() == 130
        assert "nothing was changed" in person.said
        assert "Traceback" not in person.said
    assert everything_below(user) == before


def test_ctrl_c_afterwards_leaves_what_is_whole(user: Path) -> None:
    with talking(user, "--embedder", "none") as person:
        person.asked("Folder").answer()
        person.asked("A folder of notes").answer()
        person.asked("Keep this memory?").interrupt()
        assert person.ended() == 130
        assert "run `cortex init` again to finish" in person.said
    assert settings.load(user / ".cortex").embedding.provider == "none"


def test_a_host_that_cannot_be_written_stops_nothing_else(user: Path) -> None:
    (user / ".cursor").mkdir()
    (user / ".cursor" / "mcp.json").write_text('{"mcpServers": {"cortex": {"url": "http://elsewhere"}}}')
    with talking(user, "--embedder", "none", "--host", "cursor") as person:
        person.asked("Folder").answer()
        person.asked("A folder of notes").answer()
        person.asked("Keep this memory?").answer()
        assert person.ended() == 0
        assert "has a server 'cortex' with a URL" in person.said.replace("\n  ", " ")


@pytest.mark.slow
@pytest.mark.skipif(not HAS_MODEL, reason="the model was not fetched")
def test_with_the_local_model_it_is_found_by_meaning(user: Path) -> None:
    with talking(user) as person:
        person.asked("Folder").answer()
        person.asked("Choose").answer()
        person.asked("A folder of notes").answer()
        person.asked("Keep this memory?").answer("y")
        assert person.ended() == 0, person.said
        assert "embedding model already installed" in person.said
        assert "degraded" not in person.said


# --- the settings of a host -------------------------------------------------------------------------------------------

HOST_FILE = """\
{
  // by hand
  memoryCortex: { recallTimeoutMs: 150, synthesisCacheTtlMs: 60000, skipHeartbeat: false },
  agents: { defaults: { memorySearch: {
    query: { maxResults: 9, hybrid: { vectorWeight: 0.6, textWeight: 0.4 } },
    extraPaths: ['~/notes',], store: { path: '/tmp/x.sqlite' },
  } } },
  plugins: { entries: { 'memory-lancedb': { config: {
    embedding: { apiKey: '${OPENAI_API_KEY}', model: 'text-embedding-3-small' },
    autoCapture: true, captureMaxChars: 400, dbPath: '~/.openclaw/memory/lancedb',
  } } } },
}
"""


@pytest.fixture
def host_file(user: Path) -> Path:
    file = user / "openclaw.json"
    file.write_text(HOST_FILE)
    return file


def test_the_settings_of_a_host_are_taken_over(cli: Cli, host_file: Path) -> None:
    """C14, B22, L6: from its JSON5, at their own places"""
    said = cli("init", "--no-model", "--from", str(host_file), "--json")
    assert said.code == 0, said.err
    found = settings.load(cli.home)
    assert (found.hooks.deadline_ms, found.hooks.synthesis_ttl_ms, found.hooks.skip_heartbeat) == (150, 60_000, False)
    assert (found.files.max_results, found.files.vector_weight, found.files.text_weight) == (9, 0.6, 0.4)
    assert (found.files.extra_paths, found.capture.max_chars) == (("~/notes",), 400)
    assert (found.embedding.provider, found.embedding.options["model"]) == ("openai", "text-embedding-3-small")
    assert "${OPENAI_API_KEY}" in (cli.home / "cortex.toml").read_text()
    without_effect = " ".join(problem["message"] for problem in said.json["problems"])
    assert "agents.defaults.memorySearch.store.path has no effect" in without_effect
    assert "plugins.entries.memory-lancedb.config.dbPath has no effect" in without_effect
    assert host_file.read_text() == HOST_FILE


def test_taking_them_over_again_changes_nothing(cli: Cli, host_file: Path) -> None:
    cli("init", "--no-model", "--from", str(host_file))
    before = (cli.home / "cortex.toml").read_text()
    assert cli("init", "--no-model", "--from", str(host_file)).code == 0
    assert (cli.home / "cortex.toml").read_text() == before


def test_a_setting_that_differs_from_the_hosts_is_refused_and_nothing_is_written(cli: Cli, host_file: Path) -> None:
    """C14: both places are named"""
    cli.home.mkdir(parents=True, exist_ok=True)
    (cli.home / "cortex.toml").write_text("[hooks]\ndeadline_ms = 100\n")
    said = cli("init", "--no-model", "--from", str(host_file))
    assert said.code == 2
    assert "memoryCortex.recallTimeoutMs" in said.err
    assert "hooks.deadline_ms" in said.err
    assert (cli.home / "cortex.toml").read_text() == "[hooks]\ndeadline_ms = 100\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{memoryCortex: {recalTimeoutMs: 1}}", "did you mean 'recallTimeoutMs'"),
        ("{memory: {search: {query: {minScore: 7}}}}", "memory.search.query.minScore"),
        ("{memory: {search: {chunking: {tokens: 'many'}}}}", "memory.search.chunking.tokens"),
        ("{memoryCortex: ", "is not JSON"),
        ("{gateway: {}}", "has no settings of memory"),
    ],
)
def test_a_host_file_that_cannot_be_taken_over_is_refused_by_name(
    cli: Cli, host_file: Path, text: str, told: str
) -> None:
    """C14, B22"""
    host_file.write_text(text)
    said = cli("init", "--no-model", "--from", str(host_file))
    assert said.code != 0
    assert told in said.err
    assert not (cli.home / "cortex.toml").exists()
