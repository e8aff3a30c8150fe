"""EMCO, the paper's method, and MCO, its special case."""

from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, StrOptions

from imbtext._typing import ColumnNames, RandomState, SamplingStrategy
from imbtext.documents._tokenization import Tokenizer
from imbtext.oversampling._counting import CountingSampler
from imbtext.oversampling._sampler import Sampler


class EMCO(CountingSampler):
    """Extrapolated Markov Chain Oversampling.

    Each class to oversample is modelled as a Markov chain over words. Its transitions are counted
    in the documents of the class and, weighted by `gamma`, in all other documents, but there only
    from words that the class uses too. So the chain can move to words the class never used, if
    other documents use them in the same context, and returns to the words of the class after each
    of them. The synthetic documents are bags of plausible words rather than prose: made for
    classifiers, not for readers.

    Parameters
    ----------
    gamma : float or "heaps", default=1.0
        Weight of the transitions in the documents of the other classes. 0 never leaves the
        vocabulary of the class (MCO); larger values bring more foreign words, more recall and less
        precision. The paper uses 1 and 0.1, and advises against more than 1.

        ``"heaps"`` chooses, for each class, the gamma from 0 to 1 with which the vocabulary of its
        original and synthetic documents together grows as Heaps' law predicts. The law is fitted
        on the given documents, the vocabulary is expected from the chain: no trial runs, no
        randomness. See :func:`imbtext.markov.gamma_by_heaps`.
    similarity : float, optional
        Give documents of the other classes more weight the more similar they are to the class:
        this power of the cosine between a document's words and those of the class, where rare
        words weigh more. A document as similar as the class's own documents are on average counts
        1. By default every document counts 1. Fewer foreign words come in, and they come from
        texts closer to the class: more precision for little or no loss of recall. Values from 2 to
        4 make sense. `fit` and `fit_resample` can learn it, because they see all documents;
        `partial_fit` cannot.
    sampling_strategy : str, float, dict or callable, default="auto"
        As in imbalanced-learn; or :class:`imbtext.minority_share`, the paper's sampling ratio.
    tokenizer : callable, optional
        From a string to its words. By default scikit-learn's token pattern on the lower-cased
        text; in scripts without spaces, each character is a word. Not used for documents that are
        token lists.
    text : hashable, optional
        The column of the documents, where `X` is a table of several columns. Synthetic rows have
        missing values in the others.
    surface : bool or "auto", default="auto"
        True writes each drawn word as the documents write it: its case, and what stands between it
        and the next word, drawn from where the two meet, else from anywhere the word occurs. False
        joins the words with spaces, and without where the script has none. The tokenizer finds the
        same words either way, so True is for models that see case, punctuation or characters: they
        would learn to tell synthetic documents from real ones. Counting then takes about five
        times as long, and drawing twice. ``"auto"`` is False for the documents that the sampler
        returns. In :func:`imbtext.compare` and :class:`imbtext.ResampledClassifier` it is True if
        their features see more than words.
    random_state : int, RandomState instance or None, default=None
        The same integer gives the same documents, whatever `n_jobs` is.
    n_jobs : int, optional
        Threads used to draw documents.

    Attributes
    ----------
    classes_ : ndarray
        The class labels, sorted.
    vocabulary_ : ndarray of object
        All words, sorted.
    counts_ : imbtext.markov.TransitionCounts
        The transitions of all documents.
    gamma_ : dict
        The gamma of each class. With ``gamma="heaps"``, of each class that documents were generated
        for: the choice depends on their number.
    sampling_strategy_, is_synthetic_, sample_indices_, n_generated_
        As for every sampler of documents, after :meth:`fit_resample`. Synthetic documents have no
        parent, so their ``sample_indices_`` is -1.

    Notes
    -----
    scikit-learn's vectorizers do not read Arrow arrays: in a pipeline with one, pass
    ``array.to_pylist()``, to `fit` and to `predict`.

    Only words that follow each other in a document count as a transition. A word is never followed
    by itself, except where a document passes its end and begins again with the same word.
    Documents without words take no part. Lengths are drawn from the documents of the class.
    Document i of a class depends on `random_state`, the class and i alone.

    See Also
    --------
    MCO : The same chain without the words of other classes.
    imbtext.compare : Measures on your documents whether EMCO helps, and which gamma.
    imbtext.ResampledClassifier : EMCO and a classifier as one estimator.

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

    title = "EMCO"
    in_names = ("gamma",)

    _parameter_constraints = {
        **Sampler._parameter_constraints,
        "tokenizer": [callable, None],
        "text": [object],
        "surface": ["boolean", StrOptions({"auto"})],
        "n_jobs": [Integral, None],
        "gamma": [Interval(Real, 0, None, closed="left"), StrOptions({"heaps"})],
        "similarity": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(
        self,
        gamma: float | str = 1.0,
        *,
        similarity: float | None = None,
        sampling_strategy: SamplingStrategy = "auto",
        tokenizer: Tokenizer | None = None,
        text: ColumnNames = None,
        surface: bool | str = "auto",
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.gamma = gamma
        self.similarity = similarity
        self.sampling_strategy = sampling_strategy
        self.tokenizer = tokenizer
        self.text = text
        self.surface = surface
        self.random_state = random_state
        self.n_jobs = n_jobs


class MCO(CountingSampler):
    """Markov Chain Oversampling: EMCO that never leaves the class's own vocabulary (gamma 0).

    Parameters
    ----------
    sampling_strategy, tokenizer, text, surface, random_state, n_jobs
        As for :class:`EMCO`.

    See Also
    --------
    EMCO : The same chain with transitions of other classes, which brings new words.

    Examples
    --------
    >>> from imbtext import MCO
    >>> texts, y = MCO(random_state=0).fit_resample(["oil up"] + ["gold down"] * 3, [1, 0, 0, 0])
    >>> texts[-2:]
    ['oil up', 'oil up']
    """

    title = "MCO"
    # The chain holds nothing of other classes, so there is nothing to weight.
    gamma = 0.0
    similarity = None

    _parameter_constraints = {
        name: allowed
        for name, allowed in EMCO._parameter_constraints.items()
        if name not in ("gamma", "similarity")
    }

    def __init__(
        self,
        *,
        sampling_strategy: SamplingStrategy = "auto",
        tokenizer: Tokenizer | None = None,
        text: ColumnNames = None,
        surface: bool | str = "auto",
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.sampling_strategy = sampling_strategy
        self.tokenizer = tokenizer
        self.text = text
        self.surface = surface
        self.random_state = random_state
        self.n_jobs = n_jobs
