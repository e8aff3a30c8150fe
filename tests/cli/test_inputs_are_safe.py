"""No command writes over, empties or removes a file that it was given to read."""

import shutil

import pytest

from imbtext import RareTextClassifier

TEXTS = ["oil price up", "oil falls"] * 5 + ["the firm grows", "rain", "shares up"] * 20
LABELS = ["yes"] * 10 + ["no"] * 60
COLUMNS = ["--text", "body", "--label", "topic"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m.model"
    RareTextClassifier(random_state=0).fit(TEXTS, LABELS).save(path)
    return path


# The input, where it stands among the outputs; then the command that would write over it.
COMMANDS = {
    "oversample": ("out.csv", "oversample IN -o out.csv COLUMNS"),
    "oversample, folder": ("out/a.csv", "oversample out -o out/ COLUMNS --overwrite"),
    "oversample, work": ("out.partial/a.csv", "oversample out.partial -o out/ COLUMNS --overwrite"),
    "train": ("x.model", "train IN -o x.model COLUMNS --format csv"),
    "train, test": ("x.model", "train TABLE -o x.model COLUMNS --test IN --format csv"),
    "train, encoder": ("enc/model.onnx", "train TABLE -o enc/model.onnx COLUMNS --encoder enc"),
    "label, encoder": (
        "enc/model.onnx",
        "label TABLE --text body -o l.csv --model enc/model.onnx --encoder enc --next 2",
    ),
    "predict": ("out.csv", "predict MODEL IN -o out.csv --text body"),
    "predict, model": ("m.model", "predict m.model TABLE -o m.model --text body"),
    "predict, work": (
        "out.partial/a.csv",
        "predict MODEL out.partial -o out/ --text body --dask --overwrite",
    ),
    "predict, model in the work": (
        "out.partial/m.model",
        "predict out.partial/m.model TABLE -o out --text body --dask --overwrite",
    ),
    "compare, report": ("r.csv", "compare IN COLUMNS --report r.csv"),
    "compare, scores": ("r.csv", "compare IN COLUMNS -o r.csv"),
    "mislabelled": ("out.csv", "mislabelled IN -o out.csv COLUMNS"),
    "show, model": ("m.model", "show m.model -o m.model"),
    "check": ("r.csv", "check MODEL IN --text body --report r.csv"),
    "label": ("work.csv", "label IN --text body -o work.csv"),
    "label, model": ("work.csv", "label IN --text body -o labels.csv --model work.csv"),
    "label, disagreements": (
        "work.disagreements.csv",
        "label IN --text body -o work.csv --no-browser",
    ),
    "label, settings": ("work.settings.json", "label IN --text body -o work.csv --format csv"),
    "label, next": ("work.next.csv", "label IN --text body -o work.csv --next 2 --format csv"),
    "label, lock": (".work.csv.lock", "label IN --text body -o work.csv --format csv"),
    "label, chart": (
        "c.html",
        "label IN COLUMNS --simulate --chart c.html --format csv",
    ),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_an_input_is_never_an_output(name, model, tmp_path, monkeypatch, run_command):
    monkeypatch.chdir(tmp_path)
    place, command = COMMANDS[name]
    rows = "".join(f"{text},{label}\n" for text, label in zip(TEXTS, LABELS, strict=True))
    source, table = tmp_path / place, tmp_path / "table.csv"
    source.parent.mkdir(exist_ok=True)
    for path in (source, table):
        path.write_text("body,topic\n" + rows)
    if source.suffix == ".model" and "model" in name:
        shutil.copy(model, source)
    before = source.read_bytes()
    words = command.replace("COLUMNS", " ".join(COLUMNS)).split()
    places = {"IN": str(source), "TABLE": str(table), "MODEL": str(model)}
    ran = run_command(*(places.get(word, word) for word in words))
    assert ran.code == 2, ran.out
    assert source.read_bytes() == before
    assert ran.err.count("\n") == 1
    assert "input" in ran.err
