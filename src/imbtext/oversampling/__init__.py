"""The samplers: EMCO, MCO, EDA and ROS on documents, the others on vectors."""

from typing import TYPE_CHECKING

from imbtext._messages import FallbackWarning
from imbtext._names import no_attribute
from imbtext.oversampling._base import BaseTextOverSampler, Synthetic
from imbtext.oversampling._base import ClassByClass as ClassByClass
from imbtext.oversampling._base import ClassRequest as ClassRequest
from imbtext.oversampling._budget import BudgetExceededError, Usage
from imbtext.oversampling._decom import DECOM
from imbtext.oversampling._decom import TopicOversampling as TopicOversampling
from imbtext.oversampling._decom import with_rows as with_rows
from imbtext.oversampling._dro import DRO
from imbtext.oversampling._dro import widen as widen
from imbtext.oversampling._eda import EDA
from imbtext.oversampling._eda_operations import (
    augment_texts_as_published as augment_texts_as_published,
)
from imbtext.oversampling._emco import EMCO
from imbtext.oversampling._emco import MarkovOversampling as MarkovOversampling
from imbtext.oversampling._emco import SyntheticDocuments as SyntheticDocuments
from imbtext.oversampling._emco import all_transitions as all_transitions
from imbtext.oversampling._latent_space import LATENTS as LATENTS
from imbtext.oversampling._latent_space import Latent as Latent
from imbtext.oversampling._mco import MCO
from imbtext.oversampling._openai_model import Answer, OpenAIModel, PromptingError
from imbtext.oversampling._prompted import PromptedSampler
from imbtext.oversampling._ros import ROS
from imbtext.oversampling._ros import random_rows as random_rows
from imbtext.oversampling._shared import SharedWork as SharedWork
from imbtext.oversampling._strategy import minority_share
from imbtext.oversampling._strategy import missing_documents as missing_documents
from imbtext.oversampling._synonyms import synonym_lookup
from imbtext.oversampling._vectors import ADASYN, SMOTE, BorderlineSMOTE
from imbtext.oversampling._wordnet import find_wordnet

__all__ = [
    "ADASYN",
    "DECOM",
    "DRO",
    "EDA",
    "EMCO",
    "MCO",
    "ROS",
    "SMOTE",
    "Answer",
    "BaseTextOverSampler",
    "BorderlineSMOTE",
    "BudgetExceededError",
    "FallbackWarning",
    "OpenAIModel",
    "PromptedSampler",
    "PromptingError",
    "Synthetic",
    "Usage",
    "find_wordnet",
    "minority_share",
    "synonym_lookup",
]

if not TYPE_CHECKING:  # types know the names that exist
    __getattr__ = no_attribute(__name__)
