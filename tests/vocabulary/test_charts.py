"""The charts and sentences of a vocabulary."""

import numpy as np

from imbtext.documents import Corpus
from imbtext.markov import TransitionCounts
from imbtext.vocabulary import HeapsLaw, class_outlook, growth_chart, growth_curve


def test_a_class_without_words_gets_a_sentence_and_no_numbers():
    corpus = Corpus.from_tokens([[], ["oil", "up"], ["oil", "down"]])
    total = TransitionCounts.of(corpus)
    outlook = class_outlook(corpus, total, np.array([0]), "empty", 5)
    assert "has no words" in outlook.sentence(0.2)
    assert outlook.new_by_heaps == outlook.gamma == 0
    full = class_outlook(corpus, total, np.array([1, 2]), "oil", 0)
    assert "already makes up 20%" in full.sentence(0.2)


def test_a_chart_holds_the_law_and_the_classes():
    curves = {name: growth_curve(["oil up", "", "gold"], shuffles=0) for name in ("a", "b")}
    specification = growth_chart(curves, HeapsLaw(1, 0.5)).to_dict()
    assert "Heaps' law" in str(specification)
    many = {str(i): curves["a"] for i in range(9)}
    assert "tableau20" in str(growth_chart(many).to_dict())
