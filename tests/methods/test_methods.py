"""Methods by name, and the one way from a method and documents to a fitted classifier."""

import pickle
import warnings
from importlib.util import find_spec

import numpy as np
import polars as pl
import pytest
from imblearn.over_sampling import RandomOverSampler
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV, cross_val_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier

from imbtext import FallbackWarning, minority_share
from imbtext.documents import Documents
from imbtext.markov import MarkovChain, TransitionCounts
from imbtext.methods import (
    Method,
    PreparedDocuments,
    Problem,
    ResampledClassifier,
    fit_method,
    get_method,
    method_names,
    register_method,
    unregister_method,
)
from imbtext.methods._fitting import _with_refitted_idf
from imbtext.methods._registry import parse_name
from imbtext.oversampling import DECOM, DRO, EDA, EMCO, MCO, ROS, Foreign, find_wordnet

NAMES = [
    "plain",
    "ros",
    "smote",
    "adasyn",
    "borderline-smote",
    "dro",
    "decom",
    "decoder",
    "eda",
    "mco",
    "emco",
    "language-model",
    "seqgan",
    "prompted",
    "class-weight",
    "threshold",
    "characters",
    "rare",
]
OVERSAMPLING = [*NAMES[1:10], "emco(0.1)", "emco(heaps)", "emco(gamma=0.5, similarity=3)"]


def has_wordnet():
    try:
        find_wordnet()
    except (OSError, ValueError):
        return False
    return True


needs_wordnet = pytest.mark.skipif(
    not has_wordnet(), reason="WordNet is not installed (Debian: apt-get install wordnet-base)"
)
NEEDS = {"eda": needs_wordnet}
OVERSAMPLING_HERE = [
    pytest.param(name, marks=NEEDS[name]) if name in NEEDS else name for name in OVERSAMPLING
]


def documents(m, n=60, seed=0):
    """Short texts; those of the rare class are about oil, most of the time."""
    rng = np.random.default_rng(seed)
    rest = [
        "rain",
        "sun",
        "snow",
        "wind",
        "cloud",
        "today",
        "week",
        "cold",
        "warm",
        "storm",
        "price",
    ]
    rare = ["oil", "crude", "barrel", "price", "output", "rise", "fall", "today"]
    texts = [
        " ".join(rng.choice(rare if i < m and rng.random() < 0.9 else rest, size=5))
        for i in range(n)
    ]
    return texts, np.arange(n) < m


@pytest.fixture(autouse=True)
def _fallbacks_are_no_errors_here():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        yield


def test_every_name_is_registered(monkeypatch):
    monkeypatch.setenv("IMBTEXT_PROMPT_MODEL", "a-model")
    assert method_names()[: len(NAMES)] == NAMES
    absent = set() if find_spec("torch") else {"language-model", "seqgan"}
    absent |= set() if find_spec("openai") else {"prompted"}
    for name in [name for name in NAMES if name not in absent]:
        assert get_method(name).name == name


@pytest.mark.parametrize(
    ("name", "space"),
    [
        ("plain", None),
        ("ros", "text"),
        ("smote", "tfidf"),
        ("dro", "tfidf"),
        ("decom", "counts"),
        ("eda", "text"),
        ("emco(0.1)", "ids"),
        ("class-weight", None),
        ("threshold(f1)", None),
        ("threshold(emco(0.1), f2)", "ids"),
    ],
)
def test_each_knows_what_it_works_on(name, space):
    method = get_method(name)
    assert method.name == name
    assert getattr(method.sampler, "space", None) == space
    assert get_method(method) is method


