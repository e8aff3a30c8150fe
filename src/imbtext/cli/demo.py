"""``imbtext demo``: what oversampling does, on a corpus that every machine has."""

from typing import TYPE_CHECKING, Annotated

import typer

from imbtext.cli import app
from imbtext.cli._options import Quiet, Seed

if TYPE_CHECKING:
    from rich.console import Console

    from imbtext._demonstration import Demonstration

_MEASURES = ("balanced_accuracy", "f1", "f2", "recall", "precision", "average_precision")
_NAMES = {
    "plain": "plain SVM",
    "class-weight": "class weights",
    "threshold(f1)": "threshold for F1",
    "rare(f1)": "RareTextClassifier",
    "ros": "random oversampling",
    "mco": "MCO",
    "emco(0.1)": "EMCO, gamma 0.1",
    "emco(1)": "EMCO, gamma 1",
}


@app.command()
def demo(
    label: Annotated[
        str,
        typer.Option(
            "--class", help="The rare class: a subpackage of NumPy, SciPy or scikit-learn."
        ),
    ] = "sklearn.linear_model",
    share: Annotated[float, typer.Option(help="The share of the class after oversampling.")] = 0.2,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """See it work in half a minute, offline, on text that this machine already has."""
    from rich.console import Console

    from imbtext.progress import progress_bar

    n_splits = 5
    with progress_bar(quiet=quiet) as bar:
        task = bar.add_task("reading docstrings", total=None)
        from imbtext._demonstration import METHODS, demonstrate
        from imbtext.datasets import load_docstrings

        dataset = load_docstrings()
        bar.update(task, description="fitting", total=n_splits * len(METHODS))
        demonstration = demonstrate(
            dataset,
            label,
            share=share,
            n_splits=n_splits,
            seed=seed,
            step=lambda: bar.advance(task),
        )
    _print(demonstration, share, Console(highlight=False))


def _print(result: "Demonstration", share: float, console: "Console") -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from imbtext.metrics import METRIC_TABLE

    console.print(
        f"\nThe corpus: {result.n_documents:,} docstrings of NumPy, SciPy and scikit-learn.\n"
        f"The rare class: {result.label}, {result.n_rare} documents "
        f"({result.n_rare / result.n_documents:.1%}).\n"
        f"Half is for training, half is held out; after oversampling the class makes up "
        f"{share:.0%} of the training documents.\n",
    )
    table = Table(
        title=f"Held-out documents, mean of {result.n_splits} random halves",
        box=box.SIMPLE,
        padding=(0, 0, 0, 1),
    )
    table.add_column("method", no_wrap=True)
    best = {name: max(row[name] for row in result.scores.values()) for name in _MEASURES}
    for name in _MEASURES:
        table.add_column(METRIC_TABLE[name].title.replace(" ", "\n"), justify="right")
    for method, row in result.scores.items():
        cells = [
            Text(f"{row[name]:.3f}", style="bold" if row[name] == best[name] else "")
            for name in _MEASURES
        ]
        table.add_row(_NAMES[method], *cells)
    console.print(table)
    winner = {
        name: next(_NAMES[m] for m, row in result.scores.items() if row[name] == best[name])
        for name in best
    }
    console.print(
        f"Best in balanced accuracy: {winner['balanced_accuracy']}. "
        f"Best in F1: {winner['f1']}.\n"
        "Best ranking (average precision, where no threshold plays a part): "
        f"{winner['average_precision']}.\n"
    )
    console.print(Text("Synthetic documents (EMCO, gamma 0.1), majority-only words in [brackets]:"))
    for document in result.examples:
        line = Text("  ")
        for word, is_foreign in document[:40]:
            line.append(f"[{word}]" if is_foreign else word, "bold yellow" if is_foreign else "")
            line.append(" ")
        line.append("..." if len(document) > 40 else "")
        console.print(line)
    console.print(
        f"\nThe vocabulary: the class's training documents use {result.n_class_words:,} words; its "
        f"held-out documents use {result.n_unseen_words:,} more that other training documents know."
    )
    for growth in result.growth:
        name = "MCO" if growth.gamma == 0 else f"EMCO, gamma {growth.gamma:g}"
        console.print(
            f"  {name}: {growth.new_words:,} new words, {growth.useful:,} of them among those."
        )
    console.print(
        "\nNext: imbtext compare FILE --text COLUMN --label COLUMN tells what helps on your data.",
    )
