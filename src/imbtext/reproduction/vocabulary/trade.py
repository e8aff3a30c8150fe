"""Figure 1 of the paper: the vocabulary of the headlines on "trade" grows with their number."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from imbtext.datasets import TextDataset
from imbtext.tokenization import PaperPreprocessor
from imbtext.vocabulary import FamiliarShare, GrowthCurve, familiar_share, growth_curve

TRADE_CATEGORY: Final = "trade"
HALVES: Final = 1000


@dataclass(frozen=True, eq=False)
class TradeFigure:
    """Figure 1 for all headlines on "trade", and what many halves give instead of one."""

    curve: GrowthCurve
    halves: FamiliarShare
    n_documents: int


def trade_figure(titles: TextDataset, stopwords: Iterable[str], seed: int) -> TradeFigure:
    """Grow the vocabulary of the headlines on "trade", training and test side together.

    Stems without stopwords, rare ones kept: of the ways to read the paper's caption, the one in
    whose halves its numbers (211 new words, 156 familiar) are ordinary ones.
    """
    corpus = PaperPreprocessor(sorted(stopwords), min_count=1).fit_transform(titles.texts)
    is_trade = titles.in_class(TRADE_CATEGORY)
    return TradeFigure(
        growth_curve(corpus.select(is_trade), shuffles=100, random_state=seed),
        familiar_share(corpus, is_trade, halves=HALVES, random_state=seed),
        int(is_trade.sum()),
    )


def trade_table(figure: TradeFigure) -> pl.DataFrame:
    """Return the new and the familiar words of each half."""
    return pl.DataFrame(
        {
            "half": np.arange(len(figure.halves.new_words)),
            "new_words": figure.halves.new_words,
            "familiar_words": figure.halves.familiar_words,
            "familiar_share": figure.halves.shares,
        }
    )
