"""EMCO, the paper's method."""

import os
from dataclasses import KW_ONLY
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from imbtext.markov import MarkovChain, load_chain, save_chain
from imbtext.oversampling._base import BaseTextOverSampler, Synthetic, Wanted
from imbtext.oversampling._chains import class_chain
from imbtext.oversampling._counting import CountingSampler
from imbtext.oversampling._parameters import parameters
from imbtext.randomness import draw_seed


@parameters()
class EMCO(CountingSampler):
    """Extrapolated Markov Chain Oversampling.

    Each class to oversample is modelled as a Markov chain over words. Its transitions are counted
    in the documents of the class and, weighted by `gamma`, in all other documents, but there only
    from words that the class uses too. So the chain can leave the class's vocabulary, by ways that
    the language offers, and returns to it after each foreign word. The synthetic documents are
    bags of plausible words rather than prose: made for classifiers, not for readers.

    Parameters
    ----------
    gamma : float or "heaps", default=1.0
        Weight of the transitions in the documents of the other classes. 0 never leaves the
        vocabulary of the class (MCO); larger values bring more foreign words, more recall and less
        precision. The paper uses 1 and 0.1, and advises against more than 1.

        ``"heaps"`` chooses, for each class, the gamma from 0 to 1 with which the vocabulary of its
        original and synthetic documents together grows as Heaps' law predicts. The law is fitted
        on the given documents, the vocabulary is expected from the chain: no trial runs, no
        randomness. See :func:`imbtext.vocabulary.gamma_by_heaps`.
    similarity : float, optional
        Let a document of the other classes count the more in this, the more similar it is to the
        class: as this power of the cosine between its words and those of the class, rare words
        weighing more; one as similar as the class's own documents are on average counts 1. By
        default all count 1. Fewer foreign words come in, and from texts nearer to the class: more
        precision for little or no recall. Values of 2 to 4 make sense; it is learned in `fit` and
        `fit_resample`, which see all documents, and not in `partial_fit`.
    sampling_strategy : str, float, dict or callable, default="auto"
        As in imbalanced-learn; or :class:`imbtext.minority_share`, the paper's sampling ratio.
    tokenizer : callable, optional
        From a string to its words. By default scikit-learn's token pattern on the lower-cased
        text. Not used for documents that are token lists.
    text : hashable, optional
        The column of the documents, where `X` is a table of several columns. Synthetic rows have
        missing values in the others.
    surface : bool, default=False
        Write each drawn word as the documents write it: its case, and what stands between it and
        the next word, drawn from where the two meet, else from anywhere the word occurs. False
        joins the words with spaces. The tokenizer finds the same words either way, so this is for
        models that see case, punctuation or characters: they would learn to tell synthetic
        documents from real ones. It takes counting about five times as long, and drawing twice.
    order : int, default=1
        How many last words predict the next; 1 is the paper's chain. For a higher order, a context
        that the class's documents do not contain (or contain only before a repetition of its last
        word) backs off to the context without its oldest word, down to one word, where the rules
        of the paper apply. Transitions in other documents count, weighted by `gamma`, from every
        context that the class contains. The beginning of a document counts as a word.
    min_count : int, default=1
        For large corpora: transitions that the largest class has less often than this are
        forgotten. All other classes keep every transition of their own. What that changes is
        measured: see `pruned_`.
    max_words : int, optional
        As `min_count`, for all but so many words, the most frequent; words of the other classes
        are always kept.
    random_state : int, RandomState instance or None, default=None
        The same integer gives the same documents, whatever `n_jobs` is.
    n_jobs : int, optional
        Threads used to draw documents.

    Attributes
    ----------
    vocabulary_ : ndarray of object
        All words, sorted.
    counts_ : imbtext.markov.TransitionCounts
        The transitions of all documents.
    gamma_ : float or dict
        The gamma in use; for ``gamma="heaps"`` the one chosen last, by label if several classes
        were generated.
    pruned_ : imbtext.markov.Pruned or None
        What `min_count` and `max_words` forgot: the numbers of words and transitions before and
        after, the share of all occurrences that is lost, and by class the probability that a step
        of its chain would have been lost. ``print(sampler.pruned_)`` says it in a sentence.
    classes_, sampling_strategy_, is_synthetic_, sample_indices_, n_generated_
        As for every sampler of documents; synthetic documents have no parent, so their
        ``sample_indices_`` is -1.

    Notes
    -----
    scikit-learn's vectorizers do not read Arrow arrays: in a pipeline with one, pass
    ``array.to_pylist()``, to `fit` and to `predict`.

    Only words that follow each other in a document count as a transition; there is none from a
    word to itself, though a document may pass its end and begin again with the same word.
    Documents without words take no part. Lengths are drawn from the documents of the class.
    Document i of a class depends on `random_state`, the class and i alone.

    References
    ----------
    Avela, A. and Ilmonen, P. (2025). Extrapolated Markov Chain Oversampling Method for Imbalanced
    Text Classification. arXiv:2509.02332.

    Examples
    --------
    >>> from imbtext import EMCO, minority_share
    >>> texts = ["oil price up", "crude oil price falls"] + ["share price of the firm up"] * 8
    >>> y = ["oil"] * 2 + ["other"] * 8
    >>> emco = EMCO(gamma=0.1, sampling_strategy=minority_share(0.5), random_state=0)
    >>> texts_resampled, y_resampled = emco.fit_resample(texts, y)
    >>> len(texts_resampled), y_resampled.count("oil")
    (16, 8)
    >>> emco.n_generated_
    {'oil': 6}
    >>> len(emco.sample(2, label="oil", length=5)[0].split())
    5
    """

    gamma: float | str = 1.0
    _: KW_ONLY
    similarity: float | None = None
    sampling_strategy: Any = "auto"
    tokenizer: Any = None
    text: Any = None
    surface: bool = False
    order: int = 1
    min_count: int = 1
    max_words: int | None = None
    random_state: Any = None
    n_jobs: int | None = None

    _parameter_constraints = {
        **BaseTextOverSampler._parameter_constraints,
        "gamma": [Interval(Real, 0, None, closed="left"), StrOptions({"heaps"})],
        "similarity": [Interval(Real, 0, None, closed="neither"), None],
        "order": [Interval(Integral, 1, None, closed="left")],
        "min_count": [Interval(Integral, 1, None, closed="left")],
        "max_words": [Interval(Integral, 1, None, closed="left"), None],
    }

    def _generate(self, wanted: Wanted) -> Synthetic:
        chain = self._chain(self._class_index(wanted.label), wanted.n)
        documents = self._draw(chain, wanted.n, wanted.seed, wanted.stream)
        return Synthetic(documents, np.full(wanted.n, -1))

    def _draw(
        self, chain: MarkovChain, n: int, seed: int, stream: int, length: int | None = None
    ) -> list[Any]:
        jobs = effective_n_jobs(self.n_jobs)
        corpus = chain.draw(self.vocabulary_, n, seed, stream, length=length, n_jobs=jobs)
        if self._surface is not None:
            return self._surface.write(corpus, seed, stream, tokenizer=self.tokenizer)
        return corpus.tokens() if self._is_tokens else corpus.texts()

    def chain(self, label: Any, n: int | None = None) -> MarkovChain:
        """Return the chain of a class: the matrix P of the paper, and what to draw from.

        Parameters
        ----------
        label : object
            The class.
        n : int, optional
            Number of synthetic documents, on which ``gamma="heaps"`` depends; by default as many
            as were generated for the class.
        """
        check_is_fitted(self, "counts_")
        index = self._class_index(label)
        if n is None and self.gamma == "heaps":
            n = getattr(self, "n_generated_", {}).get(label)
            if n is None:
                raise ValueError(
                    f"gamma='heaps' depends on the number of synthetic documents, and none were "
                    f"generated for class {label!r}; pass it, as in chain(label, n=100)"
                )
        return self._chain(index, n or 0)

    def _chain(self, index: int, n: int, length: int | None = None) -> MarkovChain:
        own, label = self._own_counts(index), self.classes_.tolist()[index]
        if self.gamma != "heaps":
            n = 0
        elif length is not None and len(own.word_ids):
            # As many documents of the class's own lengths as make up the same tokens.
            n = round(n * length * own.counts.n_documents / int(own.counts.words.sum()))
        key = (index, self.gamma, n)
        if key not in self._chains:
            similar = self._similar.get(index)
            self._chains[key] = class_chain(self.counts_, own, self.gamma, n, label, similar)
        self._gammas[label] = self._chains[key].gamma
        return self._chains[key]

    @property
    def gamma_(self) -> float | dict[Any, float]:
        """The gamma in use, by class where it was chosen for several."""
        check_is_fitted(self, "counts_")
        if self.gamma != "heaps":
            return float(self.gamma)
        if not self._gammas:
            raise AttributeError("gamma='heaps' is chosen when documents are generated")
        return next(iter(self._gammas.values())) if len(self._gammas) == 1 else dict(self._gammas)

    def _class_index(self, label: Any) -> int:
        classes = self.classes_.tolist()
        if label not in classes:
            known = ", ".join(map(repr, classes[:10]))
            raise ValueError(f"there is no class {label!r}; the classes are {known}")
        return classes.index(label)

    def sample(
        self, n: int, label: Any, *, length: int | None = None, random_state: Any = None
    ) -> list[Any]:
        """Generate documents of a class.

        Parameters
        ----------
        n : int
            How many.
        label : object
            The class.
        length : int, optional
            Number of words of each document; by default drawn from the class's documents.
        random_state : int, RandomState instance or None
            By default the estimator's own. The first documents are the same for any `n`, unless
            gamma is ``"heaps"`` and therefore depends on `n`.

        Returns
        -------
        documents : list
            Strings, or token lists if the sampler was fitted on token lists.
        """
        check_is_fitted(self, "counts_")
        for name, value, least in (("n", n, 0), ("length", length, 1)):
            if value is None and name == "length":
                continue
            if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
                raise ValueError(f"{name} is {value!r}; expected a whole number from {least} up")
        seed = draw_seed(self.random_state if random_state is None else random_state)
        index = self._class_index(label)
        return self._draw(self._chain(index, n, length), n, seed, index, length)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted chains to a file of plain arrays (a ``.npz`` without pickles).

        The file holds the vocabulary and the counts, not the documents. The tokenizer is not
        stored: drawing needs none. (With ``surface=True`` and a tokenizer of your own, the loaded
        sampler does not check that it finds the drawn words, which may then differ.)
        """
        counts, seed = self.corpus_counts_, self.random_state
        settings = {
            "gamma": self.gamma if self.gamma == "heaps" else float(self.gamma),
            "similarity": None if self.similarity is None else float(self.similarity),
            "random_state": int(seed) if isinstance(seed, Integral) else None,
            "is_tokens": self._is_tokens,
        }
        save_chain(path, counts, [own for _, own in sorted(self._similar.items())], settings)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a sampler that :meth:`save` wrote.

        Only numbers and text are read from the file, never code, so a file from elsewhere can be
        wrong but not dangerous. The loaded sampler draws what the saved one would.
        """
        counts, similar, settings = load_chain(path)
        parameters = {
            "random_state": settings["random_state"],
            "order": counts.order,
            "surface": counts.surface is not None,
        }
        if cls is EMCO:
            parameters |= {"gamma": settings["gamma"], "similarity": settings["similarity"]}
        elif settings["gamma"] != 0:
            raise ValueError(
                f"{Path(path)} is an EMCO chain with gamma {settings['gamma']}; use EMCO.load"
            )
        sampler = cls(**parameters)
        sampler._validate_params()
        sampler._take(counts, is_tokens=bool(settings["is_tokens"]))
        sampler._similar = dict(enumerate(similar))
        return sampler
