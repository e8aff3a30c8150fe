"""Compare what two work trees answer to the same questions, to the last bit.

    python benchmarks/same_answers.py OLD NEW [--only samplers,methods] [--match emco] [--list]

OLD and NEW are folders of this repository, such as git worktrees. Each tree answers in processes of
its own, one per group, and this script compares the bits:

* samplers: every sampler and its variants; two classes and three, strings and tokens, classes of
  1, 3 and 17 documents;
* methods: every method by name in a classifier, on words and on characters;
* rare: RareTextClassifier in its forms, fitted, moved, and the same from its file;
* compare: the table, the advice, and what the printed snippet predicts when it runs;
* files: oversample, train and predict as commands, on CSV, JSON Lines and Parquet;
* dask: frames of three partitions;
* tables: messy files, row by row;
* paper: nine methods on four Reuters categories, of 1, 3, 9 and 78 documents (needs IMBTEXT_DATA).

An answer that only one tree has is listed and is no failure: a name, an option or a column went or
came. Two errors of one kind agree, whatever they say. Exit status 1 means that answers differ.
Answers of OLD are kept in a folder of the system's temporary files for the next run, as long as its
commit stays and no file in it is changed; --fresh asks again.
"""

import argparse
import base64
import contextlib
import hashlib
import importlib
import io
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import polars as pl
from scipy import sparse

# What a name was called before it was renamed: trees of both sides answer the same question.
HOMES = {
    "ResampledClassifier": ("imbtext.ResampledClassifier", "imbtext.MethodClassifier"),
}
MISSING = re.compile(
    r"unknown method|not a method|has no (option|command)|no such (option|command)"
    r"|unexpected keyword|takes no|has no (parameter|argument)|unknown (feature|metric)",
    re.IGNORECASE,
)
Case = tuple[str, Callable[[], object]]
GROUPS: dict[str, Callable[[], Iterator[Case]]] = {}


class LackingError(Exception):
    """The tree has no such name, parameter or option."""


def group(function: Callable[[], Iterator[Case]]) -> Callable[[], Iterator[Case]]:
    GROUPS[function.__name__] = function
    return function


def named(name: str) -> object:
    """Return a public name of the tree, under the name that it has there."""
    for home in HOMES.get(name, (f"imbtext.{name}",)):
        module, _, attribute = home.rpartition(".")
        with contextlib.suppress(ImportError, AttributeError):
            return getattr(importlib.import_module(module), attribute)
    raise LackingError(name)


def field(value: object, path: str) -> object:
    """Return an attribute of an attribute; a tree may lack it."""
    for name in path.split("."):
        if not hasattr(value, name):
            raise LackingError(path)
        value = getattr(value, name)
    return value


# The inputs -----------------------------------------------------------------------------------

COMMON = (
    "the market rose firms said rates may fall shares sold bank profit Zürich naïve don't e-mail"
)
RARE = "oil crude barrel output price rose fall opec cut rates Öl"
THIRD = "wheat corn harvest price fall tonnes export farm"


def texts_of(sizes: Mapping[str, int], seed: int = 0) -> tuple[list[str], list[str]]:
    """Return shuffled texts and labels: words of the class in any case, some of them unique."""
    rng = random.Random(seed)
    words = {"rare": RARE.split(), "common": COMMON.split(), "third": THIRD.split()}
    labels = [label for label, size in sizes.items() for _ in range(size)]
    rng.shuffle(labels)
    texts = []
    for i, label in enumerate(labels):
        own = rng.choices(words[label], k=rng.randint(2, 9)) + rng.choices(words["common"], k=2)
        own = [rng.choice((word, word, word.upper(), word.title(), f"{word},")) for word in own]
        texts.append(
            " ".join([*own, f"w{rng.randrange(len(labels))}"]) + rng.choice((".", "!", ""))
        )
        if i % 50 == 49:
            texts[-1] = texts[-2]
    return texts, labels


def tokens(texts: list[str]) -> list[list[str]]:
    return [text.lower().split() for text in texts]


NEW_TEXTS, _ = texts_of({"rare": 20, "common": 40, "third": 10}, seed=9)


# The groups -----------------------------------------------------------------------------------


