"""What a run of `reproduce` is asked to do, and what became of it."""

from dataclasses import dataclass, field
from pathlib import Path

from imbtext.parallel import Pool, pool_of
from imbtext.store import UnitKey
from paper.experiments import RATIOS, method_named


@dataclass(frozen=True)
class Options:
    """What `reproduce` runs, and where it writes.

    Parameters
    ----------
    out : path
        Folder for the tables and for finished work; it is created. A later run with the same folder
        continues where this one stopped.
    ratios : tuple of float, default=(0.1, 0.2)
        Sampling ratios: the share that an oversampled category makes up afterwards.
    methods, categories : tuple of str, default=None
        Only these; None is what the paper did. With some categories only, tables leave the
        published values out, because those are averages over all categories.
    repetitions : int, default=None
        How often each unit is repeated with another seed; None is as often as in the paper.
    jobs : int or Pool, default=1
        Number of processes, -1 for one per core; or a pool of your own, such as Dask's.
    seed : int, default=42
        Owns all randomness.
    quiet : bool, default=False
        Show neither progress nor tables on the terminal.
    data_home : Path, default=None
        Folder that holds the data sets; None is ``IMBTEXT_DATA`` or the cache.
    embedding : Path, default=None
        Word vectors for the LSTM; None is GloVe.
    device : {"auto", "cpu", "cuda"}, default="auto"
        Where the LSTM is trained.

    See Also
    --------
    reproduce : Runs experiments with these options.

    Examples
    --------
    >>> options = Options(Path("results"), ratios=(0.2,), methods=("svm", "emco(0.1)"))
    >>> options.store_path.name, options.comparable
    ('units.sqlite', True)
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
        """Return these options as the signature of results shows them.

        `repetitions` is what to show where the user did not choose a number.
        """
        return {
            "seed": self.seed,
            "ratios": ",".join(f"{ratio:g}" for ratio in self.ratios),
            "repetitions": self.repetitions or repetitions,
            "categories": ",".join(self.categories) if self.categories else "paper",
        }

    def __post_init__(self) -> None:
        object.__setattr__(self, "out", Path(self.out))

    def check(self) -> None:
        """Raise if no experiment can do this; called before any data is loaded."""
        for option in ("methods", "categories"):
            if isinstance(getattr(self, option), str):
                raise TypeError(f"{option} is a single str; give a tuple of names")
        for method in self.methods or ():
            method_named(method)
        if not self.ratios:
            raise ValueError("ratios is empty; give one or more, such as (0.1, 0.2)")
        for ratio in self.ratios:
            if not 0 < ratio < 1:
                raise ValueError(f"the ratio is {ratio}; it must be between 0 and 1, such as 0.2")
        if self.repetitions is not None and self.repetitions < 1:
            raise ValueError(f"repetitions is {self.repetitions}; it must be 1 or more")
        if self.embedding is not None and not Path(self.embedding).is_file():
            raise FileNotFoundError(f"there is no file of word vectors at {self.embedding}")
        _ = self.pool


@dataclass(frozen=True)
class Outcome:
    """How many units a run finished, found finished, and saw fail; and which failed."""

    computed: int = 0
    found: int = 0
    failed: int = 0
    failed_units: tuple[UnitKey, ...] = field(default=(), compare=False, repr=False)

    def __add__(self, other: "Outcome") -> "Outcome":
        return Outcome(
            self.computed + other.computed,
            self.found + other.found,
            self.failed + other.failed,
            self.failed_units + other.failed_units,
        )
