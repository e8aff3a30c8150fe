"""The picture of EMCO shows what EMCO writes."""

import re
from pathlib import Path

from imbtext import EMCO

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "_static" / "emco.svg"


def shown(fill):
    """Return the lines of text of one group, by its colour and the column that it stands in."""
    groups = re.findall(rf'<g fill="{fill}">\s*(.*?)</g>', PICTURE.read_text("utf-8"), flags=re.S)
    lines = [re.findall(r"<text[^>]*>(.*?)</text>", group) for group in groups]
    return [[re.sub("<[^>]+>", "", text) for text in group] for group in lines]


def test_the_documents_in_the_picture_are_emcos():
    (own,), (others,) = shown("#1d5c8f"), shown("#a34710")
    new = next(group for group in shown("#1f2937") if "oil price falls again" in group)
    emco = EMCO(gamma=0.5, sampling_strategy={"class": 6}, random_state=1)
    texts, _ = emco.fit_resample([*own, *others], ["class"] * 2 + ["rest"] * 3)
    assert (len(own), len(others), len(new)) == (2, 3, 3)
    assert texts[5:8] == new
