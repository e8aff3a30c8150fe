"""The ``imbtext`` command, and ``python -m imbtext``.

Nothing is imported here but what Python has loaded anyway, so that Ctrl-C while the rest loads is
answered like any other.
"""

import sys


def main() -> None:
    """Load the command line and run it."""
    try:
        from imbtext.cli import main as run

        run()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
