"""The paper's preprocessing, against a plain version and the published lengths."""

import re

import numpy as np
import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st

from paper.preprocessing import PaperPreprocessor


def paper_oracle(train, stopwords, min_count):

    stemmer = Stemmer.Stemmer("english")
    cleaned = [
        [
            stem
            for stem in (stemmer.stemWord(w.lower()) for w in re.findall("[a-zA-Z]+", text))
            if len(stem) > 1 and stem not in stopwords
        ]
        for text in train
    ]
    count = {}
    for doc in cleaned:
        for word in doc:
            count[word] = count.get(word, 0) + 1
    return [[word for word in doc if count[word] >= min_count] for doc in cleaned]


@given(
    st.lists(
        st.lists(
            st.sampled_from(["Oil", "oils", "the", "a", "T's", "pricing", "price", "U.S.", "über"]),
            max_size=8,
        ),
        max_size=6,
    )
)
def test_papers_preprocessing_against_the_plain_version(docs):
    texts = [" ".join(doc) for doc in docs]
    paper = PaperPreprocessor(stopwords={"the", "us"}, min_count=3)
    assert paper.fit_transform(texts).tokens() == paper_oracle(texts, {"the", "us"}, 3)
    known = set(paper.vocabulary_)
    expected = [[w for w in doc if w in known] for doc in paper_oracle(texts[:2], {"the"}, 1)]
    assert paper.transform(texts[:2]).tokens() == expected


def test_transform_needs_training_documents():
    with pytest.raises(ValueError, match="fit_transform first"):
        PaperPreprocessor(stopwords=()).transform(["oil"])


def test_mean_length_of_reuters_is_the_papers(data_home):
    from imbtext.datasets import load_reuters, load_stopwords

    for text, mean_length in (("titles", 5.9), ("full", 80.3)):
        reuters = load_reuters(text, data_home=data_home)
        train = [reuters.texts[i] for i in reuters.train]
        corpus = PaperPreprocessor(load_stopwords(data_home=data_home)).fit_transform(train)
        assert np.round(corpus.lengths.mean(), 1) == mean_length
