"""Surface forms: how a corpus writes its words, counted and drawn.

A chain draws words, but a reader, a cased model or a model of characters sees text. This room
counts how each word is written (its case) after the word before it, and what stands between the two
(spaces, punctuation). Counts add, as transitions do. Writing never changes the words: the tokenizer
finds in the text exactly the words that were drawn.
"""

from imbtext.surface._counts import SurfaceCounts
from imbtext.surface._counts import refuse_tokens as refuse_tokens

__all__ = ["SurfaceCounts"]
