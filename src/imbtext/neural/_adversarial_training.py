"""Adversarial training: documents that look real are rewarded.

Writing a document is a sequence of choices, so the generator is a policy. The reward of a choice
is the probability of "real" that a discriminator gives, averaged over roll-outs: the document as
written so far, finished several times by a slower copy of the generator (Yu et al. 2017). The
policy gradient then makes rewarded choices likelier.

The discriminator, a convolutional network, is here too. The module needs torch and NumPy only:
``benchmarks/generators.py`` runs it on a GPU machine on which nothing else is installed.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from imbtext.neural._language_model import (
    END,
    N_SPECIAL,
    LanguageModel,
    counted,
    dropped,
)
from imbtext.neural._likelihood_training import descend
from imbtext.neural._training_stage import Log, Parts, TrainingStage

_READINGS = 3
# The kinds of randomness within a step.
_WRITING, _ROLL_OUTS, _DISCRIMINATING, _INITIAL = range(4)
# Windows and numbers of filters as published (Yu et al. 2017, for sentences of 20 words); windows
# longer than the documents are left out.
_WIDTHS = (*range(1, 11), 15, 20)
_NUMBERS = (100, 200, 200, 200, 200, 100, 100, 100, 100, 100, 160, 160)
FILTERS = dict(zip(_WIDTHS, _NUMBERS, strict=True))
_DIMENSIONS = 64
_DROPOUT = 0.25
_PENALTY = 0.2


class Discriminator(nn.Module):
    """Word vectors -> windows of several widths -> their maxima -> highway layer -> one score.

    Examples
    --------
    >>> network = Discriminator(n_words=5, length=4)
    >>> network.initialise(torch.Generator().manual_seed(0))
    >>> network(torch.tensor([[2, 3, 0, 0], [2, 2, 2, 2]])).shape
    torch.Size([2])
    """

    def __init__(self, n_words: int, length: int) -> None:
        super().__init__()
        windows = {width: n for width, n in FILTERS.items() if width <= max(length, 1)}
        n_features = sum(windows.values())
        # Filled by initialise alone: torch would fill them from its global generator.
        with torch.device("meta"):
            self.embedding = nn.Embedding(n_words + N_SPECIAL, _DIMENSIONS)
            self.convolutions = nn.ModuleList(
                nn.Conv1d(_DIMENSIONS, n, width) for width, n in windows.items()
            )
            self.highway = nn.Linear(n_features, n_features)
            self.gate = nn.Linear(n_features, n_features)
            self.output = nn.Linear(n_features, 1)
        self.to_empty(device="cpu")

    def initialise(self, generator: torch.Generator) -> None:
        """Draw the weights."""
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if parameter.dim() == 1:
                    # A highway opens closed (Srivastava et al. 2015): it first passes on its input.
                    parameter.fill_(-2.0 if name == "gate.bias" else 0.0)
                elif name == "embedding.weight":
                    parameter.normal_(0.0, 0.1, generator=generator)
                else:
                    bound = math.sqrt(3.0 / parameter[0].numel())
                    parameter.uniform_(-bound, bound, generator=generator)

    def forward(self, rows: Tensor, generator: torch.Generator | None = None) -> Tensor:
        """Give the score of each row, above 0 where it seems real; with dropout in training."""
        words = self.embedding(rows).transpose(1, 2)
        features = torch.cat(
            [functional.relu(window(words)).amax(dim=2) for window in self.convolutions], dim=1
        )
        gate = torch.sigmoid(self.gate(features))
        features = gate * functional.relu(self.highway(features)) + (1.0 - gate) * features
        scores: Tensor = self.output(dropped(features, _DROPOUT, generator))[:, 0]
        return scores

    def penalty(self) -> Tensor:
        """Return what the size of the output's weights adds to the loss, as published."""
        weights, bias = self.output.weight, self.output.bias
        return _PENALTY / 2 * (weights.square().sum() + bias.square().sum())


