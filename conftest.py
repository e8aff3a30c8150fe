"""Keep pytest away from the modules that cannot be imported without an optional package."""

from importlib.util import find_spec

collect_ignore_glob = (
    []
    if find_spec("torch")
    else [
        "src/imbtext/neural/*",
        "src/imbtext/reproduction/lstm/headlines.py",
        "src/imbtext/reproduction/lstm/networks.py",
    ]
)