@group
def samplers() -> Iterator[Case]:
    makers = {
        "EMCO(0.1)": lambda **o: named("EMCO")(0.1, **o),
        "EMCO(0)": lambda **o: named("EMCO")(0.0, **o),
        "EMCO(1)": lambda **o: named("EMCO")(1.0, **o),
        "EMCO(heaps)": lambda **o: named("EMCO")("heaps", **o),
        "EMCO(similarity=2)": lambda **o: named("EMCO")(0.5, similarity=2, **o),
        "EMCO(surface)": lambda **o: named("EMCO")(0.1, surface=True, **o),
    }
    for name in ("MCO", "ROS", "EDA"):
        makers[name] = lambda name=name, **o: named(name)(**o)
    strategy = {"rare": 40}
    for size in (1, 3, 17):
        for more in ({}, {"third": 30}):
            texts, y = texts_of({"rare": size, "common": 150, **more})
            for form, X in (("strings", texts), ("tokens", tokens(texts))):
                for name, make in makers.items():

                    def answer(make=make, X=X, y=y):
                        sampler = make(sampling_strategy=strategy, random_state=3)
                        return sampler.fit_resample(X, y)

                    yield f"{name} {form} of {size}, {2 + len(more)} classes", answer
            counts = counted(texts)
            for name in ("DECOM", "DRO"):

                def latent(name=name, X=counts, y=y):
                    sampler = named(name)(sampling_strategy=strategy, random_state=3)
                    if name == "DRO":  # its rows have other columns: it is a transform, too
                        return sampler.fit(X, y).decision_function(X)
                    return sampler.fit_resample(X, y)

                yield f"{name} counts of {size}, {2 + len(more)} classes", latent
    texts, y = texts_of({"rare": 17, "common": 150})
    for name in ("EMCO", "MCO"):

        def drawn(name=name):
            sampler = named(name)(random_state=1).fit(texts, y)
            return sampler.sample(30, "rare"), sampler.sample(5, "common")

        yield f"{name} fit and sample", drawn


def counted(texts: list[str]) -> sparse.csr_array:
    from sklearn.feature_extraction.text import CountVectorizer

    return sparse.csr_array(CountVectorizer().fit_transform(texts).astype(np.float64))


METHODS = [
    "plain",
    "ros",
    "smote",
    "smote(3)",
    "adasyn",
    "borderline-smote",
    "dro",
    "dro(words)",
    "decom",
    "decoder",
    "decom(20)",
    "eda",
    "eda(0.05)",
    "mco",
    "emco",
    "emco(0)",
    "emco(0.1)",
    "emco(1)",
    "emco(heaps)",
    "emco(0.1,similarity=3)",
    "emco(0.1,weight=0.1)",
    "ros(weight=0.5)",
    "class-weight",
    "threshold(f1)",
    "threshold(emco(0.1),f2)",
    "threshold(ros,balanced_accuracy)",
    "rare(f2)",
    "rare(f1)",
    "rare(balanced_accuracy)",
]


@group
def methods() -> Iterator[Case]:
    known = importlib.import_module("imbtext.methods").method_names()
    own = [name for name in known if name not in ("language-model", "seqgan", "prompted")]
    for name in [*METHODS, *(name for name in own if name not in METHODS)]:
        for size in (1, 3, 17):
            for more in ({}, {"third": 30}):
                for features in ("words", "characters"):
                    if features == "characters" and (more or size == 1):
                        continue
                    texts, y = texts_of({"rare": size, "common": 150, **more})
                    for form in ("strings", "tokens"):
                        if form == "tokens" and (features == "characters" or more):
                            continue
                        X, new = texts, NEW_TEXTS
                        if form == "tokens":
                            X, new = tokens(texts), tokens(NEW_TEXTS)

                        def answer(name=name, features=features, X=X, y=y, new=new):
                            model = named("ResampledClassifier")(
                                name, features=features, share=0.3, random_state=4
                            ).fit(X, y)
                            return model.decision_function(new), model.predict(new)

                        what = f"{form}, {features}, of {size}, {2 + len(more)} classes"
                        yield f"{name} {what}", answer


FIELDS = [
    "n_class",
    "n_documents",
    "n_found",
    "n_alarms",
    "recall.mean",
    "recall.lower",
    "recall.upper",
    "precision.mean",
    "precision.lower",
    "precision.upper",
    "alarms.mean",
    "alarms.lower",
    "alarms.upper",
    "average_precision",
    "n_tested",
]
GOALS = ("f1", "f2", "balanced_accuracy", "recall_at_precision(0.7)", "cost(10, 1)")


