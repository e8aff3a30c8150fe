"""The paper's experiments and tables, beside what this machine gets.

`reproduce` runs what the paper ran, and what we added, and writes every table and figure; the
command ``imbtext reproduce`` is the same from a terminal. `EXPERIMENTS` and `prepare` give the
splits for experiments of your own on the paper's data, `published_cells` the published numbers.

This room is the first user of the package: it imports public names only.
"""

from imbtext.reproduction._experiments import EXPERIMENTS, PaperExperiment
from imbtext.reproduction._options import Options, Outcome
from imbtext.reproduction._published import published_cells
from imbtext.reproduction._reproduce import reproduce
from imbtext.reproduction._splits import RawSplit, Split, prepare, raw_splits

__all__ = [
    "EXPERIMENTS",
    "Options",
    "Outcome",
    "PaperExperiment",
    "RawSplit",
    "Split",
    "prepare",
    "published_cells",
    "raw_splits",
    "reproduce",
]
