"""Is a model still good? Audits measure what it finds now, from a few documents that are read."""

from imbtext.quality._audit import AuditEstimates, Stratum
from imbtext.quality._model_audit import Audit, AuditResult

__all__ = ["Audit", "AuditEstimates", "AuditResult", "Stratum"]