def rare_forms() -> dict[str, tuple[dict[str, object], object, object, dict[str, object], object]]:
    """Return parameters, X, y, what else fit gets, and new documents by the name of the form."""
    two, y2 = texts_of({"rare": 17, "common": 200})
    three, y3 = texts_of({"rare": 17, "common": 150, "third": 40})
    sets = [{label} if i % 7 else {label, "third"} for i, label in enumerate(y3)]
    sets = [set() if i % 11 == 0 else labels for i, labels in enumerate(sets)]
    indicator = np.column_stack([[name in s for s in sets] for name in ("rare", "third")])
    table = pl.DataFrame({"a": two, "b": two[::-1], "n": [len(text) % 5 for text in two]})
    new = pl.DataFrame({"a": NEW_TEXTS, "b": NEW_TEXTS[::-1], "n": [i % 5 for i in range(70)]})
    few = [i % 40 for i in range(len(two))]
    weights = [1.0 + i % 3 for i in range(len(two))]
    tiny = {f"of {n}": texts_of({"rare": n, "common": 120}) for n in (1, 2, 3)}
    forms = {
        "two classes": ({}, two, y2, {}, NEW_TEXTS),
        "two classes, tokens": ({}, tokens(two), y2, {}, tokens(NEW_TEXTS)),
        "pos_label": ({"pos_label": "common"}, two, y2, {}, NEW_TEXTS),
        "three classes": ({}, three, y3, {}, NEW_TEXTS),
        "sets": ({}, three, sets, {}, NEW_TEXTS),
        "indicator": ({}, three, indicator.astype(int), {}, NEW_TEXTS),
        "groups": ({}, two, y2, {"groups": few}, NEW_TEXTS),
        "time": ({}, two, y2, {"time": list(range(len(two)))}, NEW_TEXTS),
        "weights": ({}, two, y2, {"sample_weight": weights}, NEW_TEXTS),
        "two columns": ({"text": ["a", "b"]}, table, y2, {}, new),
        "columns beside": ({"text": ["a"], "columns": ["n"]}, table, y2, {}, new),
        "language none": ({"language": None}, two, y2, {}, NEW_TEXTS),
        **{name: ({}, texts, y, {}, NEW_TEXTS) for name, (texts, y) in tiny.items()},
    }
    for features in ("words", "words+pairs", "characters"):
        forms[features] = ({"features": features}, two, y2, {}, NEW_TEXTS)
    return forms


@group
def rare() -> Iterator[Case]:
    for form, (parameters, X, y, more, new) in rare_forms().items():
        models: dict[str, object] = {}

        def fitted(parameters=parameters, X=X, y=y, more=more, models=models):
            if "fitted" not in models:
                model = named("RareTextClassifier")(random_state=0, **parameters)
                models["fitted"] = model.fit(X, y, **more)
            return models["fitted"]

        def loaded(fitted=fitted, models=models):
            if "loaded" not in models:
                with tempfile.TemporaryDirectory() as folder:
                    fitted().save(Path(folder) / "m.model")
                    models["loaded"] = named("RareTextClassifier").load(Path(folder) / "m.model")
            return models["loaded"]

        for state, model in (("fitted", fitted), ("loaded", loaded)):
            yield from of_model(f"{form}, {state}", model, new)
        if form in ("two classes", "three classes"):
            for goal in GOALS:
                for state, model in (("fitted", fitted), ("loaded", loaded)):
                    moved = lambda model=model, goal=goal: model().at(goal)  # noqa: E731
                    yield from of_model(f"{form}, {state}, at {goal}", moved, new)


def of_model(name: str, model: Callable[[], object], new: object) -> Iterator[Case]:
    def expectations(field_name):
        found = field(model(), "expectation_")
        found = found if isinstance(found, list) else [found]
        return [field(one, field_name) for one in found]

    yield f"{name}: decision_function", lambda: model().decision_function(new)
    yield f"{name}: predict", lambda: model().predict(new)
    yield f"{name}: predict_proba", lambda: model().predict_proba(new)
    for what in FIELDS:
        yield f"{name}: expectation.{what}", lambda what=what: expectations(what)

    def top_features():
        found = field(model(), "expectation_")
        return [model().top_features(field(one, "label")) for one in found]

    yield f"{name}: top_features", top_features


