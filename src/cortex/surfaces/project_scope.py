"""The scope of a folder that somebody works in: its project.

`cortex hook` imports this in every turn, so it imports nothing that is slow to load.
"""

from __future__ import annotations

import os

_LONGEST = 256
_WORKTREES = os.path.join(os.sep, ".git", "worktrees") + os.sep


def project_of(folder: str | None) -> str | None:
    """The scope of the project that `folder` belongs to: its path, such as `~/src/atlas`.

    The project is the root of the Git repository, for a worktree that of the main one, and else the folder itself.
    Links are followed, and the folder need not exist any more. The user's home and the root belong to none.
    """
    if not folder or not os.path.isabs(folder) or "\0" in folder:
        return None
    real = os.path.realpath(folder)
    root = _repository(real) or real
    home = os.path.realpath(os.path.expanduser("~"))
    if root in (home, os.path.dirname(root)):
        return None
    return _label(f"~{root[len(home) :]}" if root.startswith(home.rstrip(os.sep) + os.sep) else root)


def _repository(folder: str) -> str | None:
    while True:
        git = os.path.join(folder, ".git")
        if os.path.isdir(git):
            return folder
        if os.path.isfile(git):
            return _main_repository(git) or folder
        if (parent := os.path.dirname(folder)) == folder:
            return None
        folder = parent


def _main_repository(git: str) -> str | None:
    """The repository of a worktree, which its file `.git` names; None for a submodule, which is its own."""
    try:
        with open(git, encoding="utf-8") as file:
            place = file.read(4_096).removeprefix("gitdir:").strip()
    except (OSError, ValueError):
        return None
    main, is_worktree, _ = place.partition(_WORKTREES)
    return os.path.realpath(main) if is_worktree and os.path.isdir(main) else None


def _label(path: str) -> str:
    """A path as the name of a scope, which is short and printable."""
    if len(path) <= _LONGEST and path.isprintable():
        return path
    import hashlib

    name = "".join(letter if letter.isprintable() else "?" for letter in os.path.basename(path))
    return f"{name[:64]}-{hashlib.sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