def test_names_with_parameters():
    for name, sampler in {
        "EMCO(1)": EMCO(1),
        "emco(.1)": EMCO(0.1),
        "emco(gamma=0.1, similarity=2)": EMCO(0.1, similarity=2),
        "emco(heaps)": EMCO("heaps"),
        "emco(0.1, surface=false)": EMCO(0.1, surface=False),
        "mco(weight=0.5)": MCO(),
        "eda(0.05)": EDA(alpha=0.05),
        "eda(alpha_sr=0, synonyms='WordNet/dict')": EDA(alpha_sr=0, synonyms="WordNet/dict"),
        "dro(words)": DRO(latent="words"),
        "decom(20, max_iter=50)": DECOM(n_topics=20, max_iter=50),
        "decoder": DECOM(smooth=True),
        "ros": ROS(),
    }.items():
        made = get_method(name).sampler
        assert type(made) is type(sampler)
        assert made.get_params() == sampler.get_params()
    assert (
        get_method("borderline-smote(3, kind=borderline-2)").sampler.sampler.kind == "borderline-2"
    )
    smote = get_method("smote(3)")
    assert isinstance(smote.sampler, Foreign)
    assert smote.sampler.sampler.get_params()["k_neighbors"] == 3
    emco = EMCO(0.1, tokenizer=str.split)
    assert get_method(emco).sampler is emco
    assert get_method("threshold").scoring == "balanced_accuracy"
    assert get_method("threshold(f2)").scoring == "f2"
    assert get_method("threshold(class-weight, f1)").class_weight == "balanced"
    assert get_method("adasyn(exact=false)").sampler.exact is False


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("emcoo", "there is no method 'emcoo'; did you mean 'emco'"),
        ("SMOT(3)", "there is no method 'smot'; did you mean 'smote'"),
        ("zzz", "there is no method 'zzz'; choose one of plain, ros"),
        ("emco(-1)", "'gamma' parameter of EMCO must be a float in the range"),
        ("emco(heap)", "'gamma' parameter of EMCO must be .* Got 'heap'"),
        ("emco(power=2)", "cannot read 'emco.power=2.': got an unexpected keyword"),
        ("emco(similarity=0)", "'similarity' parameter of EMCO must be"),
        ("emco(similarity=heaps)", "'similarity' parameter of EMCO must be"),
        ("emco(weight=0)", "emco's weight is 0; give a number above 0 and up to 1"),
        ("mco(weight=heaps)", "mco's weight is 'heaps'; give a number above 0"),
        ("ros(k=3)", "the parameters are ros.*weight=1.0"),
        ("emco(0.1", "'\\(' was never closed"),
        ("emco)", "unmatched '\\)'"),
        ("emco(%)", "it breaks off at '%"),
        ("emco(1 + 1)", "'1 \\+ 1' is not a name, number or call"),
        ("7", "7 is a value, not a name"),
        ("", "it is empty"),
        ("emco(gamma=0.1, 2)", "positional argument follows keyword argument"),
        ("threshold(recall)", "threshold takes a method and a score, and 'recall' is neither"),
        ("threshold(emcoo(0.1))", "did you mean 'emco'"),
        ("smote(0)", "k_neighbors"),
        ("emco(none)", "'gamma' parameter of EMCO must be .* Got None"),
        ("emco(plain)", "'gamma' parameter of EMCO must be .* Got 'plain'"),
        ("emco(gamma=0.1, gamma=1)", "gamma is given twice"),
        ("smote(hello)", "'k_neighbors' parameter of SMOTE must be"),
        ("eda(2)", "'alpha' parameter of EDA must be a float in the range"),
        ("rare(f2, ros)", "rare's features is ros, which is a method"),
        ("decom(0)", "'n_topics' parameter of DECOM must be an int"),
        ("decoder(x)", "'n_topics' parameter of DECOM must be an int"),
        ("random", "there is no method 'random'; choose one of plain, ros"),
        ("threshold(emcoo, f2)", "'emcoo' is neither; did you mean 'emco'"),
        ("threshold(mco, emco(0.1))", "threshold takes one method"),
        ("threshold(f1, f2)", "threshold takes one method"),
        ("threshold(threshold(f2))", "cannot tune threshold.f2., which tunes a threshold itself"),
    ],
)
def test_mistakes_in_names_are_explained(name, message):
    texts, positive = documents(8)
    with pytest.raises(ValueError, match=message):
        get_method(name).resample(Problem(PreparedDocuments.of(texts), positive, 5, seed=0))


