"""`cortex mcp install`: the entry of each host, and that nothing else in its file is touched (X4)."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from terminal import Cli

from cortex.errors import InvalidRequest
from cortex.surfaces.cli import mcp_commands
from cortex.surfaces.mcp import json_config
from cortex.surfaces.mcp.hosts import HOSTS, command_for

FILES = {
    "claude-code": ".claude.json",
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
    "openclaw": ".openclaw/openclaw.json",
}
GOLDEN = {
    "claude-code": """\
{
  "mcpServers": {
    "cortex": {
      "type": "stdio",
      "command": PYTHON,
      "args": [
        "-m",
        "cortex",
        "mcp",
        "--home",
        HOME,
        "--agent",
        "ada"
      ]
    }
  }
}
""",
    "claude-desktop": """\
{
  "mcpServers": {
    "cortex": {
      "command": PYTHON,
      "args": [
        "-m",
        "cortex",
        "mcp",
        "--home",
        HOME,
        "--agent",
        "ada"
      ]
    }
  }
}
""",
    "vscode": """\
{
  "servers": {
    "cortex": {
      "type": "stdio",
      "command": PYTHON,
      "args": [
        "-m",
        "cortex",
        "mcp",
        "--home",
        HOME,
        "--agent",
        "ada"
      ]
    }
  }
}
""",
    "openclaw": """\
{
  "mcp": {
    "servers": {
      "cortex": {
        "command": PYTHON,
        "args": [
          "-m",
          "cortex",
          "mcp",
          "--home",
          HOME,
          "--agent",
          "ada",
          "--profile",
          "canonical"
        ]
      }
    }
  }
}
""",
}
GOLDEN["cursor"] = GOLDEN["claude-desktop"]


@pytest.fixture(autouse=True)
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person with a home of their own, on Linux."""
    home = tmp_path / "person"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


def entry(file: Path, *keys: str) -> Any:
    found: Any = json_config.read(file.read_text(), field="").plain
    for key in keys:
        found = found[key]
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="the paths are those of Linux")
@pytest.mark.parametrize("host", sorted(HOSTS))
def test_a_host_without_a_file_gets_one(cli: Cli, person: Path, host: str) -> None:
    said = cli("mcp", "install", "--host", host, "--write", "--agent", "ada")
    assert said.code == 0, said.err
    file = person / FILES[host]
    expected = GOLDEN[host].replace("PYTHON", json.dumps(sys.executable)).replace("HOME", json.dumps(str(cli.home)))
    assert file.read_text() == expected
    assert str(file) in said.out
    assert list(file.parent.glob("*.bak*")) == []

    assert "already" in cli("mcp", "install", "--host", host, "--write", "--agent", "ada").out
    assert file.read_text() == expected
    assert list(file.parent.glob("*.bak*")) == []


def test_without_write_it_is_printed_for_all_and_nothing_is_touched(cli: Cli, person: Path) -> None:
    shown = cli("mcp", "install", "--json").json["hosts"]
    assert [each["host"] for each in shown] == list(HOSTS)
    assert shown[0]["config"]["mcpServers"]["cortex"]["args"][-2:] == ["--home", str(cli.home)]
    said = cli("mcp", "install", "--host", "vscode", "--user", "kim", "--name", "memory")
    assert '"servers"' in said.out
    assert '"memory"' in said.out
    assert '"--user",\n' in said.out
    assert list(person.iterdir()) == []


COMMENTED = """\
// My servers. Do not lose this line.
{
\t"servers": {
\t\t// files
\t\t"files": { "type": "stdio", "command": "npx", "args": ["-y", "files"], }, // the last one
\t},
\t/* asked for at start */
\t"inputs": [{ "id": "key", "password": true }],
}
"""