@group
def compare() -> Iterator[Case]:
    two, y2 = texts_of({"rare": 17, "common": 150})
    three, y3 = texts_of({"rare": 17, "common": 150, "third": 30})
    sets = [{label} if i % 9 else {label, "third"} for i, label in enumerate(y3)]
    names = ["plain", "class-weight", "ros", "emco(0.1)", "threshold(f2)", "rare(f2)"]
    for what, X, y, more in (
        ("two classes", two, y2, {"classes": ["rare"]}),
        ("three classes", three, y3, {"classes": ["rare", "third"]}),
        ("sets", three, sets, {"classes": ["rare"]}),
        ("plain is enough", two, y2, {"classes": ["rare"], "methods": ["plain", "ros"]}),
    ):
        kept: dict[str, object] = {}

        def result(X=X, y=y, more=more, kept=kept):
            if "result" not in kept:
                options = {"methods": names, "folds": 3, "repeats": 1, "random_state": 5, **more}
                options["group_duplicates"] = False  # the default has changed
                kept["result"] = named("compare")(X, y, **options)
            return kept["result"]

        frame = lambda result=result: result().table()  # noqa: E731
        for column in ("method", "average_precision", "f1", "f2", "balanced_accuracy", "recall"):
            yield f"{what}: table {column}", lambda c=column, frame=frame: in_column(frame(), c)
        for part in ("method", "verdict", "strength"):
            name = f"recommendation.{part}"
            yield f"{what}: {name}", lambda result=result, name=name: field(result(), name)

        def snippet(result=result, X=X, y=y):
            code = field(result(), "recommendation.snippet")
            scope = {"texts": X, "y": y, "new_texts": NEW_TEXTS}
            exec(code, scope)
            return scope["in_class"]

        yield f"{what}: what the snippet predicts", snippet


def in_column(frame: pl.DataFrame, column: str) -> object:
    if column not in frame.columns:
        raise LackingError(column)
    return frame[column].to_list()


def command(*arguments: object, program: str = "imbtext") -> None:
    """Run a command of the tree in this process."""
    run = importlib.import_module("imbtext.cli").main
    said = io.StringIO()
    before, sys.argv = sys.argv, [program, *map(str, arguments)]
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            run()
        status = 0
    except SystemExit as end:
        status = end.code or 0
    finally:
        sys.argv = before
    if status not in (0, 1):
        words = " ".join(said.getvalue().split())
        raise LackingError(words) if MISSING.search(words) else ValueError(words)


def write(folder: Path, kind: str, columns: Mapping[str, list[object]]) -> Path:
    path, frame = folder / f"in.{kind}", pl.DataFrame(columns)
    if kind == "csv":
        frame.write_csv(path)
    elif kind == "parquet":
        frame.write_parquet(path)
    else:
        frame.write_ndjson(path)
    return path


def columns_of(path: Path) -> dict[str, list[object]]:
    if path.suffix == ".csv":
        frame = pl.read_csv(path, infer_schema=False)
    else:
        frame = pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_ndjson(path)
    return {name: frame[name].to_list() for name in frame.columns}


class Written(list):
    """Differences of numbers that files hold with six digits each."""


def with_margin(columns: dict[str, list[object]]) -> dict[str, list[object]]:
    """Add by how much scores exceed their threshold; once, that was what the score meant."""
    if "score" in columns:
        cut = columns.get("threshold", [0] * len(columns["score"]))
        pairs = zip(columns["score"], cut, strict=True)
        columns["margin"] = Written(float(score) - float(t) for score, t in pairs)
    return columns


def outputs(run: Callable[[Path], Path], columns: list[str]) -> Iterator[Case]:
    """Run once, and answer column by column of the file that `run` writes."""
    kept: dict[str, object] = {}

    def column(name):
        if not kept:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    kept["columns"] = with_margin(columns_of(run(Path(folder))))
                except Exception as error:
                    kept["error"] = error
                    raise
        if "error" in kept:
            raise kept["error"]
        if name not in kept["columns"]:
            raise LackingError(name)
        return kept["columns"][name]

    for name in columns:
        yield name, lambda name=name: column(name)


