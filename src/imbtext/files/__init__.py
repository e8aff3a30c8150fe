"""From file to file, in bounded memory: oversample, predict, check, audit, count.

Files may be larger than memory, because rows pass through in batches. With ``pool=``, the workers
of a cluster each read and write parts of the files. :mod:`imbtext.distributed` has the pool for
Dask, and does the same for Dask data frames.
"""

from imbtext.files._auditing import AuditProgress, audit_file
from imbtext.files._checking import check_file
from imbtext.files._counting import count_files
from imbtext.files._oversampling import oversample_files
from imbtext.files._predicting import DecisionCounts, predict_file
from imbtext.files._sizes import ClassSizes
from imbtext.files._writing import RowsWritten

__all__ = [
    "AuditProgress",
    "ClassSizes",
    "DecisionCounts",
    "RowsWritten",
    "audit_file",
    "check_file",
    "count_files",
    "oversample_files",
    "predict_file",
]