def test_comments_and_other_entries_stay_as_they_are(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(COMMENTED)
    file.chmod(0o640)
    said = cli("mcp", "install", "--host", "vscode", "--file", str(file), "--write", "--json").json
    written = file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert Path(said["backup"]).read_text() == COMMENTED
    added = written[written.index('\n\t\t"cortex"') : written.index("\n\t},\n\t/*")]
    assert written.replace(added, "") == COMMENTED
    assert added.startswith('\n\t\t"cortex": {\n\t\t\t"type": "stdio",')
    assert entry(file, "servers", "cortex")["command"] == sys.executable
    assert entry(file, "servers", "files")["command"] == "npx"

    file.write_text(written.replace(sys.executable, "/old/python"))
    second = cli("mcp", "install", "--host", "vscode", "--file", str(file), "--write", "--json").json
    assert file.read_text() == written
    assert second["backup"] != said["backup"]


def test_what_was_added_to_our_own_entry_by_hand_stays(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    ours = {"command": "/old", "args": ["x"], "env": {"CORTEX_DEBUG": "1"}, "disabled": False}
    file.write_text(json.dumps({"theme": "dark", "mcpServers": {"a": {"url": "http://a"}, "cortex": ours}}))
    assert cli("mcp", "install", "--host", "cursor", "--file", str(file), "--write").code == 0
    payload = json.loads(file.read_text())
    assert payload["theme"] == "dark"
    assert payload["mcpServers"]["a"] == {"url": "http://a"}
    assert payload["mcpServers"]["cortex"] | {"command": "/old", "args": ["x"]} == ours
    assert payload["mcpServers"]["cortex"]["command"] == sys.executable


def test_a_server_of_that_name_elsewhere_is_not_ours_to_change(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text('{"mcpServers": {"cortex": {"url": "https://memory.example/mcp"}}}')
    said = cli("mcp", "install", "--host", "cursor", "--file", str(file), "--write")
    assert said.code == 2
    assert "--name" in said.hint
    assert cli("mcp", "install", "--host", "cursor", "--file", str(file), "--write", "--name", "mine").code == 0
    assert json.loads(file.read_text())["mcpServers"]["cortex"] == {"url": "https://memory.example/mcp"}


def test_a_link_stays_a_link(cli: Cli, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles" / "mcp.json"
    kept.parent.mkdir()
    kept.write_text("{}")
    link = tmp_path / "mcp.json"
    link.symlink_to(kept)
    assert cli("mcp", "install", "--host", "cursor", "--file", str(link), "--write").code == 0
    assert link.is_symlink()
    assert "cortex" in entry(kept, "mcpServers")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"mcpServers": {', "a key is missing (line 1, column 17)"),
        ('{"mcpServers": {}} trailing', "there is text after the end"),
        ('{"a": 1 "b": 2}', "a comma or a closing brace is missing"),
        ('{"a" 1}', "a colon is missing"),
        ('{"a": }', "a value is missing"),
        ('{"a": "never ends', "a string is not closed"),
        ('{"a": "\\q"}', "escape"),
        ('{"a": [1 2]}', "a comma or a closing bracket"),
        ("[]", "is not a JSON object"),
        ('"text"', "is not a JSON object"),
        ('{"mcpServers": []}', "mcpServers is not an object"),
        ("{" * 100_000, "is not JSON"),
        ('{"a":' * 100_000, "nested too deeply"),
        (b"\xff\xfe{}", "is not UTF-8"),
    ],
)
def test_a_file_that_is_no_json_is_refused_and_left_as_it_is(
    cli: Cli, tmp_path: Path, text: str | bytes, why: str
) -> None:
    file = tmp_path / "config.json"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    said = cli("mcp", "install", "--host", "cursor", "--file", str(file), "--write")
    assert said.code == 2
    assert why in said.error
    assert said.error.startswith(str(file))
    assert "nothing was changed" in said.hint
    assert file.read_bytes() == (text if isinstance(text, bytes) else text.encode())
    assert list(tmp_path.glob("*.bak*")) == []


def test_a_file_that_cannot_be_written_is_told(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    said = cli("mcp", "install", "--host", "cursor", "--file", str(tmp_path / "taken" / "mcp.json"), "--write")
    assert said.code == 2
    assert "cannot be" in said.error


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (["--write"], "--host"),
        (["--host", "emacs"], "--host"),
        (["--file", "x"], "--host"),
        (["--host", "cursor", "--name", "a\nb"], "--name"),
        (["--host", "cursor", "--name", ""], "--name"),
    ],
)
def test_options_that_do_not_go_together_are_refused(cli: Cli, arguments: list[str], field: str) -> None:
    said = cli("mcp", "install", *arguments)
    assert said.code == 2
    assert said.error.startswith(field)


def test_the_help_names_every_host() -> None:
    assert ", ".join(HOSTS) == mcp_commands.HOSTS


def test_each_system_has_its_own_place() -> None:
    desktop = HOSTS["claude-desktop"]
    assert desktop.file(Path("/h"), "darwin").parts[-4:-2] == ("Library", "Application Support")
    assert desktop.file(Path("/h"), "win32").parts[-4:-2] == ("AppData", "Roaming")
    assert command_for("py", Path("/m"), "a", "u")[-4:] == ["--agent", "a", "--user", "u"]


# --- editing JSON -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["", " \n", "\ufeff", "{}", "{ }", "{\n}", "// only this\n{}", "// only this\n", "{/* a */}"]
)
def test_a_file_with_nothing_in_it_gets_the_entry(text: str) -> None:
    written = json_config.put(text, ("a", "b"), 1, field="f")
    assert json_config.read(written, field="f").plain == {"a": {"b": 1}}
    assert "only" not in text or "// only this" in written


def test_json5_is_read_as_it_is_written() -> None:
    text = "{ // c\n  plain: 'it\\'s \"so\"',\n  $n: +1, h: 0xFF, i: -Infinity, 'q': [null, true,],\n}\n"
    written = json_config.put(text, ("mcp", "servers", "x"), {"command": "y"}, field="f")
    assert (
        written
        == text[:-2] + '  "mcp": {\n    "servers": {\n      "x": {\n        "command": "y"\n      }\n    }\n  }\n}\n'
    )
    assert json_config.read(written, field="f").plain["plain"] == 'it\'s "so"'


def test_line_ends_of_windows_stay_those_of_windows() -> None:
    written = json_config.put('{\r\n    "a": 1\r\n}\r\n', ("b", "c"), 2, field="f")
    assert written == '{\r\n    "a": 1,\r\n    "b": {\r\n        "c": 2\r\n    }\r\n}\r\n'


def test_what_names_a_value_as_an_object_is_refused() -> None:
    with pytest.raises(InvalidRequest, match=r"a\.b is not an object"):
        json_config.put('{"a": {"b": 1}}', ("a", "b", "c"), 2, field="f")


json_values = st.recursive(
    st.none() | st.booleans() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)
json_objects = st.dictionaries(st.text(max_size=4), json_values, max_size=4)


@given(
    json_objects, st.sampled_from([None, 2, "\t"]), st.lists(st.sampled_from(["a", "b", ""]), min_size=1, max_size=3)
)
def test_only_what_was_put_is_changed(there: dict[str, Any], indent: int | str | None, path: list[str]) -> None:
    text = json.dumps(there, indent=indent, ensure_ascii=False)
    try:
        written = json_config.put(text, path, {"new": [True]}, field="f")
    except InvalidRequest:
        return
    inner = there
    for key in path[:-1]:
        inner = inner.setdefault(key, {})
    inner[path[-1]] = {"new": [True]}
    assert json.loads(written) == there
    assert json_config.read(written, field="f").plain == there


@given(st.text(alphabet='{}[]",:/*\\ \nab1', max_size=40))
def test_whatever_a_file_says_it_is_read_or_refused(text: str) -> None:
    try:
        written = json_config.put(text, ("k",), "v", field="f")
    except InvalidRequest:
        return
    assert json_config.read(written, field="f").plain["k"] == "v"


def test_a_file_is_never_seen_half_written(tmp_path: Path, cli: Cli) -> None:
    """It is replaced as a whole: an open handle reads on in the old one, and nothing is left lying about."""
    file = tmp_path / "mcp.json"
    file.write_text('{"mcpServers": {}}')
    with file.open() as opened:
        assert cli("mcp", "install", "--host", "cursor", "--file", str(file), "--write").code == 0
        assert opened.read() == '{"mcpServers": {}}'
    assert {each.name for each in tmp_path.iterdir() if each.is_file()} == {"mcp.json", "mcp.json.bak1"}
    assert os.access(file, os.R_OK)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1), ("-2", -2), ("+3", 3), ("0x1F", 31), (".5", 0.5), ("1.", 1.0), ("1e3", 1000.0), ("300000", 300_000),
        (r"'it\'s'", "it's"), (r"'a\x41b'", "aAb"), (r'"\u00e9"', "é"), ("'a \\\nb'", "a b"),
        (r"'say \"hi\"'", 'say "hi"'),
        ("'\"'", '"'), (r"'\v\0'", "\x0b\x00"), ("[1, 'a',]", [1, "a"]),
    ],
)  # fmt: skip
def test_values_of_json5_are_read(text: str, value: Any) -> None:
    """C14: a host's settings are read from its file as they stand"""
    assert json_config.read(f"{{a: {text}, // a comment\n}}", field="f").plain == {"a": value}
