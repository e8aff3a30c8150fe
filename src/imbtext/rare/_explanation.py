"""Explanation: the words for and against a class in a document.

The score is a sum over terms. What a term adds is shared out evenly over the places where it
occurs, and shown as the words that stand there: a stem as the word that was written, a character
gram as the word it is a part of, a pair as both words.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from imbtext._typing import Label
from imbtext.documents._documents import Documents
from imbtext.features._features import Features
from imbtext.features._terms import WordBlock
from imbtext.pages._templates import templates
from imbtext.rare._ranking import LinearRanking


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a document got its score for a class.

    Attributes
    ----------
    label : object
        The class.
    score, threshold, probability : float
        The document is put into the class if the score exceeds the threshold.
    constant : float
        The score without any word. With several exclusive classes, it includes what the best other
        class takes away.
    parts : tuple of (str, float)
        Words as the document spells them and what they add to the score, the weightiest first.
        With the constant and the meaning they sum to the score.
    meaning : float
        What the meaning of the whole text adds to the score, if the model has an encoder.
    near : tuple of str
        Of the words that speak most for the class, those nearest to the text in meaning.
    text : str
        The document. A notebook shows it with these words marked, the stronger the weightier.

    Examples
    --------
    >>> Explanation("oil", 0.5, 0.1, 0.9, 0.0, (("Oil", 0.7), ("rain", -0.2))).words_for
    ['Oil']
    """

    label: Label
    score: float
    threshold: float
    probability: float
    constant: float
    parts: tuple[tuple[str, float], ...]
    text: str = ""
    meaning: float = 0.0
    near: tuple[str, ...] = ()

    @property
    def decision(self) -> bool:
        """Whether the document is put into the class (of several exclusive ones, see `predict`)."""
        return self.score > self.threshold

    @property
    def words_for(self) -> list[str]:
        """The words that speak for the class, the weightiest first."""
        return [words for words, weight in self.parts if weight > 0]

    @property
    def words_against(self) -> list[str]:
        """The words that speak against the class, the weightiest first."""
        return [words for words, weight in self.parts if weight < 0]

    @property
    def of_meaning(self) -> str:
        """What stands for the meaning of the text, beside words."""
        return "meaning of the text" + (f" (near {', '.join(self.near)})" if self.near else "")

    @property
    def reasons(self) -> tuple[tuple[str, float], ...]:
        """Words and what they add, the weightiest first; what the text means is one of them.

        Examples
        --------
        >>> reason = Explanation("oil", 1, 0, 1, 0, (("fuel", 0.2),), meaning=0.8, near=("oil",))
        >>> reason.reasons
        (('meaning of the text (near oil)', 0.8), ('fuel', 0.2))
        """
        if not self.meaning:
            return self.parts
        entries = [(self.of_meaning, self.meaning), *self.parts]
        return tuple(sorted(entries, key=lambda entry: -abs(entry[1])))

    def __str__(self) -> str:
        side = "above" if self.decision else "not above"
        lines = [
            f"{self.label}: score {self.score:.3f}, {side} the threshold {self.threshold:.3f} "
            f"(probability {self.probability:.2f})"
        ]
        if self.meaning:
            lines.append(f"  {self.meaning:+.3f}  {self.of_meaning}")
        lines += [f"  {weight:+.3f}  {words}" for words, weight in self.parts[:20]]
        return "\n".join(lines)

    __repr__ = __str__

    def marked(self) -> list[tuple[str, float]]:
        """Return the document in pieces, and what each adds to the score; 0 between words.

        What a pair of words adds is shared out over both.

        Examples
        --------
        >>> reason = Explanation("oil", 0.5, 0.1, 0.9, 0.0, (("crude oil", 0.4),), "Crude oil!")
        >>> reason.marked()
        [('Crude', 0.2), (' ', 0.0), ('oil', 0.2), ('!', 0.0)]
        """
        weight_of: Counter[str] = Counter()
        for words, weight in self.parts:
            singles = words.lower().split()
            for single in singles:
                weight_of[single] += weight / len(singles)  # type: ignore[assignment]
        pieces = re.split(r"([^\W_]+)", self.text)
        return [
            (piece, float(weight_of[piece.lower()] if i % 2 else 0.0))
            for i, piece in enumerate(pieces)
            if piece
        ]

    def _repr_html_(self) -> str:
        # Lines stay lines; the template shows any other control character by its code.
        marked = replace(self, text="\n".join(self.text.expandtabs(4).splitlines())).marked()
        largest = max((abs(weight) for _, weight in marked), default=0.0) or 1.0
        pieces = [(piece, weight, 0.15 + 0.5 * abs(weight) / largest) for piece, weight in marked]
        template = templates().get_template("explanation.html")
        return str(template.render(reason=self, head=str(self).partition("\n")[0], pieces=pieces))


def words_behind(
    features: Features, documents: Documents, contributions: Sequence[Mapping[int, float]]
) -> list[tuple[tuple[str, float], ...]]:
    """Return the words of each document and what they add, from what its terms add."""
    occurrences = features.find(documents)
    if occurrences is not None:
        return list(map(share_out, contributions, occurrences))
    names = features.names().tolist()
    return [
        weightiest((str(names[j]), weight) for j, weight in of_terms.items())
        for of_terms in contributions
    ]


def words_of_class(ranking: LinearRanking, c: int, n: int = 30) -> list[str]:
    """Return the single words that speak most for a class, as training documents spell them."""
    terms = ranking.features.text_terms
    first = None if terms is None else terms.blocks[0]
    if not isinstance(first, WordBlock):
        return []
    rankings, column = ranking.batch_of(c)
    weights = rankings.weights[: len(first.words), column]
    best = np.argsort(-weights, kind="stable")[:n]
    return [str(first.spelt[j]) for j in best.tolist() if weights[j] > 0]


def share_out(
    contributions: Mapping[int, float], occurrences: Sequence[tuple[int, str]]
) -> tuple[tuple[str, float], ...]:
    """Share out what each term adds over the words it stands in, occurrence by occurrence.

    Examples
    --------
    >>> share_out({0: 0.4, 1: -0.1}, [(0, "Oil"), (0, "oil"), (1, "rain"), (0, "OIL")])
    (('Oil', 0.4), ('rain', -0.1))
    """
    times = Counter(term for term, _ in occurrences)
    spelling: dict[str, str] = {}
    weight: dict[str, float] = {}
    for term, words in occurrences:
        key = words.lower()
        spelling.setdefault(key, words)
        weight[key] = weight.get(key, 0.0) + contributions.get(term, 0.0) / times[term]
    return weightiest((spelling[key], weight[key]) for key in weight)


def weightiest(parts: Iterable[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    """Sort by weight, for or against; rounding errors of sums are left out."""
    kept = [(words, round(weight, 12)) for words, weight in parts]
    return tuple(sorted((p for p in kept if p[1] != 0), key=lambda p: (-abs(p[1]), p[0])))
