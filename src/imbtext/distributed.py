"""Dask: data frames, and the cluster to work on.

Partitions are counted, sampled and scored where they lie, and the workers draw the synthetic rows.
Files go through :func:`imbtext.files.oversample_files` and :func:`imbtext.files.predict_file`,
whose parameter `dask` names the cluster; comparisons and trainings take a :class:`DaskPool` as
`n_jobs`.
"""

from imbtext.files import ClusterError, DaskPool, connected, fit, oversample, predict, train

__all__ = ["ClusterError", "DaskPool", "connected", "fit", "oversample", "predict", "train"]
