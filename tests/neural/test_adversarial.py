"""SeqGAN's parts: rewards by roll-outs, the discriminator, the contest."""

import copy

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is missing: pip install torch==2.13.0")

from imbtext.neural._adversarial_training import (  # noqa: E402
    FILTERS,
    AdversarialTraining,
    Discriminator,
    roll_out_rewards,
)
from imbtext.neural._language_model import (  # noqa: E402
    END,
    LanguageModel,
    generator_for,
)
from imbtext.neural._training_stage import TrainingStage  # noqa: E402

NOTHING = TrainingStage(0, 0)


def a_model(n_words=6):
    model = LanguageModel(n_words, n_dimensions=5, n_units=7)
    model.initialise(np.array([[2, 3, 0], [4, 5, 6]]), generator_for(0))
    return model


class CountsWord(torch.nn.Module):
    """A judge whose opinion is known: the logit is how often word 2 occurs."""

    def forward(self, rows):
        return (rows == 2).sum(dim=1).float()


def test_rewards_are_the_mean_over_finished_documents():
    model, judge = a_model(), CountsWord()
    written = torch.tensor([[2, 3, 2, 4], [3, END, END, END]])
    rewards = roll_out_rewards(model, judge, written, 3000, generator_for(5))
    whole = torch.sigmoid(judge(written))
    # The last choice, and the one that ends a document, are judged by the document itself.
    assert rewards[0, 3] == whole[0]
    assert rewards[1, 1] == whole[1]
    for place in (0, 1, 2):
        begun = written[:1, : place + 1].repeat(3000, 1)
        finished = model.write(3000, 4, generator_for(99), begun=begun)
        expected = torch.sigmoid(judge(finished)).mean()
        assert float(rewards[0, place]) == pytest.approx(float(expected), abs=0.02)


def test_windows_longer_than_the_documents_are_left_out():
    network = Discriminator(n_words=4, length=3)
    assert [window.out_channels for window in network.convolutions] == [
        FILTERS[w] for w in (1, 2, 3)
    ]
    assert len(Discriminator(n_words=4, length=40).convolutions) == len(FILTERS)


@pytest.mark.slow
def test_the_generator_moves_towards_what_is_rewarded():
    """The real documents are all "2 2 2": their word must become likelier."""
    model = a_model()
    real = np.array([[2, 2, 2, 0]] * 40)
    before = copy.deepcopy(model)
    training = AdversarialTraining(
        40, 2e-2, discriminator_rate=1e-3, batch_size=32, roll_outs=4, warm_up=3
    )
    log = training.run(model, real, NOTHING)
    count = [
        float((m.write(500, 4, generator_for(1)) == 2).float().mean()) for m in (before, model)
    ]
    assert count[1] > 2 * count[0]
    assert len(log) == 41
    assert set(log[0]) == {"discriminator_loss"}
    for record in log[1:]:
        assert set(record) == {"generator_loss", "reward", "discriminator_loss"}
        assert 0.0 <= record["reward"] <= 1.0
        assert np.isfinite(list(record.values())).all()


@pytest.mark.slow
def test_the_global_generator_of_torch_is_left_alone():
    before = torch.get_rng_state()
    AdversarialTraining(1, batch_size=4, roll_outs=2).run(a_model(), np.array([[2, 3, 0]]), NOTHING)
    assert torch.equal(before, torch.get_rng_state())
