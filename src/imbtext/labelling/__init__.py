"""The labelling loop: what to read next, what is left, and when to stop."""

from imbtext.labelling._class_labels import NO as NO
from imbtext.labelling._deciding import PoolDecisions
from imbtext.labelling._decisions import Decision as Decision
from imbtext.labelling._labelling import Labelling
from imbtext.labelling._labels_file import LabelsFile as LabelsFile
from imbtext.labelling._labels_file import are_labels as are_labels
from imbtext.labelling._labels_file import files_beside as files_beside
from imbtext.labelling._remaining import Progress
from imbtext.labelling._session import DocumentTakenError as DocumentTakenError
from imbtext.labelling._session import LabellingSession as LabellingSession
from imbtext.labelling._session import OfferedDocument as OfferedDocument
from imbtext.labelling._session import labels_of_classes as labels_of_classes
from imbtext.labelling._settings import SessionSettings as SessionSettings
from imbtext.labelling._simulation import Simulation, simulate
from imbtext.labelling._stopping import safe_to_stop

__all__ = ["Labelling", "PoolDecisions", "Progress", "Simulation", "safe_to_stop", "simulate"]
