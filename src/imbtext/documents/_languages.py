"""The languages that documents are written in, and the stems of their words.

A table is in one language or in several. In a table of several languages, each document gets the
stems of its own. Languages are written as a user types them: ``"german"``, or ``"english+german"``
for documents in either. A language without stems appears by its code, as in ``"english+pl"``; its
documents keep their words as they are instead of getting another language's stems.

The detector is py3langid: a small model inside its wheel, pure Python and NumPy, nothing to
download. ``benchmarks/languages.py`` compares it with others. It gets texts in lower case, because
it mistakes titles and shouting for other languages. It chooses only among languages that tables are
likely to be in: otherwise it takes 37% of Reuters' headlines for Yoruba.

Stems are PyStemmer's. It is compiled and has no wheels for a new Python for a while. Without it,
they are those of snowballstemmer, which is generated from the same Snowball sources: it is slower
and gives the same stems.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext._extras import require
from imbtext._typing import Document
from imbtext.documents._documents import Documents

_stemmer: Any
try:
    import Stemmer

    _stemmer, _algorithms = Stemmer.Stemmer, Stemmer.algorithms
except ModuleNotFoundError:
    import snowballstemmer

    _stemmer, _algorithms = snowballstemmer.stemmer, snowballstemmer.algorithms

# The languages of Snowball's stemmers by the codes of the detector.
STEMMED: Final = {
    **{"ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek"},
    **{"en": "english", "es": "spanish", "eu": "basque", "fi": "finnish", "fr": "french"},
    **{"ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian"},
    **{"it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch"},
    **{"nn": "norwegian", "no": "norwegian", "pt": "portuguese", "ro": "romanian"},
    **{"ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish"},
}
# Languages of many documents that have no stems here.
WITHOUT_STEMS: Final = (
    *("bg", "bn", "cs", "et", "fa", "he", "hr", "ja", "ko", "lv", "ms", "pl", "sk", "sl", "th"),
    *("uk", "ur", "vi", "zh"),
)
_MOST_READ: Final = 2000
# On English texts of five kinds, no other language was found in more than 2% of the documents.
_LEAST_SHARE: Final = 0.03
# A few odd documents are not a second language either, unless there are only a few documents.
_LEAST_DOCUMENTS, _SHARE_OF_FEW = 5, 0.2
# The first characters of a long document show its language.
_LONGEST: Final = 1000


def stem_words(words: Sequence[str], language: str) -> list[str]:
    """Return the stem of each word.

    Examples
    --------
    >>> stem_words(["calls", "calling"], "english")
    ['call', 'call']
    """
    return list(_stemmer(language).stemWords(list(words)))


def languages_with_stems() -> list[str]:
    """Return the languages whose stems are known."""
    return list(_algorithms())


def languages_found(documents: Documents | Sequence[Document]) -> str | None:
    """Return the languages of documents, the most frequent first; None if none has stems.

    At most 2,000 documents are read, at even distances. A language counts if at least 3% of them,
    and at least five, are in it.

    Examples
    --------
    >>> german = ["Der Preis für Öl steigt weiter an", "Heute regnet es im ganzen Land"]
    >>> languages_found(german)
    'german'
    >>> languages_found([*german, "The price of oil goes up", "It rains all over the country", ""])
    'english+german'
    """
    counts = count_languages(documents)
    n = counts.total()
    least = max(_LEAST_SHARE * n, min(_LEAST_DOCUMENTS, _SHARE_OF_FEW * n))
    # Of equals the first by name, whichever document comes first.
    falling = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    kept = [name for name, n_documents in falling if n_documents >= least]
    return "+".join(kept) if any(name in STEMMED.values() for name in kept) else None


def count_languages(documents: Documents | Sequence[Document], shortest: int = 1) -> Counter[str]:
    """Return how many of at most 2,000 documents are in each language.

    Documents with fewer characters than `shortest` are left out.
    """
    rows = np.unique(
        np.linspace(0, len(documents) - 1, min(len(documents), _MOST_READ)).astype(int)
    )
    readable = documents if isinstance(documents, Documents) else Documents.of(documents)
    texts = readable.select(rows).strings()
    detect = _detector([*STEMMED, *WITHOUT_STEMS])
    codes = [detect(text) for text in texts if len(text.strip()) >= shortest]
    return Counter(STEMMED.get(code, code) for code in codes)


def language_of_each(texts: pl.Series, languages: str) -> NDArray[np.int64]:
    """Return the number of each text's language among `languages`; a blank text gets the first.

    Examples
    --------
    >>> texts = pl.Series(["The price of oil", "Der Preis für Öl", ""])
    >>> language_of_each(texts, "english+german").tolist()
    [0, 1, 0]
    """
    names = languages.split("+")
    number_of = {code: names.index(name) for code, name in STEMMED.items() if name in names}
    number_of |= {name: number for number, name in enumerate(names) if name in WITHOUT_STEMS}
    detect = _detector(list(number_of))
    numbers = (number_of[detect(text)] if text.strip() else 0 for text in texts)
    return np.fromiter(numbers, np.int64, len(texts))


def _detector(among: Sequence[str]) -> Callable[[str], str]:
    """Return a function from a text to the likeliest of these languages."""
    rank = require("py3langid", extra="languages").rank
    codes = frozenset(among)

    def detect(text: str) -> str:
        ranked = rank(text[:_LONGEST].lower())
        return next((code for code, _ in ranked if code in codes), among[0])

    return detect