@pytest.mark.parametrize("name", [None, 5, ["emco"]])
def test_a_method_that_is_no_name_is_refused(name):
    with pytest.raises(TypeError, match="give its name, such as 'emco"):
        get_method(name)


def test_a_sampler_with_a_wrong_parameter_is_refused_at_once():
    with pytest.raises(ValueError, match="'n_topics' parameter of DECOM must be an int"):
        get_method(DECOM(n_topics=0))


def test_parsed_names_are_written_back():
    for name in ["a", "a(1)", "a(0.5, b)", "a(x=1, y=true, z=none)", "a(b(c, 2), d)", "a(-1e-05)"]:
        assert str(parse_name(name)) == name


def test_a_third_party_registers_a_sampler_or_a_method():
    register_method("copies", RandomOverSampler, space="ids")
    register_method("bare", lambda: get_method("plain"))
    register_method("broken", lambda: 3)
    register_method("vague", RandomOverSampler)
    try:
        texts, positive = documents(6)
        data = PreparedDocuments.of(texts)
        resampled = get_method("copies").resample(Problem(data, positive, 10, seed=0))
        assert resampled.X.shape[0] == 70
        parents = resampled.parents[60:]
        assert positive[parents].all()
        np.testing.assert_array_equal(resampled.X[60:].toarray(), data.tfidf[parents].toarray())
        assert get_method("threshold(copies, f1)").scoring == "f1"
        assert get_method("bare").name == "bare"
        with pytest.raises(TypeError, match="must return a Method or a sampler"):
            get_method("broken")
        with pytest.raises(ValueError, match="register it with space="):
            get_method("vague")
        with pytest.raises(ValueError, match="there already is a method 'copies'"):
            register_method("copies", RandomOverSampler)
        with pytest.raises(ValueError, match="cannot be a method's name"):
            register_method("No-Good", RandomOverSampler)
    finally:
        for name in ["copies", "bare", "broken", "vague"]:
            unregister_method(name)
    with pytest.raises(ValueError, match="there is no method 'copies'"):
        unregister_method("copies")


class _Careless(BaseEstimator):
    """A sampler that puts the new documents first."""

    def __init__(self, sampling_strategy="auto"):
        self.sampling_strategy = sampling_strategy

    def fit_resample(self, X, y):
        return ["oil", *X], np.concatenate([[1], y])


class CountOnly(BaseEstimator):
    def fit_resample(self, X, y):
        return X, y


class NoEstimator:
    def fit_resample(self, X, y):
        return X, y


def test_mistakes_in_registering_are_explained():
    for name, factory, space, error, message in [
        (5, RandomOverSampler, "tfidf", TypeError, "expected a string and a callable"),
        ("mine", "factory", "tfidf", TypeError, "expected a string and a callable"),
        ("mine", RandomOverSampler, "texts", ValueError, "space is 'texts'; expected one of"),
        ("mine(1)", RandomOverSampler, "tfidf", ValueError, "cannot be a method's name"),
        ("f2", RandomOverSampler, "tfidf", ValueError, "already has a meaning inside names"),
        ("none", RandomOverSampler, "tfidf", ValueError, "already has a meaning inside names"),
    ]:
        with pytest.raises(error, match=message):
            register_method(name, factory, space)
        assert name not in method_names()
    register_method("careless", _Careless, "text")
    register_method("deaf", CountOnly, "tfidf")
    register_method("no-estimator", NoEstimator, "tfidf")
    try:
        with pytest.raises(TypeError, match=r"has no get_params, .* derive it from sklearn"):
            get_method("no-estimator")
        texts, positive = documents(5)
        with pytest.raises(ValueError, match="_Careless must return all documents in their order"):
            ResampledClassifier("careless").fit(texts, positive)
        with pytest.raises(TypeError, match="give it the parameter sampling_strategy"):
            ResampledClassifier("deaf").fit(texts, positive)
    finally:
        unregister_method("careless")
        unregister_method("deaf")
        unregister_method("no-estimator")


