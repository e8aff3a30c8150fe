"""What an encoder brings in other languages: messages of two web shops and sites, in translations.

The messages of Wagtail and django-oscar are labelled by the part of the software that they belong
to (its images, its offers), and stand in English, German and Korean. A model
learns from 5 or 20 documents of a class and 700 others, and is tested on the other half of the
messages: in the language it was trained in, and, trained in English, in each other language. Two
draws. Contestants are words (stems of the language; Korean has none), and words with MiniLM, which
is English, and with USE, which reads all three.

Printed is the mean average precision over classes and draws.

    pip install --no-deps wagtail django-oscar
    python benchmarks/encoder_languages.py
"""

import logging
import random
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import polars as pl
from babel.messages.pofile import read_po
from sklearn.metrics import average_precision_score

from imbtext import RareTextClassifier

LANGUAGES = {"de": "german", "ko": None}
CLASSES = ("images", "users", "catalogue", "offer")
SIZES, DRAWS, N_OTHERS, N_MESSAGES, SHORTEST = (5, 20), 2, 700, 1500, 12
ENCODERS = (None, "minilm", "use")


def messages(code: str) -> dict[str, tuple[str, str]]:
    """Return the part of the software and the translation of each English message."""
    found: dict[str, tuple[str, str]] = {}
    for package in ("wagtail", "oscar"):
        folder = Path(find_spec(package).origin).parent
        for file in sorted(folder.glob(f"**/locale/{code}/LC_MESSAGES/django.po")):
            with file.open("rb") as stream:
                for message in read_po(stream):
                    plain = isinstance(message.id, str) and len(message.id) >= SHORTEST
                    if not (plain and message.string and isinstance(message.string, str)):
                        continue
                    parts = file.relative_to(folder).parts
                    if package == "oscar":
                        if not message.locations:
                            continue
                        parts = tuple(message.locations[0][0].rpartition("apps/")[2].split("/"))
                    found.setdefault(message.id, (parts[0], message.string))
    return found


def main() -> None:
    """Print a table."""
    warnings.simplefilter("ignore")
    logging.disable()
    translated = {code: messages(code) for code in LANGUAGES}
    common = sorted(set.intersection(*map(set, translated.values())))
    random.Random(0).shuffle(common)
    common = common[:N_MESSAGES]
    texts = {code: [of[text][1] for text in common] for code, of in translated.items()}
    texts["en"] = common
    part = np.array([translated["de"][text][0] for text in common])
    print(len(common), "messages", {name: int((part == name).sum()) for name in CLASSES})
    half, rows = np.arange(len(common)) % 2 == 0, []
    for name in CLASSES:
        is_class = part == name
        for size in SIZES:
            for draw in range(DRAWS):
                rng = np.random.default_rng(draw)
                inside = rng.permutation(np.flatnonzero(half & is_class))[:size]
                others = rng.permutation(np.flatnonzero(half & ~is_class))[:N_OTHERS]
                learnt, tested = np.concatenate([inside, others]), np.flatnonzero(~half)
                for encoder in ENCODERS:
                    for code in ("en", *LANGUAGES):
                        model = RareTextClassifier(
                            encoder=encoder,
                            language=LANGUAGES.get(code, "english"),
                            random_state=0,
                        ).fit([texts[code][i] for i in learnt], is_class[learnt])
                        for of_test in {code, *LANGUAGES} if code == "en" else {code}:
                            new = [texts[of_test][i] for i in tested]
                            scores = model.predictions(new).class_scores[:, 0]
                            reached = average_precision_score(is_class[tested], scores)
                            rows.append((size, code, of_test, str(encoder), name, draw, reached))
        print(name, flush=True)
    columns = ["documents", "trained in", "tested in", "encoder", "class", "draw", "ap"]
    wide = pl.DataFrame(rows, schema=columns, orient="row").pivot(
        "encoder", index=columns[:3], values="ap", aggregate_function="mean"
    )
    with pl.Config(tbl_rows=-1, float_precision=3):
        print(wide.sort(columns[:3]))


if __name__ == "__main__":
    main()
