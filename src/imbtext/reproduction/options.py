"""What a run is asked to do."""

from dataclasses import dataclass
from pathlib import Path

from imbtext.methods import get_method
from imbtext.parallel import Pool, pool_of
from imbtext.reproduction.experiments import RATIOS


@dataclass(frozen=True)
class Options:
    """What a run is asked to do.

    Tables and the store go into the folder `out`, which is created. Of `methods`, `categories` and
    `repetitions` None is what the paper did. `quiet` means no progress and no tables on the
    terminal. `embedding` is the word vectors for the LSTM (None is GloVe) and `device` where it is
    trained.
    """

    out: Path
    ratios: tuple[float, ...] = RATIOS
    methods: tuple[str, ...] | None = None
    categories: tuple[str, ...] | None = None
    repetitions: int | None = None
    jobs: int | Pool = 1
    seed: int = 42
    quiet: bool = False
    data_home: Path | None = None
    embedding: Path | None = None
    device: str = "auto"

    @property
    def store_path(self) -> Path:
        """The file of finished units."""
        return self.out / "units.sqlite"

    @property
    def pool(self) -> Pool:
        """The processes that `jobs` asks for."""
        return pool_of(self.jobs)

    @property
    def comparable(self) -> bool:
        """Whether averages are over all categories, as the published ones are."""
        return self.categories is None

    def settings(self, repetitions: int | str = "paper") -> dict[str, object]:
        """Return what the signature of the results says of these; else so many `repetitions`."""
        return {
            "seed": self.seed,
            "ratios": ",".join(f"{ratio:g}" for ratio in self.ratios),
            "repetitions": self.repetitions or repetitions,
            "categories": ",".join(self.categories) if self.categories else "paper",
        }

    def check(self) -> None:
        """Refuse what no experiment can do, before anything is loaded."""
        for method in self.methods or ():
            get_method(method)
        for ratio in self.ratios:
            if not 0 < ratio < 1:
                raise ValueError(f"the ratio is {ratio}; it must lie between 0 and 1, such as 0.2")
        if self.repetitions is not None and self.repetitions < 1:
            raise ValueError(f"repetitions is {self.repetitions}; it must be 1 or more")
        _ = self.pool