@pytest.mark.parametrize("m", [1, 2, 5])
@pytest.mark.parametrize("name", OVERSAMPLING_HERE)
def test_tiny_classes_get_the_rows_asked_for(name, m):
    texts, positive = documents(m)
    data = PreparedDocuments.of(texts)
    problem = Problem(data, positive, 13, seed=3)
    resampled = get_method(name).resample(problem)
    assert resampled.X.shape[0] == len(resampled.y) == len(resampled.parents) == 73
    assert resampled.y.sum() == m + 13
    np.testing.assert_array_equal(resampled.y[:60], positive)
    if name != "decoder":
        np.testing.assert_array_equal(resampled.parents[:60], np.arange(60))
        own = resampled.X[:60, : data.tfidf.shape[1]]
        np.testing.assert_array_equal(own.toarray(), data.tfidf.toarray())
    known = resampled.parents[60:][resampled.parents[60:] >= 0]
    assert positive[known].all()
    fitted = fit_method(name, problem)
    assert fitted.predict(data.tfidf).shape == (60,)


@pytest.mark.parametrize("name", OVERSAMPLING_HERE)
def test_duplicated_documents_and_documents_without_words(name):
    texts, positive = documents(6)
    texts[:3] = [texts[0]] * 3
    texts[4] = texts[30] = texts[31] = ""
    data = PreparedDocuments.of(texts)
    resampled = get_method(name).resample(Problem(data, positive, 20, seed=0))
    assert resampled.X.shape[0] == 80
    assert np.isfinite(resampled.X.data).all()


@pytest.mark.parametrize("name", OVERSAMPLING_HERE)
def test_a_class_without_a_known_word(name):
    texts, positive = documents(3)
    texts[:3] = ["", "", ""]
    data = PreparedDocuments.of(texts)
    method = get_method(name)
    if method.sampler.space in ("ids", "counts"):
        with pytest.raises(ValueError, match="word"):
            method.resample(Problem(data, positive, 10, seed=0))
    else:
        assert method.resample(Problem(data, positive, 10, seed=0)).X.shape[0] == 70


@pytest.mark.parametrize("name", OVERSAMPLING_HERE)
def test_seeds_own_the_randomness(name):
    texts, positive = documents(8)

    def rows(seed, stream=0, warm=None):
        data = warm or PreparedDocuments.of(texts)
        return get_method(name).resample(Problem(data, positive, 30, seed, stream)).X

    one = rows(7)
    warm = PreparedDocuments.of(texts)
    rows(1, warm=warm)
    assert (one != rows(7)).nnz == 0
    assert (one != rows(7, warm=warm)).nnz == 0
    assert one.shape != rows(8).shape or (one != rows(8)).nnz > 0
    assert one.shape != rows(7, stream=1).shape or (one != rows(7, stream=1)).nnz > 0


def test_emco_is_the_chain_of_the_class():
    texts, positive = documents(8)
    data = PreparedDocuments.of(texts)
    problem = Problem(data, positive, 25, seed=2, stream=4)
    resampled = get_method("emco(0.1)").resample(problem)
    total, minority = (TransitionCounts.of(c) for c in (data.corpus, data.corpus.select(positive)))
    chain = MarkovChain.extrapolate(total, minority, 0.1)
    drawn = chain.draw(data.corpus.vocabulary, 25, 2, stream=4)
    np.testing.assert_array_equal(resampled.X[60:].toarray(), data.vectorize(drawn).toarray())
    np.testing.assert_array_equal(resampled.counts[60:].toarray(), drawn.counts().toarray())


