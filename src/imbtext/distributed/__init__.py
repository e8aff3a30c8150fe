"""Oversampling on Dask: partitions are counted where they lie, synthetic rows drawn by workers."""

from imbtext.distributed._cluster import connected
from imbtext.distributed._frames import fit, oversample

__all__ = ["connected", "fit", "oversample"]
