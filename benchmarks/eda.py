"""EDA in documents per second, against the same four operations written plainly on NLTK's WordNet.

Run: python -m benchmarks.eda --data-home FOLDER   (the folder with nltk_data/ and huffpost/)

Both sides get the same raw headlines, make the same number of new ones of each, and return texts.
Both start with the synonyms unread: cleaning, looking up synonyms, generating and joining all
count. Opening the WordNet files (and numba's compilation) is timed apart.
"""

import argparse
import gzip
import json
import random
import re
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from imbtext.oversampling._wordnet import WordNet
from imbtext.oversampling.synonyms import ENGLISH_STOPWORDS
from paper.eda import augment_texts_as_published

COPIES = 9
RATE = 0.1
N_HUFFPOST = 20_000


def plain_synonyms(word: str, wordnet: Any) -> list[str]:
    found = set()
    for synset in wordnet.synsets(word):
        for lemma in synset.lemmas():
            name = lemma.name().replace("_", " ").replace("-", " ").lower()
            found.add("".join(c for c in name if c == " " or "a" <= c <= "z"))
    return sorted(found - {word, ""})


def plain_replacement(words: list[str], n: int, wordnet: Any) -> list[str]:
    candidates = sorted({word for word in words if word not in ENGLISH_STOPWORDS})
    random.shuffle(candidates)
    replaced = 0
    for candidate in candidates:
        synonyms = plain_synonyms(candidate, wordnet)
        if synonyms:
            chosen = random.choice(synonyms)
            words = [chosen if word == candidate else word for word in words]
            replaced += 1
        if replaced >= n:
            break
    return words


def plain_insertion(words: list[str], n: int, wordnet: Any) -> list[str]:
    new = list(words)
    for _ in range(n):
        for _ in range(9):
            synonyms = plain_synonyms(random.choice(words), wordnet)
            if synonyms:
                new.insert(random.randrange(len(new)), random.choice(synonyms))
                break
    return new


def plain_swap(words: list[str], n: int, _wordnet: Any) -> list[str]:
    new = list(words)
    for _ in range(n):
        i = random.randrange(len(new))
        for _ in range(3):
            j = random.randrange(len(new))
            if i != j:
                new[i], new[j] = new[j], new[i]
                break
    return new


def plain_deletion(words: list[str], _n: int, _wordnet: Any) -> list[str]:
    kept = [word for word in words if random.random() >= RATE]
    return kept or [random.choice(words)]


def plain_eda(texts: list[str], wordnet: Any) -> list[str]:
    new = []
    for text in texts:
        words = re.sub("[^a-z]+", " ", re.sub("['\u2019]", "", text).lower()).split()
        if not words:
            new += [""] * COPIES
            continue
        n = max(1, int(RATE * len(words)))
        operations = [plain_replacement, plain_insertion, plain_swap, plain_deletion]
        made = [
            " ".join(operation(words, n, wordnet))
            for operation in operations
            for _ in range(COPIES // 4 + 1)
        ]
        random.shuffle(made)
        new += made[:COPIES]
    return new


def reuters_headlines(data_home: Path) -> list[str]:
    with zipfile.ZipFile(data_home / "nltk_data/corpora/reuters.zip") as archive:
        names = [n for n in archive.namelist() if "/training/" in n and not n.endswith("/")]
        return [archive.read(name).decode("latin-1").partition("\n")[0] for name in names]


def huffpost_headlines(data_home: Path) -> list[str]:
    with gzip.open(data_home / "huffpost/News_Category_Dataset_v3.json.gz", "rt") as lines:
        return [json.loads(next(lines))["headline"] for _ in range(N_HUFFPOST)]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    # Both sides run in one thread; processor time is deaf to whatever else the machine does.
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def open_nltk(nltk_data: Path) -> Any:
    import nltk.data
    from nltk.corpus import LazyCorpusLoader
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    warnings.filterwarnings("ignore", "The multilingual functions")
    nltk.data.path[:] = [str(nltk_data)]
    reader = LazyCorpusLoader("wordnet", WordNetCorpusReader, None)
    reader.synsets("warm")
    return reader


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-home", type=Path, required=True)
    data_home = parser.parse_args().data_home
    random.seed(0)
    corpora = {
        "Reuters headlines": reuters_headlines(data_home),
        "HuffPost headlines": huffpost_headlines(data_home),
    }
    path = data_home / "nltk_data/corpora/wordnet.zip"
    ours_opened, wordnet = timed(lambda: WordNet.read(path))
    # Unpacked for NLTK, which is slower still on the archive.
    temporary = tempfile.TemporaryDirectory(prefix="imbtext-benchmark-")
    unpacked = Path(temporary.name)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(unpacked / "corpora")
    nltk_opened, _ = timed(lambda: open_nltk(unpacked))
    compiled, _ = timed(lambda: augment_texts_as_published(["warm up"], 4, synonyms=path, seed=0))
    print(f"opening WordNet: ours {ours_opened:.2f} s, NLTK {nltk_opened:.2f} s; ", end="")
    print(f"kernels loaded or compiled in {compiled:.2f} s\n")
    print(f"{'corpus':20}{'new texts':>10}{'plain/s':>10}{'ours/s':>10}{'ratio':>8}{'again':>8}")
    for name, texts in corpora.items():
        reader = open_nltk(unpacked)  # anew: NLTK keeps the synsets it has seen
        wordnet._known.clear()

        def ours(texts: list[str] = texts) -> list[str]:
            return augment_texts_as_published(
                texts, COPIES, synonyms=path, seed=0, keep_originals=False
            )[0]

        seconds, made = timed(ours)
        again, _ = timed(ours)
        plain_seconds, plain_made = timed(lambda t=texts, r=reader: plain_eda(t, r))
        assert len(made) == len(plain_made) == COPIES * len(texts)
        print(
            f"{name:20}{len(made):>10,}{len(made) / plain_seconds:>10,.0f}"
            f"{len(made) / seconds:>10,.0f}{plain_seconds / seconds:>8.1f}"
            f"{plain_seconds / again:>8.1f}"
        )
    print("\nratio: plain over ours, both with no synonym looked up before; again: ours repeated")


if __name__ == "__main__":
    main()
