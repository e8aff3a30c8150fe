"""Dask data frames, and the cluster to work on.

The workers count, sample and score partitions where they are stored, and draw the synthetic rows.
For files, use :func:`imbtext.files.oversample_files` and :func:`imbtext.files.predict_file` with
`dask`. For comparisons and trainings, pass a :class:`DaskPool` as `n_jobs`.
"""

from imbtext.files._cluster import ClusterError, DaskPool, connected
from imbtext.files._frames import fit, oversample, predict
from imbtext.files._training import train

__all__ = ["ClusterError", "DaskPool", "connected", "fit", "oversample", "predict", "train"]
