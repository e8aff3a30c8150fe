"""Real tables: text alone, text and columns, and what one would otherwise take, on held-out rows.

HuffPost (headline, description, date; the class is a category, and the link is left out because it
names it) and 20 Newsgroups (subject, body, organization, lines, distribution; what names the group
is left out). Each class is found against the rest by

* RareTextClassifier on the text columns, and with the others beside them;
* skrub's TableVectorizer and scikit-learn's HistGradientBoostingClassifier on the whole table;
* a ColumnTransformer (tf-idf of each text column, TableVectorizer for the others) and balanced
  logistic regression.

Average precision, F1 and F2 on test rows: of HuffPost, rows drawn at random that are in no other
benchmark of tables; of 20 Newsgroups, its official later side, where every other group is made rare
by keeping one in ten of its training messages. Writes results/tables/.

    python benchmarks/tables.py [--classes 4] [--rows 8000] [--tables HuffPost]
"""

import argparse
import gzip
import os
import re
import time
import warnings
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, fbeta_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skrub import TableVectorizer

from imbtext import RareTextClassifier
from imbtext.datasets import load_20newsgroups

OUT = Path(__file__).parents[1] / "results" / "tables"
HUFFPOST = "huffpost/News_Category_Dataset_v3.json.gz"
HEADERS = ("organization", "lines", "distribution")
# The rows before these are those that benchmarks/text_columns.py and beside.py decided on.
FIRST_ROW = 20_000
METHODS = ("text alone", "text and columns", "TableVectorizer + boosting", "tf-idf + logistic")


def huffpost(n_rows: int):
    with gzip.open(Path(os.environ["IMBTEXT_DATA"]) / HUFFPOST) as file:
        frame = pl.read_ndjson(file.read())
    order = np.random.default_rng(0).permutation(frame.height)[FIRST_ROW:]
    parts = [frame[order[:n_rows]], frame[order[n_rows : 2 * n_rows]]]
    return ["headline", "short_description"], ["date"], "category", parts


def newsgroups(_n_rows: int):
    data, rng = load_20newsgroups(remove=()), np.random.default_rng(0)
    parts = []
    for side in (data.train, data.test):
        rows = []
        for row in side:
            group = data.labels[row]
            rare = sorted(data.classes).index(group) % 2 == 0
            if side is data.train and rare and rng.random() > 0.1:
                continue
            header, _, body = data.texts[row].partition("\n\n")
            fields = dict(re.findall(r"^([\w-]+):(.*)$", header, re.MULTILINE))
            fields = {name.lower(): value.strip() for name, value in fields.items()}
            cells = {name: fields.get(name) for name in HEADERS}
            rows.append({"subject": fields.get("subject", ""), "body": body, **cells, "y": group})
        parts.append(pl.DataFrame(rows))
    return ["subject", "body"], list(HEADERS), "y", parts


TABLES = {"HuffPost": huffpost, "20 Newsgroups": newsgroups}


def rare_classes(labels: pl.Series, n_classes: int) -> list[str]:
    sizes = labels.value_counts().filter(
        (pl.col("count") >= 20) & (pl.col("count") < 0.03 * len(labels))
    )
    sizes = sizes.sort("count", labels.name)[labels.name].to_list()
    places = np.linspace(0, len(sizes) - 1, n_classes).round().astype(int)
    return [sizes[i] for i in np.unique(places)]


def scored(model, test: pl.DataFrame, is_class, margins=None) -> dict[str, float]:
    """Return the three measures; `margins` are decisions at the thresholds for F1 and F2."""
    if margins is None:
        scores = model.predict_proba(test.to_pandas())[:, 1]
        margins = (scores > 0.5, scores > 0.5)
    else:
        scores = model.decision_function(test)
    return {
        "average precision": average_precision_score(is_class, scores),
        "F1": fbeta_score(is_class, margins[0], beta=1),
        "F2": fbeta_score(is_class, margins[1], beta=2),
    }


