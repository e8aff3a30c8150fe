"""How well py3langid tells languages apart on short texts: Sphinx's messages in its translations.

Messages of 20 characters or more, as shipped with Sphinx, in the languages that have a stemmer.
Printed by language: messages, and the share of them whose language is found; then messages per
second.

    python benchmarks/languages.py
"""

import time
from collections import Counter
from pathlib import Path

import py3langid
import sphinx
from babel.messages.pofile import read_po

from imbtext.documents import STEMMED

SHORTEST = 20


def main() -> None:
    n_messages: Counter[str] = Counter()
    n_right: Counter[str] = Counter()
    py3langid.classify("the model is loaded")
    seconds = 0.0
    for file in sorted(Path(sphinx.__file__).parent.glob("locale/*/LC_MESSAGES/sphinx.po")):
        language = STEMMED.get(file.parts[-3].partition("_")[0])
        if language is None:
            continue
        with file.open("rb") as stream:
            messages = [
                message.string
                for message in read_po(stream)
                if isinstance(message.string, str)
                and len(message.string) >= SHORTEST
                and message.string != message.id
            ]
        start = time.perf_counter()
        found = [STEMMED.get(py3langid.classify(message)[0]) for message in messages]
        seconds += time.perf_counter() - start
        n_messages[language] += len(messages)
        n_right[language] += found.count(language)
    for language, n in n_messages.most_common():
        print(f"{language:12}{n:6}{n_right[language] / max(n, 1):8.1%}")
    n = n_messages.total()
    print(f"{'all':12}{n:6}{n_right.total() / n:8.1%}{n / seconds:10,.0f} per second")


if __name__ == "__main__":
    main()
