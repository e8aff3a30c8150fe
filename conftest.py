"""Keep pytest away from the modules and pages that need an optional package."""

from importlib.util import find_spec

collect_ignore_glob = (
    []
    if find_spec("torch")
    else [
        "docs/guides/generators.md",
        "src/imbtext/neural/*",
        "src/imbtext/reproduction/_lstm_networks.py",
    ]
)