def run(method: str, text, columns, train, test, y_train, y_test) -> dict[str, float]:
    train, test = train.select(*text, *columns), test.select(*text, *columns)
    if method.startswith("text"):
        beside = columns if method == "text and columns" else None
        model = RareTextClassifier("f2", text=text, columns=beside, random_state=0)
        model.fit(train, y_train)
        at = [model.at(metric).predict(test).astype(bool) for metric in ("f1", "f2")]
        return scored(model, test, y_test, at) | {"used": ", ".join(model.columns_)}
    if method == "TableVectorizer + boosting":
        model = make_pipeline(TableVectorizer(), HistGradientBoostingClassifier(random_state=0))
    else:
        numbers = make_pipeline(TableVectorizer(), SimpleImputer(), StandardScaler())
        parts = [(name, TfidfVectorizer(sublinear_tf=True), name) for name in text]
        model = make_pipeline(
            ColumnTransformer([*parts, ("beside", numbers, columns)]),
            LogisticRegression(class_weight="balanced", max_iter=1000),
        )
    filled = train.with_columns(pl.col(text).fill_null(""))
    model.fit(filled.to_pandas(), y_train)
    return scored(model, test.with_columns(pl.col(text).fill_null("")), y_test)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--classes", type=int, default=4)
    parser.add_argument("--rows", type=int, default=8000)
    parser.add_argument("--tables", nargs="+", default=list(TABLES), choices=list(TABLES))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    OUT.mkdir(parents=True, exist_ok=True)
    results = []
    for name in options.tables:
        text, columns, label, (train, test) = TABLES[name](options.rows)
        for wanted in rare_classes(train[label], options.classes):
            y = [(part[label] == wanted).to_numpy() for part in (train, test)]
            for method in METHODS:
                begin = time.perf_counter()
                measured = run(method, text, columns, train, test, *y)
                row = {"table": name, "class": wanted, "n class": int(y[0].sum()), "method": method}
                row |= {"used": ""} | measured | {"seconds": time.perf_counter() - begin}
                results.append(row)
                print(
                    {k: round(v, 3) if isinstance(v, float) else v for k, v in row.items()},
                    flush=True,
                )
                frame = pl.DataFrame(results).with_columns(pl.col(pl.Float64).round(4))
                frame.write_csv(OUT / "tables.csv")
    write_readme(pl.read_csv(OUT / "tables.csv"), options)


def write_readme(frame: pl.DataFrame, options) -> None:
    measures = ["average precision", "F1", "F2"]
    means = frame.group_by("table", "method", maintain_order=True).agg(pl.col(*measures).mean())
    wide = frame.pivot(on="method", index=["table", "class", "n class"], values="average precision")
    behind = wide.with_columns(gain=pl.col("text and columns") - pl.col("text alone"))
    lines = [
        "# Real tables",
        "",
        f"Made by `python benchmarks/tables.py --classes {options.classes} --rows {options.rows} "
        f"--tables {' '.join(map(repr, options.tables))}`, which says what is compared. Means over "
        "classes, on held-out rows:",
        "",
        "| table | method | average precision | F1 | F2 |",
        "|---|---|---|---|---|",
        *(
            f"| {row['table']} | {row['method']} | "
            + " | ".join(f"{row[m]:.3f}" for m in measures)
            + " |"
            for row in means.to_dicts()
        ),
        "",
        "Average precision of each class:",
        "",
        f"| table | class | documents | {' | '.join(METHODS)} |",
        "|---|---|---|---|---|---|---|",
        *(
            f"| {row['table']} | {row['class']} | {row['n class']} | "
            + " | ".join(f"{row[m]:.3f}" for m in METHODS)
            + " |"
            for row in wide.to_dicts()
        ),
        "",
        f"Columns beside the text gain {behind['gain'].mean():+.3f} on average; the worst class "
        f"changes by {behind['gain'].min():+.3f}.",
        "",
    ]
    (OUT / "README.md").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
