"""Chinese and Japanese: what EMCO draws from characters, and from words that a segmenter finds.

The documents are Sphinx's messages in simplified and traditional Chinese and in Japanese; a tenth
of them, drawn at random, is the class. EMCO(1) writes as many documents as there are. Printed is
the share of their characters that stand in words of two or more characters, as the dictionaries of
ICU find them, and the same of the messages themselves. Documents of a chain of words have spaces
between the words; they are removed first. docs/results/choices.md states what came out.

    pip install icu4py babel sphinx
    python benchmarks/segmenters.py
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import sphinx
from babel.messages.pofile import read_po

from imbtext import EMCO
from imbtext.documents import unicode_words

LANGUAGES = {"zh_CN": "Chinese", "zh_TW": "Chinese (traditional)", "ja": "Japanese"}


def messages(code: str) -> list[str]:
    """Return the translated messages of a language."""
    file = Path(sphinx.__file__).parent / "locale" / code / "LC_MESSAGES" / "sphinx.po"
    with file.open("rb") as stream:
        texts = [m.string for m in read_po(stream) if isinstance(m.string, str)]
    return [text for text in texts if any(not character.isascii() for character in text)]


def share_in_words(texts: list[str]) -> float:
    """Return the share of characters beyond ASCII that stand in words of two or more."""
    words = [word for text in texts for word in unicode_words(text) if not word.isascii()]
    return sum(len(word) for word in words if len(word) > 1) / sum(map(len, words))


def drawn(texts: list[str], tokenizer: Callable[[str], list[str]] | None) -> list[str]:
    """Return as many synthetic documents as there are texts."""
    is_class = np.random.default_rng(0).random(len(texts)) < 0.1
    emco = EMCO(1.0, tokenizer=tokenizer, random_state=0).fit(texts, is_class)
    return [text.replace(" ", "") for text in emco.sample(len(texts), label=True)]


if __name__ == "__main__":
    print("| | messages | EMCO, characters | EMCO, words |\n|---|---:|---:|---:|")
    for code, language in LANGUAGES.items():
        texts = messages(code)
        shares = (
            share_in_words(texts)
            for texts in (texts, drawn(texts, None), drawn(texts, unicode_words))
        )
        print(f"| {language} |", " | ".join(f"{share:.3f}" for share in shares), "|")
