"""`cortex`, the command. What it needs is imported as late as possible, and what takes longest is begun first."""

from __future__ import annotations

import sys

from cortex._version import __version__

TYPE_CHECKING = False  # as `typing` has it, which is slow to import
if TYPE_CHECKING:
    from cortex.memory import Cortex


def main() -> None:
    """Run the command line and exit with its code."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:  # costs no more than starting Python
        print(f"cortex {__version__}")
        return
    from cortex.surfaces.cli.global_options import split_global_options

    own, rest = split_global_options(arguments)
    if rest[:1] == ["hook"]:
        from cortex.surfaces.cli import hook_client

        if (code := hook_client.run(own, rest[1:])) is not None:
            sys.exit(code)
    from cortex.surfaces.cli import preload

    preload.begin(own, rest)
    from cortex.surfaces.cli.app import run

    sys.exit(run(arguments, connect=_connect))


def _connect(url: str, token: str, agent: str, user: str) -> Cortex:
    from cortex.client import RemoteCortex

    return RemoteCortex(url, token=token, agent=agent, user=user)


if __name__ == "__main__":
    main()