@group
def files() -> Iterator[Case]:
    texts, y = texts_of({"rare": 17, "common": 200})
    columns = {"id": list(range(217)), "body": texts, "topic": y}
    flags = {
        "emco": ["--method", "emco", "--gamma", "0.1"],
        "mco": ["--method", "mco"],
        "ros": ["--method", "ros"],
        "surface": ["--method", "emco", "--surface"],
    }
    for kind in ("csv", "jsonl", "parquet"):
        for method, given in flags.items():

            def oversampled(folder, kind=kind, given=given):
                out = folder / f"out.{kind}"
                source = write(folder, kind, columns)
                command("oversample", source, "-o", out, "--text", "body", "--label", "topic",
                        "--share", "0.3", "--seed", "3", "--quiet", *given)  # fmt: skip
                return out

            for name, answer in outputs(oversampled, ["id", "body", "topic", "synthetic"]):
                yield f"oversample {method} {kind}: {name}", answer

        def predicted(folder, kind=kind):
            source, model, out = write(folder, kind, columns), folder / "m.model", folder / "q.csv"
            command("train", source, "--text", "body", "--label", "topic", "--class", "rare",
                    "-o", model, "--quiet")  # fmt: skip
            command("predict", model, source, "-o", out, "--quiet")
            return out

        for name, answer in outputs(predicted, ["id", "body", "decision", "margin", "probability"]):
            yield f"train and predict {kind}: {name}", answer


@group
def dask() -> Iterator[Case]:
    import dask as package
    import dask.dataframe as dd
    import pandas as pd

    texts, y = texts_of({"rare": 17, "common": 200})
    table = pd.DataFrame({"body": texts, "topic": y, "number": range(217)})
    distributed = importlib.import_module("imbtext.distributed")

    def frame():
        return dd.from_pandas(table, 3)

    def computed(made):
        with package.config.set(scheduler="synchronous"):
            result = made.compute()
        return {str(c): result[c].astype(object).where(result[c].notna(), None).tolist()
                for c in result.columns}  # fmt: skip

    for name in ("EMCO", "MCO", "ROS"):

        def oversampled(name=name):
            sampler = named(name)(sampling_strategy={"rare": 60}, random_state=7)
            return computed(
                distributed.oversample(frame(), text="body", label="topic", sampler=sampler)
            )

        yield f"oversample {name}", oversampled

    def predicted(column):
        model = named("RareTextClassifier")(random_state=0).fit(texts, y)
        cells = with_margin(computed(distributed.predict(model, frame(), text="body")))
        if column not in cells:
            raise LackingError(column)
        return cells[column]

    for column in ("decision", "margin", "probability"):
        yield f"predict {column}", lambda column=column: predicted(column)


MESSY = {
    "quotes and line breaks": 'text,label\n"a ""quoted"" oil\nprice",rare\n',
    "a byte order mark": "\ufefftext,label\n",
    "empty lines and cells": "text,label\n\n,common\n   ,common\noil,\noil,   \n",
    "semicolons": "text;label\n",
    "tabs": "text\tlabel\n",
    "carriage returns": "text,label\r\n",
    "labels that look like numbers": "text,label\noil,01\nopec,1\ngas,1.0\n",
}


@group
def tables() -> Iterator[Case]:
    texts, y = texts_of({"rare": 17, "common": 120})
    for name, head in MESSY.items():
        mark = next((c for c in ";\t" if c in head), ",")
        end = "\r\n" if "\r\n" in head else "\n"
        content = head + "".join(
            f'"{text}"{mark}{label}{end}' for text, label in zip(texts, y, strict=True)
        )
        flags = [] if mark == "," else ["--delimiter", "tab" if mark == "\t" else mark]

        def predicted(folder, content=content, flags=flags):
            source, model, out = folder / "in.csv", folder / "m.model", folder / "q.parquet"
            source.write_text(content, "utf-8", newline="")
            command("train", source, "--text", "text", "--label", "label", "--class", "rare",
                    "-o", model, "--quiet", *flags)  # fmt: skip
            command("predict", model, source, "-o", out, "--quiet", *flags)
            return out

        for column, answer in outputs(predicted, ["text", "label", "decision", "margin"]):
            yield f"{name}: {column}", answer


