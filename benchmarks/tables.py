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
by keeping one in ten of its training messages. Writes results/tables/. A run that was stopped goes
on where it was: what is finished stands in results/tables/partial.csv until all of it is.

    python benchmarks/tables.py [--classes 5] [--rows 8000] [--tables HuffPost]
"""

import argparse
import re
import time
import warnings
from itertools import product
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

from huffpost import huffpost_rows
from imbtext import RareTextClassifier
from imbtext.datasets import load_20newsgroups

OUT = Path(__file__).parents[1] / "results" / "tables"
HEADERS = ("organization", "lines", "distribution")
# The rows before these are those that benchmarks/text_columns.py and beside.py decided on.
FIRST_ROW = 20_000
METHODS = ("text alone", "text and columns", "TableVectorizer + boosting", "tf-idf + logistic")


def huffpost(n_rows: int):
    frame = huffpost_rows()
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


class Task:
    """A table in its training and test rows, and the vectors of the methods that share them."""

    def __init__(self, name: str, n_rows: int) -> None:
        self.text, self.columns, self.label, sides = TABLES[name](n_rows)
        self.labels = [side[self.label] for side in sides]
        self.sides = [side.select(*self.text, *self.columns) for side in sides]
        self._vectors: dict[str, list] = {}

    def measured(self, method: str, wanted: str) -> dict[str, float | str]:
        """Return the three measures of a method on the test rows of a class."""
        y = [(labels == wanted).to_numpy() for labels in self.labels]
        used, begin = "", time.perf_counter()
        if method.startswith("text"):
            train, test = self.sides
            beside = self.columns if method == "text and columns" else None
            model = RareTextClassifier("f2", text=self.text, columns=beside, random_state=0)
            model.fit(train, y[0])
            scores, used = model.decision_function(test), ", ".join(model.columns_)
            put = [model.at(metric).predict(test).astype(bool) for metric in ("f1", "f2")]
        else:
            model = (
                HistGradientBoostingClassifier(random_state=0)
                if method == "TableVectorizer + boosting"
                else LogisticRegression(class_weight="balanced", max_iter=1000)
            )
            train, test = self.vectors(method)
            scores = model.fit(train, y[0]).predict_proba(test)[:, 1]
            put = [scores > 0.5] * 2
        return {
            "n class": int(y[0].sum()),
            "used": used,
            "average precision": average_precision_score(y[1], scores),
            "F1": fbeta_score(y[1], put[0], beta=1),
            "F2": fbeta_score(y[1], put[1], beta=2),
            "seconds": time.perf_counter() - begin,
        }

    def vectors(self, method: str) -> list:
        """Return the vectors of both sides; they do not depend on the class."""
        if method not in self._vectors:
            numbers = make_pipeline(TableVectorizer(), SimpleImputer(), StandardScaler())
            parts = [(name, TfidfVectorizer(sublinear_tf=True), name) for name in self.text]
            vectorizer = (
                TableVectorizer()
                if method == "TableVectorizer + boosting"
                else ColumnTransformer([*parts, ("beside", numbers, self.columns)])
            )
            filled = [
                side.with_columns(pl.col(self.text).fill_null("")).to_pandas()
                for side in self.sides
            ]
            train = vectorizer.fit_transform(filled[0])
            self._vectors[method] = [train, vectorizer.transform(filled[1])]
        return self._vectors[method]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--classes", type=int, default=5)
    parser.add_argument("--rows", type=int, default=8000)
    parser.add_argument("--tables", nargs="+", default=list(TABLES), choices=list(TABLES))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    OUT.mkdir(parents=True, exist_ok=True)
    partial = OUT / "partial.csv"
    results = pl.read_csv(partial).to_dicts() if partial.exists() else []
    finished = {(row["table"], row["class"], row["method"], row["rows"]) for row in results}
    for name in options.tables:
        task = Task(name, options.rows)
        wanted = rare_classes(task.labels[0], options.classes)
        for place in product(wanted, METHODS):
            if (name, *place, options.rows) in finished:
                continue
            row = {"table": name, "class": place[0], "method": place[1], "rows": options.rows}
            row |= task.measured(place[1], place[0])
            shown = {k: round(v, 3) if isinstance(v, float) else v for k, v in row.items()}
            print(shown, flush=True)
            results.append(row)
            frame = pl.DataFrame(results).with_columns(pl.col(pl.Float64).round(4))
            frame.write_csv(partial)
    partial.replace(OUT / "tables.csv")
    command = f"python benchmarks/tables.py --classes {options.classes} --rows {options.rows}"
    if options.tables != list(TABLES):
        command += f" --tables {' '.join(map(repr, options.tables))}"
    (OUT / "README.md").write_text(readme(pl.read_csv(OUT / "tables.csv"), command))


def readme(frame: pl.DataFrame, command: str) -> str:
    """Return what came out, in words and tables."""
    measures = ["average precision", "F1", "F2"]
    by_method = frame.group_by("method", maintain_order=True).agg(pl.col(*measures).mean())
    by_table = frame.group_by("table", "method", maintain_order=True).agg(pl.col(*measures).mean())
    of_method = frame.pivot(
        on="method", index=["table", "class", "n class"], values="average precision"
    )
    used = frame.filter(pl.col("method") == METHODS[1]).select("table", "class", "used")
    classes = of_method.join(used, on=["table", "class"])
    gains = classes[METHODS[1]] - classes[METHODS[0]]
    n_used = int((classes["used"].fill_null("") != "").sum())
    lines = [
        "# Real tables",
        "",
        f"Made by `{command}`, which says what is compared. Means over {classes.height} classes of "
        f"{frame['table'].n_unique()} tables, on held-out rows:",
        "",
        f"| method | {' | '.join(measures)} |",
        "|---|---|---|---|",
        *_rows(by_method, ["method"], measures),
        "",
        f"Columns beside the text are used for {n_used} of the {classes.height} classes. They gain "
        f"{gains.mean():+.3f} average precision on average; the worst class changes by "
        f"{gains.min():+.3f} and the best by {gains.max():+.3f}.",
        "",
        "RareTextClassifier chooses its threshold for F1 or F2 itself. The other two decide at a "
        "probability of one half, as they come; average precision does not depend on it.",
        "",
        "Table by table:",
        "",
        f"| table | method | {' | '.join(measures)} |",
        "|---|---|---|---|---|",
        *_rows(by_table, ["table", "method"], measures),
        "",
        "Average precision of each class:",
        "",
        f"| table | class | training rows | {' | '.join(METHODS)} | columns used |",
        "|---|---|---|---|---|---|---|---|",
        *_rows(classes, ["table", "class", "n class"], METHODS, ["used"]),
        "",
    ]
    return "\n".join(lines)


def _rows(frame: pl.DataFrame, names: list[str], numbers, more: tuple[str, ...] | list[str] = ()):
    for row in frame.to_dicts():
        cells = [str(row[name]) for name in names] + [f"{row[name]:.3f}" for name in numbers]
        yield f"| {' | '.join([*cells, *(str(row[name] or '') for name in more)])} |"


if __name__ == "__main__":
    main()