def test_idf_is_frozen_on_the_originals_or_refitted():
    texts, positive = documents(8)
    data = PreparedDocuments.of(texts)
    expected = TfidfVectorizer().fit(texts)
    np.testing.assert_allclose(data.tfidf.toarray(), expected.transform(texts).toarray())
    unseen = ["oil price unheard", "snow and rain rain"]
    vectors = data.vectorize_documents(unseen)
    np.testing.assert_allclose(vectors.toarray(), expected.transform(unseen).toarray())

    problem = Problem(data, positive, 40, seed=0)
    for name in ["ros", "emco(0.1)", "decom"]:
        frozen = fit_method(name, problem)
        assert frozen.transform_test is None
        refitted = fit_method(name, problem, refit_idf=True)
        resampled = get_method(name).resample(problem)
        counts = resampled.counts
        anew = TfidfTransformer().fit(counts)
        np.testing.assert_allclose(
            _with_refitted_idf(resampled, resampled.counts, data.weighting.idf_).X.toarray(),
            anew.transform(counts).toarray(),
            atol=1e-12,
        )
        test_counts = data.encode(unseen).counts()
        np.testing.assert_allclose(
            refitted.transform_test(vectors).toarray(),
            anew.transform(test_counts).toarray(),
            atol=1e-12,
        )
    assert fit_method("smote", problem, refit_idf=True).transform_test is None


def test_weights_of_synthetic_documents_reach_the_classifier():
    texts, positive = documents(6)
    problem = Problem(PreparedDocuments.of(texts), positive, 20, seed=0)
    weighted = fit_method("emco(0.1, weight=0.25)", problem, classifier=LogisticRegression())
    plain = get_method("emco(0.1)").resample(problem)
    expected = LogisticRegression().fit(
        plain.X, plain.y, sample_weight=np.repeat([1.0, 0.25], [60, 20])
    )
    np.testing.assert_allclose(weighted.classifier.coef_, expected.coef_, rtol=1e-4)
    assert get_method("threshold(mco(weight=0.1), f2)").resample(problem).weight == 0.1
    assert get_method("emco(0.1, weight=0.25)").title == "EMCO with gamma 0.1 and weight 0.25"
    with pytest.raises(ValueError, match="fit does not take sample_weight"):
        fit_method("emco(0.1, weight=0.5)", problem, classifier=KNeighborsClassifier())


def test_class_weight_reaches_the_classifier():
    texts, positive = documents(6)
    data = PreparedDocuments.of(texts)
    problem = Problem(data, positive, 0, seed=0)
    fitted = fit_method("class-weight", problem)
    assert fitted.classifier.class_weight == "balanced"
    assert fitted.n_added == 0
    with pytest.raises(ValueError, match="MultinomialNB has none"):
        fit_method("class-weight", problem, classifier=MultinomialNB())


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "f1", "f2"])
@pytest.mark.parametrize("sampler", ["", "emco(0.1), ", "dro, ", "smote, "])
def test_threshold_is_tuned_for_the_score(sampler, scoring):
    texts, positive = documents(12, n=90)
    data = PreparedDocuments.of(texts)
    problem = Problem(data, positive, 20, seed=0)
    fitted = fit_method(f"threshold({sampler}{scoring})", problem)
    plain = fit_method(sampler.strip(", ") or "plain", problem)
    assert fitted.threshold != 0
    np.testing.assert_allclose(
        fitted.decision_function(data.tfidf), plain.decision_function(data.tfidf)
    )
    expected = fitted.decision_function(data.tfidf) > fitted.threshold
    np.testing.assert_array_equal(fitted.predict(data.tfidf), expected)


def test_threshold_for_f2_finds_more_than_for_f1():
    texts, positive = documents(12, n=90, seed=3)
    data = PreparedDocuments.of(texts)
    problem = Problem(data, positive, 0, seed=0)
    f1, f2 = (fit_method(f"threshold({s})", problem) for s in ("f1", "f2"))
    assert f2.threshold <= f1.threshold


def test_threshold_resamples_inside_each_fold():
    seen = []

    class Spy:
        space, title = "text", "a spy"

        def draw(self, request):
            seen.append((len(request.documents), len(request.rows), request.n))
            return ROS().draw(request)

    texts, positive = documents(10, n=100)
    data = PreparedDocuments.of(texts)
    method = Method("spy", Spy(), scoring="f1")
    fit_method(method, Problem(data, positive, 12, seed=0))
    # 22 to 90 is the ratio; each fold trains on 80 documents with 8 of the class: 17.6 to 72.
    assert sorted(seen) == [(80, 8, 9)] * 5 + [(100, 10, 12)]
    seen.clear()
    fit_method(method, Problem(data, positive, minority_share(0.2).missing, seed=0))
    assert sorted(seen) == [(80, 8, 10)] * 5 + [(100, 10, 12)]


