"""Finished work of a comparison, kept in a folder for the next run.

A later run may take a fit from the store only if nothing that decides its numbers has changed. So
each fit is kept under a digest of all of that. Numbers, texts and scikit-learn's estimators (by
their parameters) can be distinguished. Functions cannot, since what they call may change. So
nothing is kept if a function is among the settings, nor any fit of a method that the user
registered. Notes say so.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import numpy as np

from imbtext._typing import Array, Record
from imbtext.comparison._scores import ScoredFit
from imbtext.comparison._settings import FitKey
from imbtext.comparison._words import FoldWords, TopWord
from imbtext.methods._registry import registered_by_users
from imbtext.store import Store, UnitKey

# Raise it when the numbers of a comparison change, so that stored ones are computed anew.
_REVISION: Final = 7
STORE_NAME: Final = "comparison.sqlite"
# The arrays of `FoldWords`.
_WORD_ARRAYS: Final = ("indices", "n_words", "word_ids", "values", "constants")


@dataclass(frozen=True)
class KeptWork:
    """The store of finished fits in a folder, and the digest under which it keeps them.

    Fits of the methods in `not_kept` are never stored.
    """

    path: Path
    digest: str
    share: float
    seed: int
    not_kept: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        folder: str | Path | None,
        share: float,
        seed: int,
        methods: Sequence[str] = (),
        **settings: object,
    ) -> "tuple[KeptWork | None, list[str]]":
        """Open the store of a folder for an experiment with these methods and settings.

        Returns None without a folder, and if the settings have no digest; notes say why.
        """
        if folder is None:
            return None, []
        folder = Path(folder)
        if folder.exists() and not folder.is_dir():
            raise NotADirectoryError(
                f"cannot keep finished work in {folder}: it is a file; name a folder"
            )
        try:
            digest = settings_digest(**settings)
        except _NoDigestError as error:
            return None, [f"Nothing was kept in {folder} or taken from it: {error}."]
        folder.mkdir(parents=True, exist_ok=True)
        users_methods = [method for method in methods if registered_by_users(method)]
        notes = [
            f"No fit of {method} was kept in {folder} or taken from it: a method of your own may "
            "have changed since the work was finished."
            for method in users_methods
        ]
        return cls(folder / STORE_NAME, digest, share, seed, frozenset(users_methods)), notes

    def _key(self, fit: FitKey) -> UnitKey:
        name, method, (repeat, fold) = fit
        return UnitKey("compare", fold, name, self.share, method, repeat, self.seed, self.digest)

    def add(self, fits: Sequence[ScoredFit]) -> None:
        """Keep finished fits."""
        with Store(self.path) as store:
            for fit in fits:
                if fit.method in self.not_kept:
                    continue
                key = self._key(fit.key)
                if fit.error:
                    store.add_failure(key, fit.error, fit.seconds)
                else:
                    scores: dict[str, float | str] = {
                        **fit.scores,
                        "rows_added": fit.rows_added,
                        "threshold": fit.threshold,
                        "messages": json.dumps(list(fit.messages)),
                    }
                    store.add(key, scores, fit.seconds, _arrays_of(fit))

    def fits(self, asked: Iterable[FitKey], metrics: Iterable[str]) -> dict[FitKey, ScoredFit]:
        """Return those of the fits asked for that are finished, with these measures."""
        with Store(self.path) as store:
            rows = {
                UnitKey(*(row[f.name] for f in fields(UnitKey))): row
                for row in store.frame().to_dicts()
            }
            fits = {}
            for fit in asked:
                key = self._key(fit)
                if key in rows and fit[1] not in self.not_kept:
                    fits[fit] = _fit_of(fit, rows[key], store.arrays(key), metrics)
        return fits


def _arrays_of(fit: ScoredFit) -> dict[str, Array]:
    """Return what a fit has besides numbers and messages."""
    arrays: dict[str, Array] = {"decisions": fit.decisions}
    if fit.words is not None:
        text = json.dumps([fit.words.words, fit.words.top], ensure_ascii=False)
        arrays["text"] = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
        arrays |= {name: getattr(fit.words, name) for name in _WORD_ARRAYS}
    return arrays


def _fit_of(
    key: FitKey,
    row: Record,
    arrays: Mapping[str, Array],
    metrics: Iterable[str],
) -> ScoredFit:
    """Return the fit that `KeptWork.add` wrote."""
    name, method, (repeat, fold) = key
    words = None
    if "text" in arrays:
        text = arrays["text"].tobytes().decode("utf-8", "surrogatepass")
        vocabulary, top = json.loads(text)
        words = FoldWords(
            words=tuple(vocabulary),
            top=tuple(TopWord(*values) for values in top),
            **{array: arrays[array] for array in _WORD_ARRAYS},
        )
    return ScoredFit(
        name,
        method,
        repeat,
        fold,
        scores={metric: row[metric] for metric in metrics},
        rows_added=row["rows_added"],
        threshold=row["threshold"],
        seconds=row["seconds"],
        messages=json.loads(row["messages"]),
        decisions=arrays["decisions"],
        words=words,
    )


class _NoDigestError(ValueError):
    """Two values that differ might look the same."""


def settings_digest(**settings: object) -> str:
    """Return a digest of settings and of the versions of the packages that compute with them.

    It raises if a value has no digest: a function, or an object of a class that is not installed.
    """
    packages = ("imbalanced-text", "scikit-learn", "numpy")
    versions = {name: version(name) for name in packages}
    text = _spelt({"revision": _REVISION, "versions": versions, **settings})
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _spelt(value: object) -> str:
    """Spell a value out, so that values that differ are spelt differently."""
    parts: Iterable[str]
    if value is None or isinstance(value, bool | int | float | str | bytes):
        parts = [repr(value)]
    elif isinstance(value, np.generic):
        parts = [repr(value.item())]
    elif isinstance(value, list | tuple):
        parts = map(_spelt, value)
    elif isinstance(value, set | frozenset):
        parts = sorted(map(_spelt, value))
    elif isinstance(value, Mapping):
        parts = sorted(f"{_spelt(key)}={_spelt(item)}" for key, item in value.items())
    elif isinstance(value, np.ndarray):
        content = value.tolist() if value.dtype == object else value.tobytes()
        parts = [str(value.dtype), str(value.shape), _spelt(content)]
    elif isinstance(value, type):
        parts = [_origin(value)]
    elif hasattr(value, "get_params"):
        parts = [_origin(type(value)), _spelt(value.get_params(deep=False))]
    else:
        raise _NoDigestError(_why_no_digest(value))
    return f"{type(value).__name__}[{','.join(parts)}]"


def _why_no_digest(value: object) -> str:
    kind = type(value).__qualname__
    if callable(value):
        return (
            f"the settings include the function {getattr(value, '__qualname__', kind)!r}, and a "
            "function may have changed since the work was finished"
        )
    return f"the settings include an object of the class {kind}, and two of them may look the same"


def _origin(kind: type) -> str:
    """Return where a class comes from, with the version of its package."""
    name = f"{kind.__module__}.{kind.__qualname__}"
    package = kind.__module__.partition(".")[0]
    if package == "builtins":
        return name
    distributions = {
        "sklearn": "scikit-learn",
        "imblearn": "imbalanced-learn",
        "imbtext": "imbalanced-text",
    }
    try:
        return f"{name} {version(distributions.get(package, package))}"
    except PackageNotFoundError:
        raise _NoDigestError(
            f"the settings include the class {name}, which belongs to no installed package and may "
            "have changed since the work was finished"
        ) from None