@group
def paper() -> Iterator[Case]:
    if "IMBTEXT_DATA" not in os.environ:
        return
    names = ["svm", "ros", "smote", "adasyn", "mco", "emco(0.1)", "dro", "decom", "eda"]
    categories = {"castor-oil": 1, "cpu": 3, "tea": 9, "soybean": 78}
    kept: dict[tuple[str, str], object] = {}

    def run():
        with tempfile.TemporaryDirectory() as folder:
            options = ["reuters-titles", "--categories", ",".join(categories), "--methods",
                       ",".join(names), "--repetitions", "1", "--ratio", "0.2", "--jobs", "1",
                       "--quiet", "--out", folder]  # fmt: skip
            module = ["paper"] if importlib.util.find_spec("paper") else ["imbtext", "reproduce"]
            script = [sys.executable, "-m", *module, *options]
            done = subprocess.run(script, check=False, capture_output=True, text=True)
            if done.returncode:
                raise ValueError(" ".join(done.stderr.split())[-400:])
            with contextlib.closing(sqlite3.connect(Path(folder) / "units.sqlite")) as store:
                rows = store.execute("SELECT category, method, scores, error FROM units")
                for category, method, scores, error in rows:
                    kept[category, method] = json.loads(scores) if scores else error

    def answer(key):
        if not kept:
            run()
        if key not in kept:
            raise LackingError(key)
        return kept[key]

    for category, size in categories.items():
        for name in names:
            yield (
                f"{name} on {category}, {size} documents",
                lambda key=(category, name): answer(key),
            )


# Bits -----------------------------------------------------------------------------------------


def bits(value: object) -> object:  # noqa: PLR0911
    """Return a value as JSON in which nothing is rounded and types count."""
    if sparse.issparse(value):
        matrix = sparse.csr_array(value)
        matrix.sum_duplicates()
        parts = (matrix.data, matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64))
        return ["csr", list(matrix.shape), *map(bits, parts)]
    if isinstance(value, np.ndarray) and value.dtype.kind not in "OUS":
        data = np.ascontiguousarray(value).tobytes()
        return ["array", value.dtype.str, list(value.shape), base64.b64encode(data).decode()]
    if isinstance(value, np.ndarray):
        return ["objects", list(value.shape), bits(value.ravel().tolist())]
    if isinstance(value, float | np.floating):
        return ["float", float(value).hex()]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, Mapping):
        return ["map", sorted(([str(k), bits(v)] for k, v in value.items()), key=lambda p: p[0])]
    if isinstance(value, set | frozenset):
        return ["set", sorted(map(str, value))]
    if isinstance(value, Written):
        return ["written", [*map(bits, value)]]
    if isinstance(value, list | tuple):
        return [*map(bits, value)]
    return value if value is None or isinstance(value, str) else str(value)


def answers(group_name: str, match: str) -> dict[str, object]:
    """Answer the cases of a group in the tree that this process imports."""
    found: dict[str, object] = {}
    for key, case in GROUPS[group_name]():
        if match not in key:
            continue
        try:
            found[key] = {"answer": bits(case())}
        except (LackingError, ImportError) as lack:
            found[key] = {"lacks": str(lack)[:200]}
        except Exception as error:
            lacks = isinstance(error, TypeError | ValueError) and MISSING.search(str(error))
            words = f"{type(error).__name__}: {error}"[:300]
            found[key] = {"lacks": words} if lacks else {"error": words}
    return found


def floats_of(value: object) -> Iterator[float]:
    if isinstance(value, list) and value[:1] == ["float"]:
        yield float.fromhex(value[1])
    elif isinstance(value, list) and value[:1] == ["array"]:
        array = np.frombuffer(base64.b64decode(value[3]), np.dtype(value[1]))
        yield from array.astype(np.float64).tolist() if array.dtype.kind in "fiub" else ()
    elif isinstance(value, list):
        for part in value:
            yield from floats_of(part)


def difference(old: dict[str, object], new: dict[str, object]) -> str:
    """Return in words how two answers differ."""
    if "answer" not in old or "answer" not in new:
        return f"{shown(old)} -> {shown(new)}"
    before, after = list(floats_of(old["answer"])), list(floats_of(new["answer"]))
    if before and len(before) == len(after) and before != after:
        apart = np.abs(np.subtract(before, after))
        n, most = np.sum(apart > 0), np.nanmax(apart)
        return f"{n} of {len(before)} numbers differ, by at most {most:.3g}"
    a, b = json.dumps(old["answer"]), json.dumps(new["answer"])
    at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0)
    return f"{a[max(0, at - 40) : at + 80]} -> {b[max(0, at - 40) : at + 80]}"


def shown(answer: dict[str, object]) -> str:
    (kind, value), *_ = answer.items()
    return f"{kind} {json.dumps(value)[:300]}"


def same(old: dict[str, object], new: dict[str, object]) -> bool:
    if "error" in old and "error" in new:
        return old["error"].split(":")[0] == new["error"].split(":")[0]
    answer = old.get("answer")
    if old != new and isinstance(answer, list) and answer[:1] == ["written"]:
        before, after = list(floats_of(answer)), list(floats_of(new.get("answer")))
        return len(before) == len(after) and bool(np.allclose(before, after, rtol=0, atol=3e-6))
    return old == new


