"""The yardstick: which method finds a rare class of text best, on sets that anybody can fetch.

    python benchmarks/yardstick prepare DATA [set ...]
    python benchmarks/yardstick run DATA OUT [contestant ...] [--sets set,set] [--jobs 16]
    python benchmarks/yardstick tables OUT
    python benchmarks/yardstick page OUT PAGE.html

`prepare` fetches the sets, once. `run` writes rows of each contestant to OUT; stopped, it goes on
where it was. A contestant whose packages, model or data this machine lacks is named and left out.
`tables` writes OUT/README.md, and `page` a page with filters. README.md has the protocol.
"""

import argparse
from pathlib import Path

from page import write_page
from runner import contestants, run
from sets import prepare, sources
from tables import write_tables


def main() -> None:
    parser = argparse.ArgumentParser(prog="python benchmarks/yardstick")
    commands = parser.add_subparsers(required=True, dest="command")
    fetching = commands.add_parser("prepare", help="fetch the sets")
    fetching.add_argument("data", type=Path)
    fetching.add_argument("sets", nargs="*")
    running = commands.add_parser("run", help="run contestants")
    running.add_argument("data", type=Path)
    running.add_argument("out", type=Path)
    running.add_argument("contestants", nargs="*", help=f"all unless named: {contestants()}")
    running.add_argument("--sets", default="", help="comma-separated; all that DATA has")
    running.add_argument("--jobs", type=int, default=2)
    for name, shown in (("tables", "write OUT/README.md"), ("page", "write a page with filters")):
        command = commands.add_parser(name, help=shown)
        command.add_argument("out", type=Path)
        if name == "page":
            command.add_argument("page", type=Path)
    options = parser.parse_args()
    if options.command == "prepare":
        for name in options.sets or sources():
            prepare(name, options.data)
    elif options.command == "run":
        chosen = [name for name in options.sets.split(",") if name]
        run(options.data, options.out, options.contestants, chosen, options.jobs)
    elif options.command == "tables":
        write_tables(options.out)
    else:
        write_page(options.out, options.page)


if __name__ == "__main__":
    main()
