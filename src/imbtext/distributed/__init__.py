"""Oversampling on Dask: partitions are counted where they lie, synthetic rows drawn by workers."""

from imbtext.bulk.outputs import Form
from imbtext.distributed._cluster import connected
from imbtext.distributed._files import count_files, oversample_files
from imbtext.distributed._frames import fit, oversample
from imbtext.distributed._pool import DaskPool

__all__ = ["DaskPool", "Form", "connected", "count_files", "fit", "oversample", "oversample_files"]
