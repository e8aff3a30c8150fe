"""The language model alone: likelihoods, writing, training, and what its randomness touches."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is missing: pip install torch==2.13.0")

from imbtext.neural._language_model import (  # noqa: E402
    END,
    UNKNOWN,
    LanguageModel,
    counted,
    generator_for,
)
from imbtext.neural._likelihood_training import (  # noqa: E402
    LikelihoodTraining,
    mean_log_likelihood,
    trimmed,
)
from imbtext.neural._training_stage import TrainingStage  # noqa: E402

NOTHING = TrainingStage(0, 0)


def small_model(n_words=6, seed=0):
    model = LanguageModel(n_words, n_dimensions=5, n_units=7)
    model.initialise(np.array([[2, 3, 0], [4, 5, 6]]), generator_for(seed))
    return model


def oracle(model, row):
    """The log-probability of each word, one step at a time."""
    found, last, state = [], END, None
    words = [word for word in row if word != END]
    if len(words) < len(row):
        words.append(END)
    for word in words:
        out, state = model.lstm(model.embedding(torch.tensor([[last]])), state)
        found.append(float(torch.log_softmax(model.output(out[0, 0]), dim=0)[word].detach()))
        last = word
    return found


@pytest.mark.parametrize("row", [[2, 3, 0, 0], [2, 3, 4, 5], [7, 0, 0, 0], [UNKNOWN, 2, 0, 0]])
def test_likelihood_is_the_product_of_the_steps(row):
    model = small_model()
    together = torch.tensor([[4, 4, 4, 0], row])
    found = model.log_likelihood(together).detach()[1].tolist()
    expected = oracle(model, row)
    np.testing.assert_allclose(found[: len(expected)], expected, rtol=1e-5)
    assert found[len(expected) :] == [0.0] * (len(found) - len(expected))


def test_the_end_of_a_cut_document_does_not_count():
    marks = counted(torch.tensor([[2, 3, 4], [2, 0, 0]]))
    assert marks.tolist() == [[True, True, True, False], [True, True, False, False]]


def test_written_words_follow_the_models_own_probabilities():
    model = small_model()
    written = model.write(20_000, 2, generator_for(3)).numpy()
    first = np.bincount(written[:, 0], minlength=8) / len(written)
    with torch.no_grad():
        out, _ = model.lstm(model.embedding(torch.tensor([[END]])))
        scores = model.output(out[0, 0])
        scores[[END, UNKNOWN]] = -np.inf
        expected = torch.softmax(scores, dim=0).numpy()
    np.testing.assert_allclose(first, expected, atol=0.02)
    assert not (written == UNKNOWN).any()
    assert (written[:, 0] != END).all()


def test_nothing_is_written_behind_the_end_and_begun_documents_are_kept():
    model = small_model()
    begun = torch.tensor([[2, 3], [4, END], [5, 6]])
    written = model.write(3, 9, generator_for(1), begun=begun)
    assert written[:, :2].tolist() == begun.tolist()
    assert written[1].tolist() == [4] + [END] * 8
    for row in model.write(200, 9, generator_for(2)).tolist():
        words = [word for word in row if word != END]
        assert row[: len(words)] == words


@pytest.mark.parametrize("temperature", [0.001, 1e-300])
def test_a_low_temperature_takes_the_likeliest_word(temperature):
    model = small_model()
    firsts = model.write(50, 1, generator_for(0), temperature=temperature)[:, 0]
    assert len(set(firsts.tolist())) == 1
    assert firsts[0] != END


@pytest.mark.slow
def test_training_learns_a_grammar_that_a_unigram_cannot():
    source = np.random.default_rng(0)
    # A word from 2 to 5 is always followed by its partner, four higher.
    first = source.integers(2, 6, size=(400, 1))
    rows = np.concatenate([first, first + 4, np.zeros_like(first)], axis=1)
    model = LanguageModel(8, 8, 16)
    model.initialise(rows, generator_for(0))
    held = torch.from_numpy(rows[300:])
    before = mean_log_likelihood(model, held)
    log = LikelihoodTraining(30, 1e-2, 32).run(model, rows[:300], NOTHING)
    after = mean_log_likelihood(model, held)
    # Only the first word is uncertain: log(4) nats in each document of three places.
    assert before < -1.5
    assert after == pytest.approx(-np.log(4) / 3, abs=0.06)
    assert log[-1]["loss"] < log[0]["loss"]


def test_held_back_documents_stop_the_training_and_the_best_weights_stay():
    source = np.random.default_rng(0)
    rows = source.integers(2, 30, size=(60, 6))  # noise: nothing to learn but by heart
    model = LanguageModel(28, 16, 32)
    model.initialise(rows, generator_for(0))
    log = LikelihoodTraining(60, 2e-2, 16, 0.0, held_back=0.3).run(model, rows, NOTHING)
    losses = [record["held_back_loss"] for record in log]
    assert len(log) < 60
    order = torch.randperm(60, generator=generator_for(0, 0, 0))
    held = torch.from_numpy(rows)[order[:18]]
    assert -mean_log_likelihood(model, held) == pytest.approx(min(losses), abs=1e-6)


def test_trimming_leaves_room_for_the_end():
    rows = torch.tensor([[2, 3, 0, 0, 0], [2, 0, 0, 0, 0]])
    assert trimmed(rows).shape == (2, 3)
    assert trimmed(torch.tensor([[2, 3]])).shape == (1, 2)


def test_the_global_generator_of_torch_is_left_alone():
    before = torch.get_rng_state()
    model = small_model()
    LikelihoodTraining(2, 1e-2).run(model, np.array([[2, 3, 0]] * 4), NOTHING)
    model.write(3, 4, generator_for(0))
    assert torch.equal(before, torch.get_rng_state())
