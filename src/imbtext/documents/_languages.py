"""The language that documents are written in, as far as stems need to know it.

The detector is py3langid: a small model inside its wheel, pure Python and NumPy, nothing to
download. ``benchmarks/languages.py`` measures it on short messages in 25 languages.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from imbtext._extras import require
from imbtext._messages import DataWarning, warn_user
from imbtext._typing import Document

# The languages of Snowball's stemmers by the codes of the detector.
STEMMED: Final = {
    **{"ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek"},
    **{"en": "english", "es": "spanish", "eu": "basque", "fi": "finnish", "fr": "french"},
    **{"ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian"},
    **{"it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch"},
    **{"nn": "norwegian", "no": "norwegian", "pt": "portuguese", "ro": "romanian"},
    **{"ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish"},
}
_MOST_READ: Final = 2000
# Below this share, the rest is more than the detector's own mistakes on short texts.
_MAIN_SHARE: Final = 0.8
_LONGEST: Final = 1000


def main_language(documents: Sequence[Document]) -> str | None:
    """Return the language of most documents, None if they are in several or in one without stems.

    Of many documents, 2,000 at even distances are looked at. A warning names the languages of a
    mixed table.

    Examples
    --------
    >>> main_language(["Der Preis für Öl steigt weiter an", "Heute regnet es im ganzen Land"])
    'german'
    """
    detector = require("py3langid", extra="languages")
    rows = np.linspace(0, len(documents) - 1, min(len(documents), _MOST_READ)).astype(int)
    texts = (documents[row] for row in np.unique(rows).tolist())
    joined = (text if isinstance(text, str) else " ".join(map(str, text)) for text in texts)
    codes = [detector.classify(text[:_LONGEST])[0] for text in joined if text.strip()]
    counts = Counter(STEMMED.get(code, code) for code in codes)
    if not counts:
        return None
    (language, n), *_ = counts.most_common(1)
    if n >= _MAIN_SHARE * len(codes):
        return language if language in STEMMED.values() else None
    shares = ", ".join(f"{name} {n / len(codes):.0%}" for name, n in counts.most_common(3))
    warn_user(
        f"the documents are in several languages ({shares}); words are taken as they are, since no "
        "stems fit all of them",
        DataWarning,
    )
    return None
