"""EDA: small random edits of the class's own documents."""

import os
from collections.abc import Collection, Mapping
from numbers import Integral, Real

from joblib import effective_n_jobs
from sklearn.utils._param_validation import Interval, StrOptions

from imbtext._typing import ColumnNames, RandomState, SamplingStrategy
from imbtext.documents._tokenization import Tokenizer
from imbtext.oversampling._sampler import New, Request, Sampler, evenly
from imbtext.oversampling.eda_operations import Rates, augment
from imbtext.oversampling.synonyms import ENGLISH_STOPWORDS, Synonyms, SynonymTable, synonym_lookup


class EDA(Sampler):
    """Oversampling by easy data augmentation.

    Each synthetic document is a document of the class after one of four edits: synonym replacement,
    random insertion (of a synonym of one of its words), random swap, or random deletion. Every
    document of the class has the same number of children, give or take one. The children of a
    document share the four edits equally, as far as their number allows.

    Parameters
    ----------
    sampling_strategy : str, float, dict or callable, default="auto"
        As in imbalanced-learn; or :class:`imbtext.minority_share`, the paper's sampling ratio.
    alpha : float, default=0.1
        All four rates that follow, as far as they are not given.
    alpha_sr : float, optional
        Synonym replacement replaces ``max(1, int(alpha_sr * length))`` distinct words that have a
        synonym and are not stopwords, each wherever it occurs. 0 switches it off, as below.
    alpha_ri : float, optional
        Random insertion adds ``max(1, int(alpha_ri * length))`` synonyms.
    alpha_rs : float, optional
        Random swap exchanges two words ``max(1, int(alpha_rs * length))`` times.
    p_rd : float, optional
        Random deletion removes each word with this probability; one word always stays.
    synonyms : None, path-like, mapping or callable
        Where synonyms come from. None finds a WordNet on the machine (see
        :func:`imbtext.oversampling.find_wordnet`; it is English), a path names one. A mapping of
        words to lists of synonyms, or a callable from a word to its synonyms, serves any language.
        A synonym of several words becomes several tokens.
    stopwords : "english", collection of str or None, default="english"
        Words that are not replaced. "english" stands for the 127 function words of EDA's authors
        (NLTK's older English list). With None or an empty collection, every word may be replaced.
    tokenizer : callable, optional
        From a string to its words. By default scikit-learn's token pattern on the lower-cased
        text. Not used for documents that are token lists.
    text : hashable, optional
        The column of the documents, where `X` is a table of several columns. Synthetic rows have
        missing values in the others.
    random_state : int, RandomState instance or None, default=None
        The same integer gives the same documents, whatever `n_jobs` is.
    n_jobs : int, optional
        Threads used to make documents.

    Attributes
    ----------
    classes_, sampling_strategy_, is_synthetic_, sample_indices_, n_generated_
        As for every sampler of documents; ``sample_indices_`` names the parent.

    Notes
    -----
    No document is dropped. The children of a document without words are empty, even if no document
    of the class has words. Where an edit finds nothing to do (one word to swap, no synonym known),
    the child is a plain copy of the words.

    Two details differ from the authors' code. An inserted synonym is drawn from all synonyms of the
    word; the code takes the first of a set, which changes from one run of Python to the next. And
    only words of the document bring synonyms, never a synonym that was inserted before.

    References
    ----------
    Wei, J. and Zou, K. (2019). EDA: Easy Data Augmentation Techniques for Boosting Performance on
    Text Classification Tasks. EMNLP-IJCNLP.

    Examples
    --------
    >>> from imbtext.oversampling import EDA
    >>> texts = ["Crude oil price up", "oil"] + ["share price of the firm up"] * 6
    >>> y = ["oil"] * 2 + ["other"] * 6
    >>> eda = EDA(synonyms={"oil": ["petroleum"], "price": ["cost", "terms"]}, random_state=0)
    >>> texts_resampled, y_resampled = eda.fit_resample(texts, y)
    >>> y_resampled.count("oil"), eda.sample_indices_[8:].tolist()
    (6, [0, 0, 1, 1])
    """

    space = "text"
    title = "EDA"
    in_names = ("alpha",)

    _parameter_constraints = {
        **Sampler._parameter_constraints,
        "tokenizer": [callable, None],
        "text": [object],
        "n_jobs": [Integral, None],
        "alpha": [Interval(Real, 0, 1, closed="both")],
        "alpha_sr": [Interval(Real, 0, 1, closed="both"), None],
        "alpha_ri": [Interval(Real, 0, 1, closed="both"), None],
        "alpha_rs": [Interval(Real, 0, 1, closed="both"), None],
        "p_rd": [Interval(Real, 0, 1, closed="both"), None],
        "synonyms": [str, os.PathLike, Mapping, callable, None],
        "stopwords": [StrOptions({"english"}), set, frozenset, list, tuple, None],
    }

    def __init__(
        self,
        alpha: float = 0.1,
        *,
        sampling_strategy: SamplingStrategy = "auto",
        alpha_sr: float | None = None,
        alpha_ri: float | None = None,
        alpha_rs: float | None = None,
        p_rd: float | None = None,
        synonyms: Synonyms = None,
        stopwords: str | Collection[str] | None = "english",
        tokenizer: Tokenizer | None = None,
        text: ColumnNames = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.sampling_strategy = sampling_strategy
        self.alpha_sr = alpha_sr
        self.alpha_ri = alpha_ri
        self.alpha_rs = alpha_rs
        self.p_rd = p_rd
        self.synonyms = synonyms
        self.stopwords = stopwords
        self.tokenizer = tokenizer
        self.text = text
        self.random_state = random_state
        self.n_jobs = n_jobs

    def draw(self, request: Request) -> New:
        """Edit the documents of the class, each of them equally often."""
        rows, seed, stream = request.rows, request.seed, request.stream
        class_corpus = request.documents.select(rows).corpus(self.tokenizer)
        stopwords = ENGLISH_STOPWORDS if self.stopwords == "english" else self.stopwords or ()
        table = SynonymTable.of(class_corpus.vocabulary, synonym_lookup(self.synonyms), stopwords)
        rates = (self.alpha_sr, self.alpha_ri, self.alpha_rs, self.p_rd)
        new, parents = augment(
            class_corpus,
            table,
            evenly(request.n, len(rows), seed, stream),
            Rates(*(self.alpha if rate is None else rate for rate in rates)),
            seed=seed,
            stream=stream,
            n_jobs=effective_n_jobs(self.n_jobs),
        )
        return New(rows[parents], request.documents.decode(new, self.tokenizer))
