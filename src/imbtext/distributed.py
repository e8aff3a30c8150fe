"""Oversampling on Dask: partitions are counted where they lie, synthetic rows drawn by workers."""

from imbtext.files._cluster import DaskPool, connected
from imbtext.files._dask_files import count_files, oversample_files
from imbtext.files._dask_frames import fit, oversample
from imbtext.files._outputs import Form

__all__ = ["DaskPool", "Form", "connected", "count_files", "fit", "oversample", "oversample_files"]
