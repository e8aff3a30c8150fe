"""The page that shows the chain computes what the package does: P, draws, Heaps' law."""

from pathlib import Path

import numpy as np
import pytest

from imbtext.documents import encode_texts
from imbtext.markov import MarkovChain, TransitionCounts, rarefied_words, words_by_heaps

STATIC = Path(__file__).resolve().parents[2] / "docs" / "_static"
MINORITY = ["Crude oil price falls", "oil output cut again", "", "OPEC raises oil oil price"]
MAJORITY = [
    "share price of the firm up",
    "bank cuts interest rate again",
    "Ölpreis fällt 3 %, naïve café_1",
    "gold price rises on rate fears",
]


@pytest.fixture(scope="module")
def page(browser):
    opened = browser.new_page()
    opened.add_script_tag(path=STATIC / "emco-model.js")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def counted():
    corpus = encode_texts([*MINORITY, *MAJORITY])
    return corpus, TransitionCounts.of(corpus), TransitionCounts.of(corpus.select(range(4)))


@pytest.mark.parametrize("gamma", [0, 0.1, 0.37, 1])
def test_rows_of_the_matrix_and_drawn_documents_are_the_packages(page, counted, gamma):
    corpus, total, minority = counted
    chain = MarkovChain.extrapolate(total, minority, gamma)
    shown = page.evaluate(
        """([minority, majority, gamma]) => {
            const model = emco.chain(emco.corpus(minority, majority), gamma);
            const drawn = Array.from({length: 40}, (_, i) => emco.draw(model, i, 7, 3));
            return {vocabulary: model.vocabulary, rows: model.rows, drawn};
        }""",
        [MINORITY, MAJORITY, gamma],
    )
    assert shown["vocabulary"] == corpus.vocabulary.tolist()
    rows = [
        list(zip(chain.words[a:b].tolist(), chain.weights[a:b].tolist(), strict=True))
        for a, b in zip(chain.indptr[:-1], chain.indptr[1:], strict=True)
    ]
    assert [[tuple(cell) for cell in row] for row in shown["rows"]] == rows
    drawn = chain.draw(corpus.vocabulary, 40, seed=7, stream=3)
    words = np.split(drawn.ids, drawn.offsets[1:-1])
    assert shown["drawn"] == [ids.tolist() for ids in words]


def test_heaps_law_is_the_packages(page, counted):
    _, total, minority = counted
    shown = page.evaluate(
        """([minority, majority]) => {
            const data = emco.corpus(minority, majority);
            const law = emco.heapsLaw(data, 12);
            return [law.at(law.grown), emco.rarefiedWords(data.total.words, 9.5)];
        }""",
        [MINORITY, MAJORITY],
    )
    expected = [words_by_heaps(total, minority, 12), rarefied_words(total.words, 9.5)[0]]
    np.testing.assert_allclose(shown, expected, rtol=1e-9)
