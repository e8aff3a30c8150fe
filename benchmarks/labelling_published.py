"""Published rules to stop, on the reviews that benchmarks/labelling_reviews.py recorded.

Run it with a Python that has `buscarpy` and `tarexp`. Every rule is that package's own code; all of
them look at the same moments, after each 3 % of what was read, and see every document that was
read, the first two included. One review of each
pool of two kinds is enough, since these rules take long.

    PYTHON_WITH_THE_RULES benchmarks/labelling_published.py RUNS

* Buscar: `buscarpy.calculate_h0` at a target of 95% and a level of 5%, without a bias, and with
  a bias of 1.5 (its only other parameter; ours assumes the same).
* The knee and the budget of Cormack and Grossman (2016), and the heuristic of Callaghan and
  Müller-Hansen (2020): `tarexp`. TARexp's rules look at rounds of reading; each moment is a round.
"""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from buscarpy import calculate_h0
from tarexp.component.stopping import (
    BudgetStoppingRule,
    CHMHeuristicsStoppingRule,
    KneeStoppingRule,
)

STEP, TARGET, LEVEL = 0.03, 0.95, 0.05
KINDS = ("reviews", "words")
Rule = Callable[[np.ndarray, int, list[int]], bool]


def buscar(bias: float) -> Rule:
    """Return Buscar with a bias; the one without is fast, the other looks every tenth moment."""

    def may_stop(labels: np.ndarray, n_documents: int, rounds: list[int]) -> bool:
        if bias != 1 and len(rounds) % 4:
            return False
        return calculate_h0(labels, n_documents, TARGET, bias) < LEVEL

    return may_stop


def of_tarexp(rule: object) -> Rule:
    """Return a rule of TARexp; it reads these numbers of its ledger and no others."""

    def may_stop(labels: np.ndarray, n_documents: int, rounds: list[int]) -> bool:
        of_rounds = np.split(labels, rounds[:-1])
        ledger = SimpleNamespace(
            n_docs=n_documents,
            n_annotated=len(labels),
            n_rounds=len(rounds) - 1,
            getAnnotationCounts=lambda: [
                {1: int(one.sum()), 0: int(len(one) - one.sum())} for one in of_rounds
            ],
        )
        return bool(rule.checkStopping(ledger))

    return may_stop


RULES = {
    "Buscar": buscar(1),
    "Buscar, bias 1.5": buscar(1.5),
    "knee": of_tarexp(KneeStoppingRule(target_recall=TARGET)),
    "budget": of_tarexp(BudgetStoppingRule(target_recall=TARGET)),
    "CMH heuristic": of_tarexp(CHMHeuristicsStoppingRule(target_recall=TARGET, alpha=LEVEL)),
}


def moments(n_documents: int) -> Iterator[int]:
    """Return the numbers of documents read at which rules are asked."""
    n = 3
    while n < n_documents:
        yield n
        n += max(1, int(n * STEP))


def stop_after(rule: Rule, came: np.ndarray) -> int:
    """Return after how many documents a rule says to stop."""
    rounds: list[int] = []
    for n in moments(len(came)):
        rounds.append(n)
        if came[:n].any() and rule(came[:n].astype(np.int8), len(came), rounds):
            return n
    return len(came)


def main() -> None:
    runs = Path(sys.argv[1])
    (runs / "published").mkdir(exist_ok=True)
    for path in (path for kind in KINDS for path in sorted((runs / kind).glob("*.0.json"))):
        target = runs / "published" / f"{path.parent.name}.{path.name}"
        if target.exists():
            continue
        run = json.loads(path.read_text())
        came = np.zeros(run["n"], bool)
        came[run["found"]] = True
        target.write_text(
            json.dumps({name: stop_after(rule, came) for name, rule in RULES.items()})
        )


if __name__ == "__main__":
    main()
