"""Whether a model is still good, and whether labels are right.

A check compares new documents with those that a model knows. An audit measures what the model finds
now, from a few documents that are read. `mislabelled` lists labels that are probably wrong.
"""

from imbtext.quality._audit import AuditEstimates, Stratum
from imbtext.quality._mislabelled import LabelDoubt, LabelDoubts, mislabelled
from imbtext.quality._model_audit import Audit, AuditResult
from imbtext.quality._model_check import Finding, ModelCheck, WordChange

__all__ = [
    "Audit",
    "AuditEstimates",
    "AuditResult",
    "Finding",
    "LabelDoubt",
    "LabelDoubts",
    "ModelCheck",
    "Stratum",
    "WordChange",
    "mislabelled",
]
