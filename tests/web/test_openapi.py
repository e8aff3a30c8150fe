"""The description of a served model is valid, and the server does what it says.

schemathesis writes requests that the description allows, and others that it does not, and holds
every answer to it.
"""

import importlib

import hypothesis
import numpy as np
import polars as pl
import pytest

from imbtext import RareTextClassifier
from imbtext.web import model_application

validator = pytest.importorskip("openapi_spec_validator", reason="install the extra dev")
schemathesis = pytest.importorskip("schemathesis", reason="install the extra dev")

LABELS = ["oil"] * 10 + ["weather"] * 27
TEXTS = ["oil price up", "crude oil price"] * 5 + ["rain today", "sun and rain", "sun"] * 9
TABLE = pl.DataFrame(
    {
        "subject": TEXTS,
        "body": TEXTS[::-1],
        "amount": [*np.arange(10.0) + 900, *np.arange(27.0)],
    }
)
MODELS = {
    "texts": lambda: RareTextClassifier(random_state=0).fit(TEXTS, LABELS),
    "token lists": lambda: RareTextClassifier(random_state=0).fit(
        [text.split() for text in TEXTS], LABELS
    ),
    "a column": lambda: RareTextClassifier(text="body", random_state=0).fit(TABLE, LABELS),
    "columns": lambda: RareTextClassifier(
        text=["subject", "body"], columns=["amount"], random_state=0
    ).fit(TABLE, LABELS),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the column:imbtext.rare.SuspectColumnWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("kind", MODELS)
def test_the_server_does_what_its_description_says(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # whatever schemathesis keeps of failures, it keeps there
    app = model_application(MODELS[kind](), name="oil.model")
    checks = {"negative_data_rejection": {"expected-statuses": [400, 413, 422]}}
    settings = importlib.import_module("schemathesis.config").SchemathesisConfig.from_dict(
        {"checks": checks, "request-timeout": 600}  # a busy machine is no failure
    )
    schema = schemathesis.openapi.from_asgi("/openapi.json", app, config=settings)
    validator.validate(schema.raw_schema)
    n_asked = 0
    modes = importlib.import_module("schemathesis.generation").GenerationMode
    for found in schema.get_all_operations():
        operation = found.ok()
        # Without a body or a parameter, nothing can be wrong.
        for mode in [modes.POSITIVE, modes.NEGATIVE][: 2 if operation.method == "post" else 1]:
            cases = operation.as_strategy(generation_mode=mode)

            @hypothesis.settings(max_examples=25, deadline=None, database=None)
            @hypothesis.given(cases)
            def ask(case):
                nonlocal n_asked
                n_asked += 1
                case.call_and_validate()

            ask()
    assert n_asked > 50
