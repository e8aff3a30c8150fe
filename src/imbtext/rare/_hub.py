"""A model on the Hugging Face hub: its file, and a card with its promise.

The file is the one that `RareTextClassifier.save` writes: arrays and text, no code, so loading a
stranger's model runs nothing of theirs. The card is the model's own, in Markdown. Above it stands
what the hub reads (`model-index`): recall, precision and average precision on held-out documents.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from imbtext._extras import require
from imbtext.documents._languages import STEMMED
from imbtext.rare._card import model_card
from imbtext.rare._fitted import FittedModel
from imbtext.rare._saved import save_model

_EXTRA: Final = "hub"
#: The name of the model's file in a repository.
MODEL_FILE: Final = "model.imbtext"
_DATA: Final = "held-out training documents"


def push_model(
    model: FittedModel,
    repository: str,
    *,
    private: bool = True,
    token: str | None = None,
    message: str = "A model of imbalanced-text",
) -> str:
    """Write file and card in one commit, and return the commit's address."""
    hub = require("huggingface_hub", extra=_EXTRA)
    card = hub_card(model, repository)
    api = hub.HfApi(token=token, library_name="imbalanced-text")
    with TemporaryDirectory() as folder:
        path = Path(folder) / MODEL_FILE
        save_model(path, model)
        api.create_repo(repository, private=private, exist_ok=True)
        files = {MODEL_FILE: path, "README.md": card.encode()}
        commit = api.create_commit(
            repository,
            [hub.CommitOperationAdd(name, content) for name, content in files.items()],
            commit_message=message,
        )
    return str(commit.commit_url)


def file_from_hub(
    repository: str, *, revision: str | None = None, token: str | None = None
) -> Path:
    """Return the file of a model on the hub, which is fetched once into the hub's cache."""
    hub = require("huggingface_hub", extra=_EXTRA)
    errors = require("huggingface_hub.errors", extra=_EXTRA)
    try:
        return Path(hub.hf_hub_download(repository, MODEL_FILE, revision=revision, token=token))
    except errors.LocalEntryNotFoundError:  # no connection, and not in the cache
        raise
    except errors.EntryNotFoundError:
        raise ValueError(
            f"{repository} has no {MODEL_FILE}, which push_to_hub writes; load another kind of "
            "model with the library that its page names"
        ) from None


def hub_card(model: FittedModel, repository: str) -> str:
    """Return the card of a model with the lines above it that the hub reads."""
    hub = require("huggingface_hub", extra=_EXTRA)
    codes = [code for code, name in STEMMED.items() if name == model.language]
    data = hub.ModelCardData(
        model_name=repository.rpartition("/")[2],
        language=codes[0] if codes else None,
        library_name="imbalanced-text",
        pipeline_tag="text-classification",
        tags=["imbalanced-text", "rare-class"],
        eval_results=_results(model) or None,
    )
    usage = (
        "## From the hub\n\n```python\nfrom imbtext import RareTextClassifier\n\n"
        f"model = RareTextClassifier.from_hub({repository!r})\n```\n"
    )
    return f"---\n{data.to_yaml()}\n---\n\n{model_card(model, MODEL_FILE).markdown()}\n{usage}"


def _results(model: FittedModel) -> list[Any]:
    """Return what to expect as the hub's results; what is not known is left out."""
    hub = require("huggingface_hub", extra=_EXTRA)
    results = []
    for one in model.expectation:
        named = {"recall": one.recall, "precision": one.precision}
        about = {
            name: (i.mean, f" (95% interval {i.lower:.3f} to {i.upper:.3f})")
            for name, i in named.items()
        } | {"average_precision": (one.average_precision, "")}
        for metric, (value, interval) in about.items():
            if np.isfinite(value):
                results.append(
                    hub.EvalResult(
                        task_type="text-classification",
                        dataset_type="held-out",
                        dataset_name=_DATA,
                        metric_type=metric,
                        metric_value=round(float(value), 4),
                        metric_name=f'{metric.replace("_", " ")} of "{one.label}"{interval}',
                    )
                )
    return results
