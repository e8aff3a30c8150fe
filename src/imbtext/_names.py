"""Public names that were renamed, moved or removed, and what to use instead.

One table for the whole distribution. A package whose names went takes its ``__getattr__`` from
here, so that an old name is an `ImportError` that says the new one; ``from imbtext import ...``
would hide the message of an `AttributeError`. No old name keeps working.
"""

from collections.abc import Callable
from typing import Final, NoReturn

_PAPER: Final = "the paper's laboratory has it: in a clone, paper.{}"
_MOVED: Final = "it is in {} now"
_BY_NAME: Final = "use imbalanced-learn's on vectors, or the method {!r} by name"

INSTEAD: Final = {
    "imbtext.ADASYN": _BY_NAME.format("adasyn"),
    "imbtext.BorderlineSMOTE": _BY_NAME.format("borderline-smote"),
    "imbtext.GeometricSMOTE": "it made dense copies of all documents; use EMCO, or imbalanced-"
    "learn-extra's on vectors",
    "imbtext.MethodClassifier": "it is imbtext.ResampledClassifier now",
    "imbtext.SMOTE": _BY_NAME.format("smote"),
    "imbtext.reproduction": _PAPER.format("reproduce; python -m paper runs it"),
    "imbtext.surface": "surface forms are part of imbtext.markov; EMCO(surface=True) writes them",
    "imbtext.vocabulary": "growth curves and gamma_by_heaps are in imbtext.markov; fit_heaps, "
    "familiar_share: in a clone, paper.heaps_fit and paper.expansion",
    "imbtext.comparison.Settings": "it is imbtext.comparison.Plan now",
    "imbtext.documents.PaperPreprocessor": _PAPER.format("preprocessing.PaperPreprocessor"),
    "imbtext.markov.Pruned": "counts are not pruned; count a sample of the other classes",
    "imbtext.markov.prune": "counts are not pruned; count a sample of the other classes",
    "imbtext.methods.MethodClassifier": "it is imbtext.ResampledClassifier now",
    "imbtext.methods.Request": "it is imbtext.oversampling.Request now",
    "imbtext.methods.paper_methods": _PAPER.format("experiments.PAPER_METHODS"),
    "imbtext.neural.DuplicateWordWarning": _PAPER.format("embeddings.DuplicateWordWarning"),
    "imbtext.neural.Embedding": _PAPER.format("embeddings.Embedding"),
    "imbtext.neural.LSTMClassifier": _PAPER.format("lstm_classifier.LSTMClassifier"),
    "imbtext.neural.LowCoverageWarning": _PAPER.format("embeddings.LowCoverageWarning"),
    "imbtext.neural.common_length": _PAPER.format("lstm_classifier.common_length"),
    "imbtext.neural.load_embedding": _PAPER.format("embeddings.load_embedding"),
    "imbtext.neural.predict_side_by_side": _PAPER.format("side_by_side.predict_side_by_side"),
    "imbtext.oversampling.ADASYN": _BY_NAME.format("adasyn"),
    "imbtext.oversampling.BaseTextOverSampler": "it is imbtext.oversampling.Sampler now",
    "imbtext.oversampling.BorderlineSMOTE": _BY_NAME.format("borderline-smote"),
    "imbtext.oversampling.GeometricSMOTE": "it made dense copies of all documents; use EMCO, or "
    "imbalanced-learn-extra's on vectors",
    "imbtext.oversampling.Synthetic": "a sampler's draw returns imbtext.oversampling.New",
    "imbtext.oversampling.SMOTE": _BY_NAME.format("smote"),
    "imbtext.rare.Finding": _MOVED.format("imbtext.quality"),
    "imbtext.rare.LabelDoubt": _MOVED.format("imbtext.quality"),
    "imbtext.rare.LabelDoubts": _MOVED.format("imbtext.quality"),
    "imbtext.rare.ModelCheck": _MOVED.format("imbtext.quality"),
    "imbtext.rare.WordChange": _MOVED.format("imbtext.quality"),
    "imbtext.rare.mislabelled": _MOVED.format("imbtext.quality"),
    "imbtext.tables.DocumentColumns": "it is imbtext.tables.Roles now",
    "imbtext.tables.LabelledDocuments": "read_documents returns imbtext.documents.Documents now",
}


def no_attribute(module: str) -> Callable[[str], NoReturn]:
    """Return the ``__getattr__`` of a package, which says what to use instead of an old name.

    Examples
    --------
    >>> no_attribute("imbtext.markov")("prune")
    Traceback (most recent call last):
    ...
    ImportError: imbtext.markov has no 'prune'; counts are not pruned; count a sample of the other \
classes
    """

    def refuse(name: str) -> NoReturn:
        if instead := INSTEAD.get(f"{module}.{name}"):
            raise ImportError(f"{module} has no {name!r}; {instead}", name=module)
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return refuse
