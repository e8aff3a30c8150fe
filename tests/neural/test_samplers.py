"""LanguageModelSampler and SeqGAN as samplers: the contract, likelihood, resuming, threads."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is missing: pip install torch==2.13.0")

from imbtext.documents import encode_texts  # noqa: E402
from imbtext.neural import (  # noqa: E402
    LanguageModelSampler,
    SeqGAN,
    _training_stage,
)
from imbtext.testing import parametrize_with_checks  # noqa: E402

SMALL = {"epochs": 2, "tuning_epochs": 2, "n_dimensions": 4, "n_units": 8}
SMALL_CONTEST = {"steps": 2, "roll_outs": 2, "batch_size": 4, "warm_up": 1}


@pytest.mark.slow
@parametrize_with_checks([LanguageModelSampler(**SMALL), SeqGAN(**SMALL, **SMALL_CONTEST)])
def test_contract(sampler, check):
    check(sampler)


def headlines(n, seed):
    """Headlines of a small grammar: who, does what, to what; the class "oil" is one in ten."""
    source = np.random.default_rng(seed)
    verbs = {"oil": ["pumps", "refines"], "other": ["buys", "sells", "rates", "sues"]}
    things = {"oil": ["crude", "gas", "fuel"], "other": ["shares", "bonds", "banks", "firms"]}
    who = ["opec", "texaco", "bp", "exxon", "lazard", "ubs", "fiat", "ge"]
    labels = ["oil" if source.random() < 0.1 else "other" for _ in range(n)]
    texts = []
    for label in labels:
        actor = source.choice(who[:4] if label == "oil" else who[4:])
        verb, thing = source.choice(verbs[label]), source.choice(things[label])
        texts.append(f"{actor} {verb} {thing}" + (" again" if verb in ("sues", "pumps") else ""))
    return texts, labels


def unigram_log_likelihood(train, test):
    """The likeliest smoothed word frequencies of the class, ends of documents counted."""
    words = sorted({w for text in [*train, *test] for w in text.split()} | {""})
    place = {word: i for i, word in enumerate(words)}
    counts = np.zeros(len(words))
    for text in train:
        for word in [*text.split(), ""]:
            counts[place[word]] += 1
    tokens = [place[word] for text in test for word in [*text.split(), ""]]
    return max(
        np.log((counts + a) / (counts + a).sum())[tokens].mean() for a in (0.01, 0.1, 0.3, 1.0)
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", [LanguageModelSampler, SeqGAN])
def test_the_generator_beats_a_unigram_model_on_documents_it_never_saw(kind):
    texts, y = headlines(600, seed=0)
    test, y_test = headlines(600, seed=1)
    unseen = [text for text, label in zip(test, y_test, strict=True) if label == "oil"]
    more = {"steps": 8, "roll_outs": 4, "batch_size": 16} if kind is SeqGAN else {}
    sampler = kind(
        epochs=25, learning_rate=1e-2, n_units=32, n_dimensions=16, random_state=0, **more
    )
    X, _ = sampler.fit_resample(texts, y)
    own = [text for text, label in zip(texts, y, strict=True) if label == "oil"]
    assert sampler.log_likelihood(unseen, "oil") > unigram_log_likelihood(own, unseen) + 0.3
    written = X[len(texts) :]
    correct = set(own) | set(unseen)
    assert np.mean([text in correct for text in written]) > 0.5
    if kind is SeqGAN:
        contest = [record for record in sampler.history_ if record["stage"] == "contest"]
        assert [record["step"] for record in contest] == list(range(1, 10))
        assert all({"generator_loss", "discriminator_loss"} <= set(r) for r in contest[1:])


@pytest.mark.slow
@pytest.mark.parametrize("kind", [LanguageModelSampler, SeqGAN])
def test_documents_do_not_depend_on_the_number_of_threads(kind):
    texts, y = headlines(200, seed=0)
    more = {"steps": 2, "roll_outs": 2, "batch_size": 8} if kind is SeqGAN else {}
    found = []
    before = torch.get_num_threads()
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            found.append(kind(epochs=2, random_state=0, **more).fit_resample(texts, y)[0])
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert found[0] == found[1]


class Killed(BaseException):
    """Stands for whatever ends a process between two steps."""


@pytest.mark.parametrize("survives", [2, 5, 9])
def test_a_killed_training_ends_as_one_that_never_stopped(tmp_path, monkeypatch, survives):
    texts, y = headlines(150, seed=0)
    settings = {**SMALL, **SMALL_CONTEST, "steps": 4, "epochs": 4, "random_state": 3}
    monkeypatch.setattr(_training_stage, "SECONDS_BETWEEN", 0.0)
    straight = SeqGAN(**settings)
    expected = straight.fit_resample(texts, y)[0]
    saved = []
    original = _training_stage.TrainingStage.save

    def save(self, *args, **kwargs):
        original(self, *args, **kwargs)
        saved.append(self.path)
        if len(saved) == survives:
            raise Killed

    monkeypatch.setattr(_training_stage.TrainingStage, "save", save)
    sampler = SeqGAN(**settings, checkpoint=tmp_path / "run")
    with pytest.raises(Killed):
        sampler.fit_resample(texts, y)
    assert sampler.fit_resample(texts, y)[0] == expected
    assert sampler.history_ == straight.history_
    n_saved = len(saved)
    assert sampler.fit_resample(texts, y)[0] == expected
    assert len(saved) == n_saved, "a finished training was trained again"


CHILD = """
import json, sys, time
from imbtext.neural import SeqGAN
from imbtext.neural import _training_stage

