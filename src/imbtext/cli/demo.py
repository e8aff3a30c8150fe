"""``imbtext demo``: a rare subject found among pages that every machine has."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from imbtext.cli import app
from imbtext.cli._options import Quiet, Seed
from imbtext.cli._terminal import console

if TYPE_CHECKING:
    from rich.console import Console

    from imbtext._demonstration import Demonstration
    from imbtext.comparison._headline import Finds

_SUBJECT: Final = "sklearn.preprocessing"
_OURS: Final = "RareTextClassifier"
_NAMES: Final = {
    "plain": "a plain linear SVM",
    "threshold(f2)": "the same with a tuned threshold",
    "characters(f2)": "words and characters, tuned",
    "emco(0.1)": "the plain one with EMCO's pages",
    "RareTextClassifier": "RareTextClassifier",
}
_NEXT: Final = """\
Next, with a file of your own (CSV, TSV, JSON lines or Parquet):

  imbtext compare FILE --text COLUMN --label COLUMN --report report.html
      says what works best on your documents, and how much it would find
  imbtext train FILE --text COLUMN --label COLUMN --class LABEL -o my.model
      trains a model, and says what to expect of it
  imbtext predict my.model NEW_FILE -o scored.csv --top 50
      writes the 50 most likely documents, the likeliest first

imbtext --help lists everything else."""


@app.command()
def demo(
    label: Annotated[
        str,
        typer.Option(
            "--class",
            metavar="LABEL",
            help="The rare class: a subpackage of NumPy, SciPy or sklearn.",
        ),
    ] = _SUBJECT,
    share: Annotated[
        float,
        typer.Option(help="The share of all documents that oversampling brings the class to."),
    ] = 0.2,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """See it work in half a minute, offline, on text that is already on this machine.

    The text is the documentation of NumPy, SciPy and scikit-learn. The task is to find the few
    pages about one subject. Half of the pages are labelled, and the other half is searched.
    """
    from imbtext.progress import progress_bar

    with progress_bar(quiet=quiet) as bar:
        task = bar.add_task("reading the documentation on this machine", total=None)
        from imbtext._demonstration import METHODS, demonstrate
        from imbtext.datasets._docstrings import load_docstrings
        from imbtext.documents._label_names import find_label

        dataset = load_docstrings()
        find_label(label, dataset.classes)
        n_splits = 3
        bar.update(task, description="learning and searching", total=n_splits * len(METHODS))
        demonstration = demonstrate(
            dataset,
            label,
            share=share,
            n_splits=n_splits,
            seed=seed,
            step=lambda: bar.advance(task),
        )
    _print(demonstration, console(highlight=False, markup=False))


def _print(result: "Demonstration", console: "Console") -> None:
    from rich.text import Text

    subject = f"the {result.n_rare} of {result.label}"
    if result.label == _SUBJECT:
        subject = f"the {result.n_rare} about preprocessing (making data fit for learning)"
    console.print(
        f"\nThis machine has {result.n_documents:,} pages of documentation for NumPy, SciPy and "
        f"scikit-learn. Suppose you need {subject}, {result.n_rare / result.n_documents:.1%} of "
        "all, and you have labelled half of the pages. How many does each method find in the "
        "other half, and how many of the pages that it flags (its alarms) are right?\n"
    )
    finds = _finds(result)
    width = max(len(name) for name in _NAMES.values())
    console.print(Text(f"  {'':{width}}  {'found':>8}  {'alarms right':>12}", style="dim"))
    for method, of_method in finds.items():
        found, right = f"{of_method.found} of {of_method.n_class}", "no alarm"
        if of_method.alarms:
            right = f"{of_method.right} of {of_method.alarms}"
        line = f"  {_NAMES[method]:{width}}  {found:>8}  {right:>12}"
        console.print(Text(line, style="bold" if method == "RareTextClassifier" else ""))
    console.print(Text(f"  averages over {result.n_splits} random halves\n", style="dim"))
    console.print(_headline(result), soft_wrap=True)
    console.print(_promise(result), soft_wrap=True)
    console.print()
    console.print("The likeliest pages of the other half, in its order:")
    for page in result.pages:
        mark = "right" if page.of_class else "wrong"
        console.print(f"  {mark}: {page.first_line}", soft_wrap=True)
        if page.words:
            console.print(Text(f"         because of {', '.join(page.words)}", style="dim"))
    console.print()
    _print_example(result, console)
    console.print(_NEXT, soft_wrap=True)


def _headline(result: "Demonstration") -> str:
    """Return what was found, beside the best free remedy, as the report of `compare` does."""
    from imbtext.comparison._headline import in_words

    finds = _finds(result)
    found, right = in_words([finds[n] for n in (_OURS, result.rival, "plain")], "pages")
    return f"RareTextClassifier finds {found}; {right}."


def _finds(result: "Demonstration") -> "dict[str, Finds]":
    """Return what each method finds, in whole pages."""
    from imbtext.comparison._headline import Finds
    from imbtext.methods._registry import get_method

    return {
        method: Finds.counted(
            get_method(method).title, counts.found, counts.false_alarms, counts.n_class
        )
        for method, counts in result.finds.items()
    }


def _promise(result: "Demonstration") -> str:
    """Return what the model promised before it saw the other half, and what it then found."""
    n_kept = sum(
        found >= lower for (_, lower, _), found in zip(result.promises, result.kept, strict=True)
    )
    said = " / ".join(f"{about:.0f}" for about, _, _ in result.promises)
    least = " / ".join(f"{lower:.0f}" for _, lower, _ in result.promises)
    found = " / ".join(f"{share:.0f}" for share in result.kept)
    return (
        f"Before it saw the other half, it said that it would find about {said} of 100 pages, and "
        f"at least {least} (the lower end of a 95% interval). It found {found}, so it kept its "
        f"word in {n_kept} of {len(result.kept)} halves."
    )


def _print_example(result: "Demonstration", console: "Console") -> None:
    from rich.text import Text

    console.print(
        "EMCO writes synthetic pages of the class for a classifier to train on. It borrowed "
        f"{result.n_new_words:,} words from other pages, here in [brackets]:"
    )
    line = Text("  ")
    for word, is_borrowed in result.example[:30]:
        line.append(f"[{word}]" if is_borrowed else word, "bold yellow" if is_borrowed else "")
        line.append(" ")
    line.append("..." if len(result.example) > 30 else "")
    console.print(line)
    console.print()
