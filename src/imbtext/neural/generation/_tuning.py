"""From a model of all documents to a model of one class, without learning its few by heart."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from imbtext.neural.generation._checkpoints import Advance, Checkpoint, Log
from imbtext.neural.generation._language_model import LanguageModel
from imbtext.neural.generation._likelihood_training import LikelihoodTraining

# A class of fewer documents than this has none to hold back and is tuned for a fixed time.
FEWEST_TO_CHOOSE = 20
FIXED_EPOCHS = 4
_HELD_BACK = 0.25


def tune(
    model: LanguageModel,
    rows: NDArray[np.integer],
    training: LikelihoodTraining,
    seed: int,
    stage: int,
    checkpoint: Checkpoint,
    advance: Advance | None = None,
) -> Log:
    """Train `model` in place on the documents of a class, `rows`; return the losses by epoch.

    A few documents are soon known by heart. So a trial run holds a quarter of them back and
    counts the epochs until those are likeliest; the model is then trained on all of them for as
    long.
    """
    epochs = min(FIXED_EPOCHS, training.epochs)
    if len(rows) >= FEWEST_TO_CHOOSE:
        trial = replace(training, held_back=_HELD_BACK)
        log = trial.run(model.copied(), rows, seed, stage, Checkpoint(None, ""))
        epochs = 1 + int(np.argmin([record["held_back_loss"] for record in log]))
    final = replace(training, epochs=epochs, held_back=0.0)
    return final.run(model, rows, seed, stage, checkpoint, advance)
