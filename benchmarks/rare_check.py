"""How often `imbtext check` calls documents drifted: of the same source, of later years, of others.

    python benchmarks/rare_check.py [MODELS]

* *Same source.* MODELS models (60) are trained on headlines of HuffPost and on titles of Reuters: a
  rare class and 500 or 1,500 documents by chance. Each checks 50, 300 and 2,000 other documents of
  its source, without and with labels. Every drift is a false alarm; at most 5% may be.
* *Another source.* The same models check as many documents of the other source.
* *Later years.* A model of HuffPost's first two years, for each of three classes, checks 1,000
  headlines of every later year.
"""

import sys
from collections import Counter, defaultdict

import numpy as np
import polars as pl

from huffpost import huffpost_rows
from imbtext import RareTextClassifier
from imbtext.datasets import load_huffpost, load_reuters

SIZES = (50, 300, 2_000)


def sources():
    for data in (load_huffpost(), load_reuters()):
        labels = [set(label) if data.multilabel else {label} for label in data.labels]
        yield data.name, np.array(data.texts, dtype=object), labels


def same_and_other(n_models):
    every = {name: (texts, labels) for name, texts, labels in sources()}
    for name, (texts, labels) in every.items():
        ((other_texts, _),) = (data for other, data in every.items() if other != name)
        n_drifted = Counter()
        for seed in range(n_models):
            generator = np.random.default_rng(seed)
            order = generator.permutation(len(texts))
            n = int(generator.choice([500, 1_500]))
            training, others = order[:n], order[n:]
            sizes = Counter(label for i in training for label in labels[i])
            rare = sorted(label for label, size in sizes.items() if 8 <= size <= 0.3 * n)
            label = str(generator.choice(rare))
            model = RareTextClassifier(
                features=str(generator.choice(["words", "auto"])), random_state=seed
            ).fit(texts[training].tolist(), [label in labels[i] for i in training])
            for size in SIZES:
                new = others[:size]
                y = [label in labels[i] for i in new]
                n_drifted["same", size] += model.check(texts[new].tolist()).drifted
                n_drifted["same, labelled", size] += model.check(texts[new].tolist(), y).drifted
                drawn = generator.choice(len(other_texts), size, replace=False)
                n_drifted["other", size] += model.check(other_texts[drawn].tolist()).drifted
        for which in ("same", "same, labelled", "other"):
            shares = "  ".join(f"{n:,}: {n_drifted[which, n] / n_models:6.1%}" for n in SIZES)
            print(f"{name}, {n_models} models, drifted of {which:15} {shares}", flush=True)


def later_years():
    rows = huffpost_rows()
    rows = rows.filter(pl.col("headline").str.len_chars() > 0)
    texts, categories = rows["headline"].to_list(), rows["category"].to_list()
    years = rows["date"].cast(pl.String).str.slice(0, 4).to_numpy()
    by_year = {year: np.flatnonzero(years == year) for year in np.unique(years)}
    n_drifted, n_checked, first_words = Counter(), Counter(), defaultdict(list)
    for seed, label in enumerate(("CRIME", "BUSINESS", "TECH")):
        generator = np.random.default_rng(seed)
        training = generator.choice(np.flatnonzero(years <= "2013"), 4_000, replace=False)
        y = [categories[i] == label for i in training]
        model = RareTextClassifier(features="words", random_state=seed)
        model.fit([texts[i] for i in training], y)
        for year, of_year in by_year.items():
            new = generator.permutation(np.setdiff1d(of_year, training))[:1_000]
            labels = [categories[i] == label for i in new]
            found = model.check([texts[i] for i in new], labels)
            n_drifted[year] += found.drifted
            n_checked[year] += 1
            first_words[year] = [change.word for change in found.rose[:6]]
    for year in by_year:
        words = ", ".join(first_words[year])
        print(f"HuffPost {year}: drifted {n_drifted[year]} of {n_checked[year]}; rose: {words}")


if __name__ == "__main__":
    later_years()
    same_and_other(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
