"""The labelling loop: what to read next, what is left, and when to stop."""

from imbtext.labelling._deciding import PoolDecisions
from imbtext.labelling._labelling import Labelling
from imbtext.labelling._remaining import Progress
from imbtext.labelling._simulation import Simulation, simulate
from imbtext.labelling._stopping import safe_to_stop

__all__ = ["Labelling", "PoolDecisions", "Progress", "Simulation", "safe_to_stop", "simulate"]
