"""Other languages: inflected, compounded or without spaces, it ranks as well as plain words do."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import average_precision_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from imbtext import RareTextClassifier

# Per language: its name for PyStemmer, words of the rare class, of the rest, and of both.
WORDS = {
    "german": (
        "Schiff Schiffe Schiffes Schiffen Schifffahrt Hafen Häfen Hafens Seehafen Fracht Frachten",
        "Wetter Regen Regens Sonne Sonnen Wolke Wolken Wind Winde Schnee Schnees Gewitter Sturm",
        "der die das ein eine und oder heute gestern wieder sehr über unter gegen morgen",
    ),
    "french": (
        "navire navires naviguer navigation port ports portuaire cargaison fret maritime",
        "pluie pluies pluvieux soleil soleils nuage nuages nuageux vent vents neige neiges orage",
        "le la les un une et ou aujourd'hui hier encore très sur sous contre demain",
    ),
    None: (
        "货船 港口 海港 船舶 航运 运货 码头 轮船 货物 港务",
        "天气 下雨 晴天 多云 大风 下雪 雷雨 阴天 暴雨 气温",
        "今天 昨天 又 很 的 在 和 我们 他们 明天 这里 那里",
    ),
}


def documents(language, seed, n=200):
    """Draw short texts, one in ten of them rare; Chinese is written without spaces."""
    rare, rest, both = (words.split() for words in WORDS[language])
    generator = np.random.default_rng(seed)
    y = np.arange(n) % 10 == 0
    texts = []
    for is_rare in y:
        own = generator.choice(rare if is_rare else rest, 2)
        words = generator.permutation([*own, *generator.choice([*both, *rest[:4], *rare[:2]], 6)])
        texts.append(("" if language is None else " ").join(words))
    return texts, y


@pytest.mark.parametrize("language", list(WORDS))
def test_not_worse_than_plain_words(language):
    texts, y = documents(language, seed=0)
    new, true = documents(language, seed=1, n=600)
    plain = make_pipeline(TfidfVectorizer(), LinearSVC()).fit(texts, y)
    expected = average_precision_score(true, plain.decision_function(new))
    for named in {language, "english"}:  # the language's own, and the default
        model = RareTextClassifier(language=named, random_state=0).fit(texts, y)
        assert average_precision_score(true, model.decision_function(new)) > expected - 0.02
