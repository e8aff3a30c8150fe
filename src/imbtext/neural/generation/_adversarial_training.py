"""SeqGAN: a language model rewarded where a discriminator takes its documents for real.

Writing a document is a sequence of choices, so the generator is a policy. The reward of a choice
is the discriminator's probability of "real", averaged over roll-outs: the document as far as it is
written, finished several times by a slower copy of the generator (Yu et al. 2017). The policy
gradient then makes rewarded choices likelier.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from imbtext.neural.generation._discriminator import Discriminator
from imbtext.neural.generation._language_model import END, N_SPECIAL, LanguageModel, counted
from imbtext.neural.generation._likelihood_training import descend
from imbtext.neural.generation._stages import Log, Parts, Stage

_READINGS = 3
# The kinds of randomness within a step.
_WRITING, _ROLL_OUTS, _DISCRIMINATING, _INITIAL = range(4)


@dataclass(frozen=True)
class AdversarialTraining:
    """How generator and discriminator are trained against each other, each with Adam.

    `steps`, `roll_outs`, `batch_size`, `warm_up` and `rounds` are those of SeqGAN; `delay` is the
    share of the roll-out policy that stays at each step, the rest is the generator's.
    """

    steps: int
    learning_rate: float = 1e-3
    discriminator_rate: float = 1e-4
    batch_size: int = 64
    roll_outs: int = 16
    warm_up: int = 5
    rounds: int = 1
    delay: float = 0.8

    def run(self, generator: LanguageModel, rows: NDArray[np.integer], stage: Stage) -> Log:
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
        return stage.carry_on(parts, 1 + self.steps, train)


class _Contest:
    """The two networks, the roll-out policy and the real documents."""

    def __init__(
        self,
        settings: AdversarialTraining,
        generator: LanguageModel,
        rows: NDArray[np.integer],
        stage: Stage,
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

    The choice that ends a document, and the last possible one, are rewarded by the document
    itself; every other by the mean of `n` ways to finish the document after it.
    """
    length = written.shape[1]
    whole = torch.sigmoid(judge(written))
    rewards = whole[:, None].repeat(1, length + 1)
    for place in range(length - 1):
        (open_,) = torch.nonzero(written[:, place] != END, as_tuple=True)
        if not len(open_):
            break
        begun = written[open_, : place + 1].repeat(n, 1)
        finished = policy.write(len(begun), length, generator, begun=begun)
        found = torch.sigmoid(judge(finished)).view(n, len(open_)).mean(dim=0)
        rewards[open_, place] = found
    return rewards
