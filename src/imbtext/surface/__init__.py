"""Surface forms: how a corpus writes its words, and drawn words written the same way.

A chain draws words; a reader, a cased model or a model of characters sees text. Here is counted
how each word is written (case) after the word before it, and what stands between it and the word
behind it (spaces, punctuation). Counts add, as transitions do. The words stay as they were drawn:
the tokenizer finds exactly them in what is written.
"""

from imbtext.surface._counts import SurfaceCounts, refuse_tokens

__all__ = ["SurfaceCounts", "refuse_tokens"]
