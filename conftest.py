"""Keep pytest away from the modules that cannot be imported without an optional package."""

from importlib.util import find_spec

collect_ignore_glob = (
    []
    if find_spec("torch")
    else [
        "src/imbtext/neural/*",
        "src/imbtext/evaluation/lstm_data.py",
        "src/imbtext/evaluation/lstm_experiment.py",
    ]
)
