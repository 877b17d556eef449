"""`cortex`, the command. Asking for the version must cost no more than starting Python, so it is answered first."""

from __future__ import annotations

import sys

from cortex._version import __version__


def main() -> None:
    """Run the command line and exit with its code."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        print(f"cortex {__version__}")
        return
    from cortex.surfaces.cli.app import run

    sys.exit(run(arguments))


if __name__ == "__main__":
    main()