_training_stage.SECONDS_BETWEEN = 0.0
original = _training_stage.TrainingStage.save

def save(self, *args, **kwargs):
    original(self, *args, **kwargs)
    print(self.path.name, flush=True)
    time.sleep(0.2)

_training_stage.TrainingStage.save = save
given = json.load(sys.stdin)
SeqGAN(**given["settings"]).fit_resample(given["texts"], given["y"])
"""


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["all.checkpoint", "class-0-contest.checkpoint"])
def test_a_process_that_is_killed_goes_on_in_another(tmp_path, stage):
    texts, y = headlines(150, seed=0)
    settings = {**SMALL, **SMALL_CONTEST, "steps": 4, "epochs": 4, "random_state": 3}
    kept = {**settings, "checkpoint": str(tmp_path / "run")}
    with subprocess.Popen(
        [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        child.stdin.write(json.dumps({"settings": kept, "texts": texts, "y": y}))
        child.stdin.close()
        saved = 0
        for line in child.stdout:
            saved += line.strip() == stage
            if saved == 2:
                child.kill()
                break
        child.stdout.read()
    assert child.returncode != 0
    continued = SeqGAN(**kept)
    expected = SeqGAN(**settings).fit_resample(texts, y)[0]
    assert continued.fit_resample(texts, y)[0] == expected
    assert (tmp_path / "run" / stage).exists()


@pytest.mark.parametrize("kind", [LanguageModelSampler, SeqGAN])
def test_documents_look_like_the_texts(kind):
    texts, y = headlines(60, seed=0)
    cased = [text.capitalize() + "!" for text in texts]
    more = {**SMALL, "random_state": 0} | (SMALL_CONTEST if kind is SeqGAN else {})
    plain = kind(**more).fit_resample(cased, y)[0][60:]
    written = kind(surface=True, **more).fit_resample(cased, y)[0][60:]
    assert encode_texts(written).texts() == plain
    assert any(text != text.lower() for text in written)
    assert any("!" in text for text in written)
    with pytest.raises(ValueError, match="token lists have no text"):
        kind(surface=True, **more).fit_resample([text.split() for text in texts], y)


def test_a_checkpoint_of_another_training_is_refused(tmp_path):
    texts, y = headlines(60, seed=0)
    LanguageModelSampler(**SMALL, random_state=0, checkpoint=tmp_path).fit_resample(texts, y)
    with pytest.raises(ValueError, match="another training"):
        LanguageModelSampler(**SMALL, random_state=1, checkpoint=tmp_path).fit_resample(texts, y)
    (Path(tmp_path) / "all.checkpoint").write_bytes(b"nonsense")
    with pytest.raises(ValueError, match=r"all\.checkpoint is not a"):
        LanguageModelSampler(**SMALL, random_state=0, checkpoint=tmp_path).fit_resample(texts, y)


def test_a_checkpoint_needs_an_integer_seed(tmp_path):
    texts, y = headlines(60, seed=0)
    with pytest.raises(ValueError, match="needs an integer"):
        LanguageModelSampler(**SMALL, checkpoint=tmp_path).fit_resample(texts, y)


def test_words_beyond_the_most_frequent_are_read_and_never_written():
    texts = ["oil up", "oil down"] * 4 + [f"share{i} up" for i in range(40)]
    y = ["oil"] * 8 + ["other"] * 40
    sampler = LanguageModelSampler(**SMALL, max_words=2, random_state=0)
    X, _ = sampler.fit_resample(texts, y)
    assert {word for text in X[48:] for word in text.split()} <= {"oil", "up", "down"}
    assert np.isfinite(sampler.log_likelihood(["share3 never heard"], "oil"))


def test_a_class_without_words_and_an_unknown_model_are_refused():
    texts, y = ["?", "!"] + ["oil up"] * 6, ["empty"] * 2 + ["oil"] * 6
    with pytest.raises(ValueError, match="class 'empty' has no document with a word"):
        LanguageModelSampler(**SMALL, random_state=0).fit_resample(texts, y)
    sampler = LanguageModelSampler(**SMALL, random_state=0)
    sampler.fit_resample(["oil up", "gold up", "gold"], ["a", "b", "b"])
    with pytest.raises(ValueError, match="no model of class 'b'; there are models of 'a'"):
        sampler.log_likelihood(["oil"], "b")


def test_long_documents_are_cut():
    texts = ["oil " * 500] * 3 + ["gold " * 500] * 6
    sampler = LanguageModelSampler(**SMALL, max_length=7, random_state=0)
    X, _ = sampler.fit_resample(texts, ["a"] * 3 + ["b"] * 6)
    assert max(len(text.split()) for text in X[9:]) <= 7


def test_the_likelihood_of_no_words_is_refused():
    sampler = LanguageModelSampler(**SMALL, random_state=0)
    sampler.fit_resample(["oil up", "gold up", "gold"], ["a", "b", "b"])
    for empty in ([], ["", "?"]):
        with pytest.raises(ValueError, match="X has no document with a word"):
            sampler.log_likelihood(empty, "a")


def test_a_training_that_diverges_is_refused():
    losses = [1.0, float("nan")]
    with pytest.raises(ValueError, match=r"diverged in step 2 .* lower the learning rate"):
        _training_stage.TrainingStage(0, 0).run({}, 3, lambda step, _: {"loss": losses[step]})
