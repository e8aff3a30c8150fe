"""Dask data frames, and the cluster to work on.

The workers count, sample and score partitions where they are stored, and draw the synthetic rows.
A :class:`DaskPool` is `pool` for :func:`imbtext.files.oversample_files`, `predict_file` and
`count_files`, and `n_jobs` for comparisons and trainings.
"""

from imbtext.distributed._cluster import ClusterError, DaskPool, connected
from imbtext.distributed._frames import fit, oversample, predict
from imbtext.distributed._training import train

__all__ = ["ClusterError", "DaskPool", "connected", "fit", "oversample", "predict", "train"]
