"""How a vocabulary grows with the text, and what oversampling does to it (sections 4.1 and 7)."""

from imbtext.vocabulary._charts import growth_chart, law_layer
from imbtext.vocabulary._expansion import (
    ExpansionReport,
    FamiliarShare,
    expansion_of_words,
    expansion_report,
    familiar_share,
)
from imbtext.vocabulary._growth import (
    GrowthCurve,
    HeapsFit,
    HeapsLaw,
    fit_heaps,
    growth_curve,
    rarefied_words,
)
from imbtext.vocabulary._prediction import (
    ClassOutlook,
    class_outlook,
    expected_visits,
    expected_vocabulary,
    gamma_by_heaps,
    words_by_heaps,
)
from imbtext.vocabulary._prediction import percent as percent

__all__ = [
    "ClassOutlook",
    "ExpansionReport",
    "FamiliarShare",
    "GrowthCurve",
    "HeapsFit",
    "HeapsLaw",
    "class_outlook",
    "expansion_of_words",
    "expansion_report",
    "expected_visits",
    "expected_vocabulary",
    "familiar_share",
    "fit_heaps",
    "gamma_by_heaps",
    "growth_chart",
    "growth_curve",
    "law_layer",
    "rarefied_words",
    "words_by_heaps",
]
