"""Draw gamma-by-heaps.svg: how EMCO(gamma="heaps") finds its gamma."""

from pathlib import Path

import altair as alt
import numpy as np

from imbtext.charts import PALETTE, write_chart
from imbtext.datasets import load_docstrings
from imbtext.documents import encode_texts
from imbtext.markov import (
    MarkovChain,
    TransitionCounts,
    expected_vocabulary,
    gamma_by_heaps,
    words_by_heaps,
)
from imbtext.oversampling import minority_share

CLASSES = ("scipy.stats", "scipy.special", "scipy.signal")
SHARE = 0.2


def main() -> None:
    """Draw it."""
    data = load_docstrings()
    corpus = encode_texts(data.texts)
    labels = np.array(data.labels)
    total = TransitionCounts.of(corpus)
    curves, targets, chosen = [], [], []
    for name in CLASSES:
        rows = labels == name
        minority = TransitionCounts.of(corpus.select(rows))
        n_new = minority_share(SHARE).missing(len(labels), int(rows.sum()))
        for gamma in np.geomspace(1e-3, 1, 31).tolist():
            chain = MarkovChain.extrapolate(total, minority, gamma)
            words = expected_vocabulary(chain, n_new)
            curves.append({"class": name, "gamma": gamma, "words": words})
        target = words_by_heaps(total, minority, n_new)
        targets.append({"class": name, "words": target})
        gamma = gamma_by_heaps(total, minority, n_new)
        chosen.append({"class": name, "gamma": gamma, "words": target, "text": f"{gamma:.3f}"})

    colour = alt.Color("class:N", title=None, scale=alt.Scale(domain=CLASSES, range=PALETTE[:3]))
    x = alt.X("gamma:Q", scale=alt.Scale(type="log"), title="gamma")
    y = alt.Y("words:Q", title="expected words of the class and its synthetic documents")
    point = alt.Chart(alt.InlineData(values=chosen)).encode(x=x, y=y, color=colour)
    chart = (
        alt.Chart(alt.InlineData(values=curves)).mark_line().encode(x=x, y=y, color=colour)
        + alt.Chart(alt.InlineData(values=targets))
        .mark_rule(strokeDash=[5, 4])
        .encode(y=y, color=colour)
        + point.mark_point(filled=True, size=90)
        + point.mark_text(align="left", dx=8, dy=10).encode(text="text:N")
    ).properties(
        width=460,
        height=300,
        title="Lines: expected from the chain. Dashed: Heaps' law. Where they meet: gamma",
    )
    write_chart(chart, Path(__file__).parent / "results" / "vocabulary" / "gamma-by-heaps.svg")


if __name__ == "__main__":
    main()
