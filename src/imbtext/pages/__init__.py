"""Pages that people read, with one look: HTML, Markdown and plain text.

The report of a comparison, the card of a model and the check of new documents are such pages.
"""

from imbtext.pages._page import Chart as Chart
from imbtext.pages._page import Page as Page
from imbtext.pages._page import Section as Section
from imbtext.pages._page import Table as Table
from imbtext.pages._templates import page_frame as page_frame
from imbtext.pages._templates import templates as templates

__all__: list[str] = []
