"""Whether smoothing the recall of few documents chooses better thresholds for F scores.

The threshold is chosen on held-out scores. With few documents of the class their recall is a coarse
staircase. Here it is smoothed: each held-out score of the class becomes a normal distribution with
the width h = 1.06 s k^-0.2, where s^2 = (k var_class + 5 var_rest) / (k + 5). The recall is
(k empirical + 20 smooth) / (k + 20), and then it gets the prior that balanced accuracy has anyway.
"smoothed" does both, and "prior" only the last.

The classes, draws and documents are those of benchmarks/encoder.py, ranked by words. Documents of
the class are weighed on the test side so that they are as frequent as in training: else any rule
that lowers thresholds seems to gain.

    python benchmarks/threshold_smoothing.py [data set ...]
"""

import sys
import warnings

import numpy as np
import polars as pl
from scipy.stats import norm

from encoder import DRAWS, SETS, tasks
from imbtext import RareTextClassifier
from imbtext.metrics import Confusion, get_goal
from imbtext.thresholds._choosing import Cuts, _smoothed

SIZES = (3, 5, 10, 20, 50)
GOALS = ("f1", "f2", "balanced_accuracy", "cost(10, 1)")


def chosen(cuts: Cuts, scores: np.ndarray, goal, rule: str) -> float:
    """Return the threshold that a rule chooses on held-out scores."""
    confusion, k = cuts.confusion(), float(cuts.is_class.sum())
    if rule == "today":
        return cuts.choose(goal)
    if rule == "smoothed":
        inside, rest = scores[cuts.is_class], scores[~cuts.is_class]
        width = 1.06 * np.sqrt((k * inside.var() + 5 * rest.var()) / (k + 5)) * k**-0.2
        smooth = norm.cdf((inside - cuts.thresholds[:, None]) / width).mean(axis=1)
        recall = (k * confusion.recall + 20 * smooth) / (k + 20)
        confusion = Confusion(k * recall, confusion.false_alarms, k, confusion.n_rest)
    return float(cuts.thresholds[int(np.argmax(goal.value(_smoothed(confusion, k))))])


def reached(goal, is_alarm: np.ndarray, true: np.ndarray, share: float) -> float:
    """Return the goal's value where the class has the share that it has in training."""
    n_class = share / (1 - share) * (~true).sum()
    found = n_class * is_alarm[true].mean()
    return float(goal.value(Confusion(found, (is_alarm & ~true).sum(), n_class, (~true).sum())))


def main() -> None:
    """Print the mean of each goal by number of documents, for each rule."""
    warnings.simplefilter("ignore")
    rows = []
    for title in sys.argv[1:] or [*SETS]:
        texts, tested, found = tasks(title)
        new = [texts[i] for i in tested]
        for task in found:
            true = task.is_class[tested]
            for size in SIZES:
                for draw in range(DRAWS):
                    order = np.random.default_rng(draw).permutation(len(task.inside))
                    learnt = np.concatenate([task.inside[order[:size]], task.others])
                    y = np.arange(len(learnt)) < size
                    model = RareTextClassifier(random_state=0).fit([texts[i] for i in learnt], y)
                    held = model.fitted_.held_out.of_class(0)
                    cuts = Cuts.of(held.scores, held.is_class)
                    scores = model.predictions(new).class_scores[:, 0]
                    for name in GOALS:
                        goal = get_goal(name)
                        for rule in ("today", "prior", "smoothed"):
                            cut = chosen(cuts, held.scores, goal, rule)
                            value = reached(goal, scores > cut, true, y.mean())
                            rows.append((title, task.name, size, name, rule, value))
        print(title, flush=True)
    columns = ["dataset", "label", "documents", "goal", "rule", "value"]
    wide = pl.DataFrame(rows, schema=columns, orient="row").pivot(
        "rule", index=["goal", "documents"], values="value", aggregate_function="mean"
    )
    with pl.Config(tbl_rows=-1, float_precision=3):
        print(wide)


if __name__ == "__main__":
    main()