def state_of(tree: Path) -> str | None:
    """Return what the answers of a tree depend on, if nothing in it is changed."""

    def git(*arguments: str) -> str:
        script = ["git", "-C", str(tree), *arguments]
        done = subprocess.run(script, check=False, capture_output=True, text=True)
        return done.stdout.strip()

    if not git("rev-parse", "HEAD") or git("status", "--porcelain", "--", "src", "paper"):
        return None
    sources = git("rev-parse", "HEAD:src") + Path(__file__).read_text("utf-8") + sys.version
    return hashlib.sha256(sources.encode()).hexdigest()[:16]


def ask(tree: Path, group_name: str, match: str, fresh: bool = False) -> dict[str, object]:
    """Return the answers of a tree, from a process that imports it."""
    state = None if match else state_of(tree)
    kept = Path(tempfile.gettempdir()) / "imbtext-same-answers" / f"{state}-{group_name}.json"
    if state and kept.exists() and not fresh:
        return json.loads(kept.read_text("utf-8"))
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(tree / "src"), str(tree)]),
        "PYTHONHASHSEED": "0",
    }
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "answers.json"
        script = [sys.executable, "-P", __file__, "--answer", group_name, "--write", out]
        subprocess.run([*script, "--match", match], env=environment, cwd=folder, check=True)
        found = json.loads(out.read_text("utf-8"))
    if state:
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(json.dumps(found), "utf-8")
    return found


def report(group_name: str, old: dict[str, object], new: dict[str, object]) -> int:
    """Print how the answers of a group agree, and return how many differ."""
    keys = list(dict.fromkeys([*old, *new]))
    absent = {"lacks": "not asked"}
    pairs = {key: (old.get(key, absent), new.get(key, absent)) for key in keys}
    one_sided = [k for k, (a, b) in pairs.items() if ("lacks" in a) != ("lacks" in b)]
    both = [key for key, (a, b) in pairs.items() if "lacks" not in a and "lacks" not in b]
    differ = [key for key in both if not same(*pairs[key])]
    n_errors = sum("error" in pairs[key][0] for key in both if key not in differ)
    print(f"{group_name}: {len(both) - len(differ)} answers agree", end="")
    print(f" ({n_errors} of them errors)" if n_errors else "", end="")
    print(f", {len(differ)} differ, {len(one_sided)} in one tree only", flush=True)
    for key in differ:
        print(f"  DIFFERS {key}: {difference(*pairs[key])}")
    for side, name in ((0, "OLD"), (1, "NEW")):
        lacking = [key for key in one_sided if "lacks" in pairs[key][side]]
        for key in lacking[:12]:
            print(f"  {name} lacks {key}: {pairs[key][side]['lacks']}")
        if len(lacking) > 12:
            print(f"  {name} lacks {len(lacking) - 12} more")
    return len(differ)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("trees", nargs="*", type=Path, metavar="TREE", help="OLD and NEW")
    parser.add_argument("--only", default=",".join(GROUPS), help="groups, separated by commas")
    parser.add_argument("--match", default="", help="only cases whose name contains this")
    parser.add_argument("--fresh", action="store_true", help="ask OLD again")
    parser.add_argument("--list", action="store_true", help="list the cases and answer none")
    parser.add_argument("--answer", help=argparse.SUPPRESS)
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    chosen = options.only.split(",")
    if unknown := set(chosen) - set(GROUPS):
        parser.error(f"no group {', '.join(unknown)}; the groups are {', '.join(GROUPS)}")
    warnings.simplefilter("ignore")
    if options.answer:
        found = answers(options.answer, options.match)
        options.write.write_text(json.dumps(found), "utf-8")
    elif options.list:
        for name in chosen:
            print("\n".join(f"{name}: {key}" for key, _ in GROUPS[name]()))
    elif len(options.trees) != 2:
        parser.error("give two trees, OLD and NEW")
    else:
        old, new = (tree.resolve() for tree in options.trees)
        n = 0
        for name in chosen:
            before = ask(old, name, options.match, options.fresh)
            n += report(name, before, ask(new, name, options.match))
        sys.exit(f"{n} answers differ" if n else 0)


if __name__ == "__main__":
    main()
