"""A small cluster of real worker processes, and documents for it."""

import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("distributed")
from distributed import Client, LocalCluster

# Workers take over this list, and import the functions of test modules by their names.
sys.path.append(str(Path(__file__).resolve().parents[2]))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Some of the documents below have no words, which is said wherever they are read."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore:.* have no word in them"))


def local_cluster(**options: Any) -> LocalCluster:
    """Return two worker processes, unless told otherwise."""
    settings: dict[str, Any] = {"n_workers": 2, "env": {"POLARS_MAX_THREADS": "1"}} | options
    return LocalCluster(
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        silence_logs=logging.CRITICAL,
        **settings,
    )


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with local_cluster() as cluster:
        yield cluster


@pytest.fixture
def client(cluster) -> Iterator[Client]:
    with Client(cluster) as client:
        client.wait_for_workers(2, timeout=180)
        yield client


@pytest.fixture(scope="session")
def table() -> pd.DataFrame:
    """400 documents, 20 of them rare; the first quarter has none of these."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(300)])
    labels = ["rare" if i >= 100 and i % 15 == 3 else "common" for i in range(400)]
    own = {"rare": words[:60], "common": words}
    texts = [" ".join(rng.choice(own[label], rng.integers(0, 9))) for label in labels]
    return pd.DataFrame({"body": texts, "topic": labels, "number": range(400)})
