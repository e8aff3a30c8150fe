"""The paper's protocol and statistics, and honest comparisons on the user's own documents."""

from imbtext.evaluation.comparing import compare, default_methods
from imbtext.evaluation.comparison import Comparison, Settings
from imbtext.evaluation.recommend import Recommendation

__all__ = ["Comparison", "Recommendation", "Settings", "compare", "default_methods"]