@dataclass(frozen=True)
class AdversarialTraining:
    """How generator and discriminator are trained against each other, each with Adam.

    `steps`, `roll_outs`, `batch_size`, `warm_up` and `rounds` are parameters of SeqGAN. At each
    step the policy of the roll-outs keeps the share `delay` of its weights and takes the rest from
    the generator.
    """

    steps: int
    learning_rate: float = 1e-3
    discriminator_rate: float = 1e-4
    batch_size: int = 64
    roll_outs: int = 16
    warm_up: int = 5
    rounds: int = 1
    delay: float = 0.8

    def run(self, generator: LanguageModel, rows: NDArray[np.integer], stage: TrainingStage) -> Log:
        """Train `generator` in place against the real documents `rows`; return the log.

        The first record is the discriminator's warm-up; then there is one per step: the generator's
        loss (minus the mean of log-probability times reward), its mean reward, and the
        discriminator's cross-entropy.
        """
        contest = _Contest(self, generator, rows, stage)

        def train(step: int, _: Log) -> dict[str, float]:
            record = contest.improve(step) if step else {}
            return {**record, "discriminator_loss": contest.discriminate(step)}

        parts: Parts = {
            "generator": generator,
            "policy": contest.policy,
            "judge": contest.judge,
            "writing": contest.writing,
            "judging": contest.judging,
        }
        return stage.run(parts, 1 + self.steps, train)


class _Contest:
    """The two networks, the roll-out policy and the real documents."""

    def __init__(
        self,
        settings: AdversarialTraining,
        generator: LanguageModel,
        rows: NDArray[np.integer],
        stage: TrainingStage,
    ) -> None:
        self.settings = settings
        self.stage = stage
        self.real = torch.from_numpy(np.asarray(rows, dtype=np.int64)).to(generator.device)
        self.generator = generator
        self.policy = generator.copied()
        self.judge = Discriminator(
            generator.output.out_features - N_SPECIAL, length=self.real.shape[1]
        )
        self.judge.initialise(stage.generator(0, _INITIAL))
        self.judge.to(generator.device)
        self.writing = torch.optim.Adam(generator.parameters(), lr=settings.learning_rate)
        self.judging = torch.optim.Adam(self.judge.parameters(), lr=settings.discriminator_rate)

    def improve(self, step: int) -> dict[str, float]:
        """Make one step of the policy gradient."""
        settings, length = self.settings, self.real.shape[1]
        written = self.generator.write(
            settings.batch_size, length, self.stage.generator(step, _WRITING)
        )
        rewards = roll_out_rewards(
            self.policy,
            self.judge,
            written,
            settings.roll_outs,
            self.stage.generator(step, _ROLL_OUTS),
        )
        chosen = counted(written)
        loss = -(self.generator.log_likelihood(written) * rewards).sum() / chosen.sum()
        descend(self.generator, self.writing, loss)
        with torch.no_grad():
            for slow, fast in zip(
                self.policy.parameters(), self.generator.parameters(), strict=True
            ):
                slow.lerp_(fast, 1.0 - settings.delay)
        reward = (rewards * chosen).sum() / chosen.sum()
        return {"generator_loss": float(loss.detach()), "reward": float(reward)}

    def discriminate(self, step: int) -> float:
        """Show the discriminator what is written now; return its mean loss."""
        source = self.stage.generator(step, _DISCRIMINATING)
        losses = []
        for _ in range(self.settings.rounds if step else self.settings.warm_up):
            written = self.generator.write(len(self.real), self.real.shape[1], source)
            rows = torch.cat([self.real, written])
            is_real = torch.arange(len(rows), device=rows.device) < len(self.real)
            for _ in range(_READINGS):
                order = torch.randperm(len(rows), generator=source).to(rows.device)
                for batch in torch.split(order, self.settings.batch_size):
                    scores = self.judge(rows[batch], source)
                    loss = functional.binary_cross_entropy_with_logits(
                        scores, is_real[batch].float()
                    )
                    descend(self.judge, self.judging, loss + self.judge.penalty())
                    losses.append(loss.detach())
        return float(torch.stack(losses).mean())


@torch.no_grad()
def roll_out_rewards(
    policy: LanguageModel,
    judge: Discriminator,
    written: Tensor,
    n: int,
    generator: torch.Generator,
) -> Tensor:
    """Return the reward of each choice in `written`, of shape (n_documents, length + 1).

    The choice that ends a document, and the last possible choice, get the reward of the document
    itself. Every other choice gets the mean reward of `n` ways to finish the document after it.
    """
    length = written.shape[1]
    rewards = torch.sigmoid(judge(written))[:, None].repeat(1, length + 1)
    for place in range(length - 1):
        (open_,) = torch.nonzero(written[:, place] != END, as_tuple=True)
        if not len(open_):
            break
        begun = written[open_, : place + 1].repeat(n, 1)
        finished = policy.write(len(begun), length, generator, begun=begun)
        rewards[open_, place] = torch.sigmoid(judge(finished)).view(n, len(open_)).mean(dim=0)
    return rewards