def test_threshold_needs_two_documents():
    texts, positive = documents(1)
    data = PreparedDocuments.of(texts)
    with pytest.raises(
        ValueError, match="two documents of the class and two others; there are 1 and 59"
    ):
        fit_method("threshold", Problem(data, positive, 5, seed=0))
    texts, positive = documents(2)
    data = PreparedDocuments.of(texts)
    fitted = fit_method("threshold", Problem(data, positive, 5, seed=0))
    assert fitted.predict(data.tfidf).shape == (60,)


def test_resample_says_what_is_wrong():
    texts, positive = documents(5)
    data = PreparedDocuments.of(texts)
    with pytest.raises(ValueError, match="one True or False per document"):
        Problem(data, positive[:-1], 5, seed=0)
    with pytest.raises(ValueError, match="at least one document each"):
        Problem(data, np.zeros(60, dtype=bool), 5, seed=0)
    with pytest.raises(ValueError, match="amount is -1; ask for a whole number"):
        Problem(data, positive, -1, seed=0)
    with pytest.raises(ValueError, match="got 3 documents for a corpus of 60"):
        PreparedDocuments(Documents.of(texts[:3]), corpus=data.corpus)


def test_training_data_is_shared_selected_and_cloned():
    texts, positive = documents(5)
    data = PreparedDocuments.of(texts)
    assert data.transitions() is data.transitions()
    assert data.tfidf is data.tfidf
    assert clone(data) is data
    half = data.select(positive)
    assert half.corpus.texts() == data.corpus.select(np.arange(5)).texts()
    assert list(half.documents) == texts[:5]
    assert half.weighting.idf_.max() > 1
    assert half.corpus.n_words == (half.counts.sum(axis=0) > 0).sum()


def test_method_classifier():
    texts, positive = documents(10, n=100)
    y = np.where(positive, "oil", "weather")
    model = ResampledClassifier("emco(0.1)", random_state=0).fit(texts, y)
    assert model.classes_.tolist() == ["oil", "weather"]
    assert model.score(texts, y) > 0.9
    # The sign of a decision function belongs to classes_[1], here the common class.
    decided = model.decision_function(texts) > 0
    np.testing.assert_array_equal(decided, model.predict(texts) == "weather")
    assert (model.fitted_[0].n_added + 10) / (model.fitted_[0].n_added + 100) == pytest.approx(
        0.2, abs=0.01
    )
    again = clone(model).fit(texts, y)
    np.testing.assert_array_equal(again.decision_function(texts), model.decision_function(texts))
    flipped = ResampledClassifier("ros", pos_label="weather", share=0.95).fit(texts, y)
    assert (flipped.fitted_[0].n_added + 90) / (flipped.fitted_[0].n_added + 100) == pytest.approx(
        0.95, abs=0.01
    )


@pytest.mark.parametrize("kind", [list, np.array, lambda x: np.array(x, dtype=object)])
def test_method_classifier_takes_any_container(kind):
    texts, positive = documents(10)
    expected = (
        ResampledClassifier("mco", random_state=0).fit(texts, positive).decision_function(texts)
    )
    model = ResampledClassifier("mco", random_state=0).fit(kind(texts), positive.tolist())
    np.testing.assert_array_equal(model.decision_function(pl.Series(texts)), expected)
    tokens = [text.split() for text in texts]
    model = ResampledClassifier("mco", random_state=0).fit(tokens, positive)
    np.testing.assert_array_equal(model.decision_function(tokens), expected)


