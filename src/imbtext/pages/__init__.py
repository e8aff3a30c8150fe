"""Pages that people read, with one look: HTML, Markdown and plain text.

The report of a comparison, the card of a model and the check of new documents are such pages.
"""

__all__: list[str] = []
