"""The labelling loop: which document to read next, what is left, and when to stop."""

from imbtext.labelling._labelling import NO as NO
from imbtext.labelling._labelling import YES as YES
from imbtext.labelling._labelling import Labelling
from imbtext.labelling._remaining import Progress
from imbtext.labelling._simulation import Simulation, simulate

__all__ = ["Labelling", "Progress", "Simulation", "simulate"]
