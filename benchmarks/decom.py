"""DECOM: generating against a per-word loop, and fitting against scikit-learn's LDA.

Run: python -m benchmarks.decom --data-home FOLDER   (the folder with nltk_data/ and huffpost/)

Generating: both sides draw from the same fitted topics. Fitting: both sides start from the same
random state and end at the same topics; scikit-learn's is fitted over the whole vocabulary, as
published, and is given fewer of the 300 iterations, which all take the same time.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from scipy import sparse
from sklearn.decomposition import LatentDirichletAllocation

from imbtext.oversampling._decom import TopicModel
from paper.experiments import EXPERIMENTS
from paper.splits import prepare

ITERATIONS = 10
N_PLAIN = 300


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    # Both sides run in one thread; processor time is deaf to whatever else the machine does.
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def plain_draws(model: TopicModel, n: int) -> Any:
    """Draw length, topic and word one after the other."""
    rng = np.random.default_rng(0)
    topics = np.full((len(model.topic_shares), model.n_words), model.topic_word_prior)
    topics[:, model.words] = model.components
    topics /= topics.sum(axis=1, keepdims=True)
    counts = sparse.lil_array((n, model.n_words), dtype=np.int64)
    for document in range(n):
        for _ in range(rng.choice(model.lengths)):
            topic = rng.choice(len(topics), p=model.topic_shares)
            counts[document, rng.choice(model.n_words, p=topics[topic])] += 1
    return counts.tocsr()


def scikit_learn(counts: Any, iterations: int) -> Any:
    with sklearn.config_context(skip_parameter_validation=True):
        return LatentDirichletAllocation(
            30,
            doc_topic_prior=50 / 30,
            topic_word_prior=0.01,
            max_iter=iterations,
            random_state=np.random.RandomState(0),
        ).fit(counts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-home", type=Path, required=True)
    data_home = parser.parse_args().data_home
    for name, category in [("reuters-titles", "trade"), ("huffpost-titles", "SCIENCE")]:
        split = prepare(EXPERIMENTS[name], data_home)[0][0]
        counts = split.data.counts[np.flatnonzero(split.positive(category))]
        TopicModel.fit(counts, np.random.RandomState(0), max_iter=1)  # loads or compiles
        fitting, model = timed(
            lambda c=counts: TopicModel.fit(c, np.random.RandomState(0), max_iter=ITERATIONS)
        )
        plain_fitting, plain = timed(lambda c=counts: scikit_learn(c, ITERATIONS))
        gap = np.abs(plain.components_[:, model.words] - model.components).max()
        whole, model = timed(lambda c=counts: TopicModel.fit(c, np.random.RandomState(0)))
        n_new = int(0.25 * split.data.n_documents) - counts.shape[0]
        drawing, _ = timed(lambda m=model, n=n_new: m.draw(n, np.random.default_rng(0)))
        plain_drawing, _ = timed(lambda m=model: plain_draws(m, N_PLAIN))
        rate, plain_rate = n_new / drawing, N_PLAIN / plain_drawing
        print(
            f"{name}, {category}: {counts.shape[0]:,} documents, {len(model.words):,} of "
            f"{model.n_words:,} words\n"
            f"  generating: {rate:,.0f} documents/s, per-word loop {plain_rate:,.0f}/s, "
            f"ratio {rate / plain_rate:,.0f}\n"
            f"  fitting, {ITERATIONS} iterations: {fitting:.3f} s, scikit-learn "
            f"{plain_fitting:.2f} s, ratio {plain_fitting / fitting:.1f}, "
            f"largest difference of a topic weight {gap:.1e}\n"
            f"  fitting, 300 iterations: {whole:.2f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
