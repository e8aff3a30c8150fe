"""The ``imbtext`` command, and ``python -m imbtext``.

This module imports only what Python has loaded anyway, so that Ctrl-C is answered in one line even
while the rest loads.
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
