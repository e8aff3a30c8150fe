"""Asking a large language model for documents: prompts, answers, the server, the cache, the bill.

What :class:`imbtext.PromptedSampler` is made of. Nothing here keeps an API key: it is read from the
environment when a request is sent, and cut out of whatever comes back.
"""

from imbtext.prompting._answers import Answer, PromptingError
from imbtext.prompting._bill import BudgetExceededError, Price, Usage

__all__ = ["Answer", "BudgetExceededError", "Price", "PromptingError", "Usage"]
