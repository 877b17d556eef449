"""The files of our plugin: where they are packaged, and the copy in OpenClaw's folder.

The host gets a copy: it must still start if the environment of Cortex is moved, rebuilt or removed. The price is that
the copy can be older than Cortex, so that it is compared file by file.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cortex.errors import InvalidRequest, NotFound, full_disk
from cortex.surfaces.openclaw.host import HostConfig, OpenClaw, expanded

PLUGIN = "cortex"
_MANIFEST = "openclaw.plugin.json"
_NOT_SHIPPED = {"tsconfig.json", "node_modules", "__pycache__"}
_CONTRACT = re.compile(r"\bCONTRACT = (\d+)")


@dataclass(frozen=True, slots=True)
class PluginFolder:
    """A folder with the plugin in it."""

    path: Path

    @classmethod
    def packaged(cls) -> PluginFolder:
        """The plugin of this version of Cortex: beside this module, or in the checkout."""
        for folder in (Path(__file__).parent / "plugin", Path(__file__).parents[4] / "plugins" / "openclaw"):
            if (folder / _MANIFEST).is_file():
                return cls(folder)
        raise NotFound("the plugin is not part of this installation", hint="reinstall memory-cortex")

    @property
    def id(self) -> str:
        with suppress(OSError, ValueError):
            manifest = json.loads((self.path / _MANIFEST).read_text(encoding="utf-8"))
            return str(manifest.get("id", "")) if isinstance(manifest, dict) else ""
        return ""

    @property
    def is_ours(self) -> bool:
        return self.id == PLUGIN

    @property
    def version(self) -> str:
        with suppress(OSError, ValueError, AttributeError):
            return str(json.loads((self.path / _MANIFEST).read_text(encoding="utf-8")).get("version", ""))
        return ""

    @property
    def contract(self) -> int | None:
        """The contract with the server that it was written for."""
        for file in self.files():
            with suppress(OSError, UnicodeDecodeError):
                if file.endswith(".js") and (found := _CONTRACT.search((self.path / file).read_text(encoding="utf-8"))):
                    return int(found[1])
        return None

    def files(self) -> Iterator[str]:
        """Its files, relative to the folder, without those that are for development only."""
        for place, folders, names in os.walk(self.path):
            folders[:] = sorted(set(folders) - _NOT_SHIPPED)
            for name in sorted(set(names) - _NOT_SHIPPED):
                if not name.endswith((".py", ".ts")):
                    yield os.path.relpath(os.path.join(place, name), self.path)

    @property
    def digest(self) -> str:
        """The same for two folders with the same files."""
        found = hashlib.sha256()
        for file in self.files():
            found.update(f"{file}\0".encode())
            found.update(hashlib.sha256((self.path / file).read_bytes()).digest())
        return found.hexdigest()

    def is_same(self, other: PluginFolder) -> bool:
        try:
            return self.digest == other.digest
        except OSError:
            return False

    def copy_to(self, target: Path) -> None:
        """Put a copy at `target`, in place of an older one."""
        if os.path.lexists(target) and (target.is_symlink() or not PluginFolder(target).is_ours):
            raise InvalidRequest("is not the Cortex plugin", field=str(target), hint="move it away first")
        fresh = None
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            # Beside the folder of the plugins, where the host does not look.
            fresh = Path(tempfile.mkdtemp(dir=target.parent.parent, prefix=".cortex-plugin-"))
            for file in self.files():
                (fresh / "new" / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self.path / file, fresh / "new" / file)
            if target.exists():
                target.rename(fresh / "old")
            (fresh / "new").rename(target)
        except OSError as error:
            raise full_disk(error, target) or InvalidRequest(
                f"cannot be written: {error.strerror or error}", field=str(target), hint="check its permissions"
            ) from error
        finally:
            if fresh is not None:
                shutil.rmtree(fresh, ignore_errors=True)


def installed(host: OpenClaw, config: HostConfig) -> PluginFolder | None:
    """The plugin that the host loads: one that the configuration names, or the copy in its folder."""
    named = config.at("plugins", "load", "paths")
    places = [expanded(each) for each in named] if isinstance(named, list) else []
    found = [PluginFolder(each) for each in (*places, host.extensions / PLUGIN) if each is not None]
    return next((each for each in found if each.is_ours), None)
