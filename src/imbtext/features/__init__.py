"""Vectors of documents: from words, columns, encoders, or the user's own."""

from imbtext.features._columns import ColumnFeatures as ColumnFeatures
from imbtext.features._columns import ColumnReader as ColumnReader
from imbtext.features._columns import ColumnTerms as ColumnTerms
from imbtext.features._columns import TrainingColumns as TrainingColumns
from imbtext.features._features import NO_TERM as NO_TERM
from imbtext.features._features import Features as Features
from imbtext.features._features import TrainingVectors as TrainingVectors
from imbtext.features._features import WeighedVectors as WeighedVectors
from imbtext.features._meaning import MEANING as MEANING
from imbtext.features._meaning import Meaning as Meaning
from imbtext.features._own_features import Centring as Centring
from imbtext.features._own_features import OwnFeatures as OwnFeatures
from imbtext.features._side_by_side import SideBySide as SideBySide
from imbtext.features._side_by_side import TrainingSideBySide as TrainingSideBySide
from imbtext.features._sources import feature_sources as feature_sources
from imbtext.features._sources import get_features as get_features
from imbtext.features._sources import name_of_features as name_of_features
from imbtext.features._terms import Alphabet as Alphabet
from imbtext.features._terms import GramBlock as GramBlock
from imbtext.features._terms import Occurrences as Occurrences
from imbtext.features._terms import Terms as Terms
from imbtext.features._terms import Vectors as Vectors
from imbtext.features._terms import WordBlock as WordBlock
from imbtext.features._terms import idf_weights as idf_weights
from imbtext.features._text_features import FEATURES as FEATURES
from imbtext.features._text_features import TextFeatures
from imbtext.features.encoders import get_encoder

__all__ = ["TextFeatures", "get_encoder"]