def test_method_classifier_inside_scikit_learn():
    texts, positive = documents(15, n=90)
    y = positive.astype(int)
    f2 = make_scorer(fbeta_score, beta=2)
    tuned = TunedThresholdClassifierCV(
        ResampledClassifier("emco(0.1)", random_state=0), scoring=f2, cv=2
    ).fit(texts, y)
    assert set(tuned.predict(texts)) == {0, 1}
    model = ResampledClassifier("threshold(ros, f2)", random_state=0)
    assert cross_val_score(model, texts, y, cv=2, scoring=f2).min() > 0.5


def test_method_classifier_with_a_classifier_of_probabilities():
    texts, positive = documents(12)
    model = ResampledClassifier("ros", classifier=MultinomialNB(), random_state=0).fit(
        texts, positive
    )
    decided = model.decision_function(texts) > 0
    np.testing.assert_array_equal(decided, model.predict(texts))
    linear = ResampledClassifier("dro", classifier=LogisticRegression(), random_state=0)
    assert linear.fit(texts, positive).score(texts, positive) > 0.8


def test_method_classifier_says_what_is_wrong():
    texts, positive = documents(5)
    with pytest.raises(ValueError, match="only one class"):
        ResampledClassifier().fit(texts, np.zeros(60))
    with pytest.raises(ValueError, match="not among the labels"):
        ResampledClassifier(pos_label="gas").fit(texts, positive)
    with pytest.raises(ValueError, match="labels"):
        ResampledClassifier().fit(texts, positive[:-1])


@pytest.mark.parametrize("name", [*OVERSAMPLING_HERE, "plain", "class-weight", "threshold(mco)"])
def test_a_class_that_has_its_share_already_gets_nothing_more(name):
    texts, positive = documents(20)
    for refit_idf in (False, True):
        model = ResampledClassifier(name, share=0.2, refit_idf=refit_idf, random_state=0)
        model.fit(texts, positive)
        assert model.fitted_[0].n_added == 0
        assert model.score(texts, positive) > 0.8


@pytest.mark.parametrize("refit_idf", [False, True])
@pytest.mark.parametrize("name", ["emco(0.1)", "dro", "smote", "threshold(ros, f2)"])
def test_a_fitted_classifier_can_be_pickled(name, refit_idf):
    texts, positive = documents(10)
    model = ResampledClassifier(name, tokenizer=str.split, refit_idf=refit_idf, random_state=0)
    scores = model.fit(texts, positive).decision_function(texts)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(texts), scores)


@pytest.mark.parametrize(
    "name", ["plain", "ros", "dro", "eda"] if has_wordnet() else ["plain", "ros"]
)
def test_documents_without_any_word_are_refused(name):
    with pytest.raises(ValueError, match="none of the 10 documents has a word in it"):
        ResampledClassifier(name).fit(["", "?"] * 5, [True] + [False] * 9)


@pytest.mark.parametrize("share", [0, 1, "a", None, True, float("nan")])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises((ValueError, TypeError), match="expected a number between 0 and 1"):
        ResampledClassifier(share=share).fit(*documents(5))


def test_sparse_indices_fit_liblinear():
    texts, positive = documents(5)
    data = PreparedDocuments.of(texts)
    for name in ["dro", "decoder", "emco", "smote"]:
        X = get_method(name).resample(Problem(data, positive, 9, seed=0)).X
        assert isinstance(X, sparse.csr_array)
        assert X.indices.dtype == X.indptr.dtype == np.int32


def test_rare_is_the_classifier_of_documents():
    texts = ["oil price up", "crude oil price"] * 3 + ["rain today", "sun and rain", "sun"] * 9
    is_class = np.arange(len(texts)) < 6
    problem = Problem(PreparedDocuments.of(texts), is_class, 5, seed=0)
    fitted = fit_method("rare(f1)", problem)
    assert fitted.reads_documents
    assert fitted.n_added == 0
    assert fitted.predict(["the price of oil", "rain"]).tolist() == [True, False]
    with pytest.raises(ValueError, match="which tunes a threshold itself"):
        get_method("threshold(rare, f1)")
    with pytest.raises(ValueError, match="features is 'x'; choose one of auto"):
        get_method("rare(features=x)")
