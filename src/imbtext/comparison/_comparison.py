"""The result of a comparison: scores, tests, costs and the recommendation."""

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from imbtext._messages import listed
from imbtext._typing import Label, Record
from imbtext.comparison._advice import Recommendation
from imbtext.comparison._illustration import illustrate
from imbtext.comparison._inspection import ClassInspection, inspect_class
from imbtext.comparison._plan import Plan
from imbtext.comparison._scores import ScoredFit, ScoredFold
from imbtext.comparison._settings import MEAN_OF_CLASSES
from imbtext.features._sources import name_of_features
from imbtext.methods._registry import get_method
from imbtext.metrics import Confusion
from imbtext.quality._mislabelled import LabelDoubts, mislabelled
from imbtext.tables._csv import without_formula
from imbtext.writing import write_text

if TYPE_CHECKING:
    from altair.typing import ChartType

# How many documents to show, of all classes together and of each. A report of many classes is no
# larger than one of few.
_SHOWN_OF_ALL: Final = 1200
_MOST_SHOWN: Final = 300
_LEAST_SHOWN: Final = 40
# How many labels of each class the report asks the reader to check.
_N_DOUBTS: Final = 5


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The result of `imbtext.comparison.compare`.

    Attributes
    ----------
    scores : polars DataFrame
        One row per class, method, repeat and fold: the measures, seconds and rows added.
    summary : polars DataFrame
        One row per class, method and metric: mean, and the limits of its 95% interval.
    tests : polars DataFrame
        Every method against the plain classifier and against each simple baseline (class weights,
        tuned threshold, random oversampling): difference, 95% interval, p-value as it is and after
        Holm's correction, and the name of the test.
    costs : polars DataFrame
        Seconds per fit (resampling, training, predicting) and synthetic documents, on average.
    balance : dict of str to int
        Documents of each class.
    warnings : tuple of str
        What to know before you believe the numbers.
    recommendations : dict of str to Recommendation
        One per class, and one for their mean where there are several classes.
    plan : Plan
        What was compared: the settings, the documents and the folds.
    counts : dict of str to dict of str to Confusion
        For each class and method, what it finds, misses and flags wrongly, on average over the
        repeats that tested every document.
    fits : tuple of ScoredFit
        Every fit that was compared, with its scores and its decisions on tested documents.
    has_commands : bool
        Whether `with_commands` added the commands that apply the recommendations.
    """

    scores: pl.DataFrame
    summary: pl.DataFrame
    tests: pl.DataFrame
    costs: pl.DataFrame
    balance: dict[str, int]
    warnings: tuple[str, ...]
    recommendations: dict[str, Recommendation]
    plan: Plan
    counts: Mapping[str, Mapping[str, Confusion]]
    fits: tuple[ScoredFit, ...]
    has_commands: bool = False

    def __repr__(self) -> str:
        classes, methods = self.plan.classes, self.plan.methods
        looked_for = repr(classes[0]) if len(classes) == 1 else f"{len(classes)} classes"
        n, notes = len(methods), len(self.warnings)
        lines = [
            f"Comparison({n} method{'s' * (n != 1)} for {looked_for}, "
            f"{self.plan.n_documents:,} documents)",
            self.recommendation.result,
            self.recommendation.headline,
        ]
        if notes:
            lines.append(
                f"Before you believe this, read its {notes} note{'s' * (notes != 1)}: .warnings"
            )
        return "\n".join(lines)

    @property
    def overall(self) -> str:
        """The class, or the name of the mean where there are several classes."""
        return next(iter(self.recommendations))

    @property
    def recommendation(self) -> Recommendation:
        """The recommendation for the class, or for all classes together."""
        return self.recommendations[self.overall]

    @property
    def signature(self) -> str:
        """Settings, seed and versions as one line."""
        return self.plan.signature()

    @property
    def n_passes(self) -> int:
        """How many repeats tested every document: counts of documents are averages over these."""
        rows = self.scores.filter(pl.col("method") == self.plan.methods[0])
        rows = rows.filter(pl.col("class") == self.plan.classes[0])
        n_folds = rows.group_by("repeat").len()["len"]
        return max(1, int((n_folds == self.plan.folds).sum()))

    @cached_property
    def illustration(self) -> Record:
        """Synthetic documents of the first class and its growing vocabulary, for every gamma."""
        return illustrate(self.plan, self.plan.classes[0], self.plan.methods)

    @cached_property
    def inspection(self) -> dict[str, ClassInspection]:
        """For each class, what its documents look like to models that had not seen them."""
        data, n_classes = self.plan.prepared, len(self.plan.classes)
        n_shown = max(_LEAST_SHOWN, min(_MOST_SHOWN, _SHOWN_OF_ALL // n_classes))
        inspections = {}
        for name in self.plan.classes:
            tested: dict[str, list[ScoredFold]] = {method: [] for method in self.plan.methods}
            for fit in self.fits:
                if fit.class_name == name and len(fit.decisions) and fit.method in tested:
                    tested[fit.method].append(self.plan.tested(fit))
            inspection = inspect_class(tested, name, self.plan, n_shown)
            if inspection is not None:
                inspections[name] = inspection
        data.forget()
        return inspections

    @cached_property
    def label_doubts(self) -> dict[str, LabelDoubts]:
        """For each class, a few labels that are probably wrong, as `imbtext.mislabelled` says.

        This trains two more rankings for each class and fold, which takes about as long as the
        method ``rare``. It is empty if the comparison had a time limit that is over. A `row` is one
        of `plan.documents`, which are the documents with a label and then those of the test set;
        `plan.names` has the name of each.
        """
        plan = self.plan
        if plan.deadline is not None and time.time() > plan.deadline:
            return {}
        documents: Any = plan.documents  # read once for all classes
        features = name_of_features(self.plan.feature_source)
        return {
            name: mislabelled(
                documents,
                plan.is_class[name],
                top=_N_DOUBTS,
                groups=plan.given_groups,
                features="auto" if features in (None, "best") else features,
                language=self.plan.language,
                random_state=self.plan.random_state,
            )
            for name in self.plan.classes
        }

    def title(self, method: str) -> str:
        """Return a method's name as tables show it.

        The plain one is named after the classifier. ``rare`` is called RareTextClassifier, as in
        Python; its measure follows if it is not the deciding one.

        Parameters
        ----------
        method : str
            A name in the tables, such as ``"emco(0.1)"``.
        """
        if method != self.plan.methods[0]:
            definition = get_method(method)
            if definition.family != "rare":
                return method
            titles = [get_method(name).title for name in self.plan.methods]
            if titles.count(definition.title) == 1 and definition.scoring == self.plan.metric:
                return definition.title
            return definition.title + method.removeprefix("rare")
        return f"plain {self.plan.classifier.partition('(')[0].rpartition(':')[-1]}"

    def table(self, name: Label = None) -> pl.DataFrame:
        """Return one row per method: every measure with its interval, and the costs.

        Parameters
        ----------
        name : label, default=None
            The class. None is the class to find, or the mean of several.
        """
        name = self.overall if name is None else str(name)
        if name not in self.recommendations:
            raise ValueError(
                f"there is no class {name!r} in this comparison; it has "
                f"{listed(self.recommendations)}"
            )
        of_class = self.summary.filter(pl.col("class") == name)
        limits = of_class.pivot("metric", index="method", values=["mean", "lower", "upper"])
        wide = limits.select(
            "method",
            *(
                pl.col(f"{what}_{metric}").alias(metric if what == "mean" else f"{metric}_{what}")
                for metric in self.plan.metric_titles
                for what in ("mean", "lower", "upper")
            ),
        )
        of_name = self.costs.filter((pl.col("class") == name) | (name == MEAN_OF_CLASSES))
        costs = of_name.group_by("method").agg(pl.col("seconds", "rows_added").mean())
        return wide.join(costs, on="method", how="left", maintain_order="left")

    def with_commands(self, commands: Mapping[str, str]) -> "Comparison":
        """Return the same comparison with the commands that apply its recommendations.

        The report, the JSON file and the terminal show them. The comparison does not know where its
        documents came from, so whoever read them from a file writes the commands, as ``imbtext
        compare`` does.

        Parameters
        ----------
        commands : mapping of str to str
            For each name in `recommendations`, the command or commands, one per line; empty if no
            command does it.
        """
        recommendations = {
            name: replace(advice, command=commands.get(name, advice.command))
            for name, advice in self.recommendations.items()
        }
        return replace(self, recommendations=recommendations, has_commands=True)

    def report(self, path: str | PathLike[str]) -> None:
        """Write everything as one HTML page that needs no network, with documents to look at.

        Parameters
        ----------
        path : path
            The file to write; it is written whole or not at all.
        """
        from imbtext.comparison.report._page import report_html

        write_text(report_html(self), path)

    def plot(self) -> "ChartType":
        """Return a chart of precision against recall for the methods that the result names.

        They are the recommended method, the best free remedy beside it, and the plain classifier.
        One class has a curve for each, several classes have a point for every method. It is an
        Altair chart: notebooks show it, and its `save` writes it as HTML, SVG or PNG. Without a
        network, notebooks show it after ``altair.renderers.enable("svg")``.
        """
        from imbtext.comparison.report._charts import result_chart

        return result_chart(self)

    def _repr_html_(self) -> str:
        from imbtext.comparison.report._page import notebook_html

        return notebook_html(self)

    def to_json(self, path: str | PathLike[str] | None = None) -> str:
        """Return everything as JSON, and write it to `path` if there is one.

        Values that are not numbers become null.
        """
        content = {
            "signature": self.signature,
            "settings": self.plan.to_dict(),
            "recommendations": {
                name: asdict(advice) for name, advice in self.recommendations.items()
            },
            "warnings": list(self.warnings),
            "balance": self.balance,
            **{
                name: getattr(self, name).fill_nan(None).to_dicts()
                for name in ("summary", "tests", "costs", "scores")
            },
        }
        text = json.dumps(content, indent=1, allow_nan=False) + "\n"
        if path is not None:
            write_text(text, path)
        return text

    def to_csv(self, path: str | PathLike[str] | None = None) -> str:
        """Return the table of every class as CSV, and write it to `path` if there is one.

        A class or method that begins with ``=``, ``+``, ``-``, ``@`` or a tab gets an apostrophe in
        front, so that a spreadsheet shows it instead of running it as a formula.
        """
        tables = [
            self.table(name).select(pl.lit(name).alias("class"), pl.all())
            for name in self.recommendations
        ]
        table = pl.concat(tables).with_columns(
            pl.col("class", "method").map_elements(without_formula, return_dtype=pl.String)
        )
        text = table.fill_nan(None).write_csv()
        if path is not None:
            write_text(text, path)
        return text
