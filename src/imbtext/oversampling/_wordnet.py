"""A fast reader of WordNet's own files, without NLTK.

NLTK reads the same files, but takes seconds to open them and milliseconds a word, and wants its
own archive; a test holds the synonyms found here equal to NLTK's.

The files ``index.POS``, ``data.POS`` and ``POS.exc`` of the four parts of speech stay in memory as
bytes. Only the index is cut into lines; a word's senses are decoded when somebody asks for the
word. All offsets are checked when the files are opened, so that a truncated or rewritten copy is
refused there and not in the middle of a long run.

``WordNet.read().synonyms("headlines")`` is ``('headline', 'newspaper headline')``.
"""

import os
import re
import sys
import zipfile
import zlib
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

from imbtext._data_folders import cache_folder, named_folder

# The order in which NLTK's ``synsets`` visits them.
PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")

# Morphy's rules of detachment, from WordNet's morphy(7): an ending and what takes its place.
DETACHMENTS = {
    name: [tuple(rule.split(b":")) for rule in rules.split()]
    for name, rules in {
        "noun": b"s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
        "verb": b"s: ies:y es:e es: ed:e ed: ing:e ing:",
        "adj": b"er: est: er:e est:e",
        "adv": b"",
    }.items()
}
_ENDINGS = {name: tuple(ending for ending, _ in rules) for name, rules in DETACHMENTS.items()}

# One pass over the bytes of lemmas, one per line: lower case, "_" and "-" to a space, and nothing
# else but the letters a to z.
_KEPT = b"\n_-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_TO_WORDS = bytes.maketrans(_KEPT, b"\n  " + 2 * b"abcdefghijklmnopqrstuvwxyz")
_DROPPED = bytes(set(range(256)) - set(_KEPT))
_ADJECTIVE_MARKER = re.compile(rb"\([a-z]*\)")
_OFFSET_DIGITS = 8
# What zipfile raises for an archive that is damaged, encrypted or packed in an unknown way.
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError)
_LONGEST_FIELD = 64  # on average of a lemma and a digit; the longest lemma has 71 letters


@dataclass(frozen=True, repr=False)
class PartOfSpeech:
    """The files of one part of speech.

    `index` leads from a lemma to its line of ``index.POS``; in `data`, which is ``data.POS``, a
    synset is the line that begins at its offset; `exceptions` leads from irregular forms to their
    base forms.
    """

    name: str
    index: dict[bytes, bytes]
    data: bytes
    exceptions: dict[bytes, list[bytes]]

    def base_forms(self, word: bytes) -> list[bytes]:
        """Return the lemmas that `word` may be a form of, as morphy finds them."""
        forms = [word]
        if word in self.exceptions:
            forms += self.exceptions[word]
        elif word.endswith(_ENDINGS[self.name]):
            forms += [
                word[: -len(ending)] + replacement
                for ending, replacement in DETACHMENTS[self.name]
                if word.endswith(ending)
            ]
        return [form for form in forms if form in self.index]

    def lemmas(self, base_form: bytes) -> set[bytes]:
        """Return the lemmas of all senses of a base form, as the data file spells them."""
        lemmas: set[bytes] = set()
        data = self.data
        fields = self.index[base_form].split()
        for offset in fields[-int(fields[2]) :]:
            # 00001740 03 n 01 entity 0 ...: the number of words is in hex, at a fixed place
            start = int(offset)
            n_fields = 2 * int(data[start + 14 : start + 16], 16)
            words = data[start + 17 : start + 17 + n_fields * _LONGEST_FIELD]
            lemmas.update(words.split(b" ", n_fields)[:n_fields:2])
        return lemmas


@dataclass(frozen=True, repr=False)
class WordNet:
    """The synonyms in a set of WordNet dict files.

    Use :meth:`read`; `path` is where the files were found.

    Examples
    --------
    >>> noun = PartOfSpeech("noun", {b"oil": b"oil n 1 0 1 0 00000000  "},
    ...                     b"00000000 27 n 02 oil 0 crude_oil 0 000 | a liquid", {})
    >>> WordNet(Path("by-hand"), (noun,)).synonyms("oils")
    ('crude oil', 'oil')
    """

    path: Path
    parts: tuple[PartOfSpeech, ...]
    # Words come back class after class and repetition after repetition.
    _known: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str] | None = None,
        data_home: str | os.PathLike[str] | None = None,
    ) -> "WordNet":
        """Read the WordNet at `path`, or the first one that :func:`find_wordnet` finds.

        A second call for the same files returns the object of the first.
        """
        return _read(find_wordnet(path, data_home).absolute())

    def synonyms(self, word: str) -> tuple[str, ...]:
        """Return the synonyms that EDA would use for `word`, sorted.

        These are all lemmas of all senses of the word, in every part of speech and after morphy,
        lower-cased, with underscores and hyphens as spaces and nothing else but the letters a to
        z. The word itself is not among them, nor a lemma of which no letter is left ("1").
        """
        known = self._known.get(word)
        if known is None:
            lowered = word.lower()
            as_bytes = lowered.encode()
            lemmas: set[bytes] = set()
            for part in self.parts:
                for base_form in part.base_forms(as_bytes):
                    lemmas |= part.lemmas(base_form)
            known = self._known[word] = tuple(sorted(_as_words(lemmas) - {lowered, ""}))
        return known

    def __repr__(self) -> str:
        return f"WordNet({str(self.path)!r})"


def find_wordnet(
    path: str | os.PathLike[str] | None = None,
    data_home: str | os.PathLike[str] | None = None,
) -> Path:
    """Return the folder or archive that holds WordNet's dict files.

    Parameters
    ----------
    path : path-like, optional
        A folder of dict files, NLTK's ``corpora/wordnet.zip``, or a folder that contains either
        (``nltk_data``, or one with a ``dict`` folder). Nothing else is looked at then.
    data_home : path-like, optional
        A folder with an ``nltk_data`` of its own, as the data sets use it.

    Raises
    ------
    FileNotFoundError
        There is no WordNet; the message says how to get one.

    Notes
    -----
    Without `path` the order is: the folders named by ``WNSEARCHDIR`` and ``WNHOME``; NLTK's data
    folders (``NLTK_DATA``, `data_home`, ``IMBTEXT_DATA``, then NLTK's standard places); the
    system's dict files (Debian's ``wordnet-base``); the cache of imbalanced-text
    (``IMBTEXT_CACHE``), where the data sets are too.
    """
    if path is not None:
        place = Path(path).expanduser()
        wordnet = _wordnet_in(place)
        if wordnet is None:
            state = "holds no WordNet files" if place.exists() else "does not exist"
            raise FileNotFoundError(
                f"{place} {state}; expected a folder with index.noun, data.noun and the like, "
                f"or NLTK's wordnet.zip. {_HOW_TO_GET_IT}"
            )
        return wordnet
    for place in _places(data_home):
        wordnet = _wordnet_in(place)
        if wordnet is not None:
            return wordnet
    raise FileNotFoundError(f"there is no WordNet on this machine. {_HOW_TO_GET_IT}")


_HOW_TO_GET_IT = (
    "Get it with one of: `apt-get install wordnet-base` (Debian, Ubuntu), or "
    "`pip install nltk && python -m nltk.downloader wordnet`, or give the path of a copy you have "
    '(EDA(synonyms="path/to/wordnet")). EDA also takes synonyms of your own: any mapping of a '
    "word to its synonyms, or any callable."
)


def _wordnet_in(place: Path) -> Path | None:
    if place.is_file():
        return place if zipfile.is_zipfile(place) else None
    for folder in (".", "dict", "wordnet", "corpora/wordnet", "nltk_data/corpora/wordnet"):
        candidate = place / folder
        if (candidate / "index.noun").is_file():
            return candidate
        archive = candidate.with_suffix(".zip")
        if folder.endswith("wordnet") and archive.is_file():
            return archive
    return None


def _places(data_home: str | os.PathLike[str] | None) -> list[Path]:
    named = [os.environ.get("WNSEARCHDIR"), os.environ.get("WNHOME")]
    named += os.environ.get("NLTK_DATA", "").split(os.pathsep)
    homes = [str(Path.home()), sys.prefix, f"{sys.prefix}/share", f"{sys.prefix}/lib"]
    if sys.platform == "win32":
        homes += [os.environ.get("APPDATA", "C:\\"), "C:\\", "D:\\", "E:\\"]
        installed = []
    else:
        homes += ["/usr/share", "/usr/local/share", "/usr/lib", "/usr/local/lib"]
        # Debian's wordnet-base, then where WordNet's own installer and Homebrew put it.
        installed = ["/usr/share/wordnet", "/usr/local/WordNet-3.0", "/opt/homebrew/opt/wordnet"]
    return [
        *(Path(folder).expanduser() for folder in (*named, data_home, named_folder()) if folder),
        *(Path(home, "nltk_data") for home in homes),
        *map(Path, installed),
        cache_folder(),
    ]


def _as_words(lemmas: set[bytes]) -> set[str]:
    lines = b"\n".join(lemmas)
    if b"(" in lines:
        lines = _ADJECTIVE_MARKER.sub(b"", lines)
    # Spaces are put in order where a digit or a full stop has left two, or one at the end.
    return {
        " ".join(line.split()) if " " in line else line
        for line in lines.translate(_TO_WORDS, _DROPPED).decode().split("\n")
    }


@lru_cache(maxsize=2)
def _read(source: Path) -> WordNet:
    files = _contents(source)
    parts = []
    for name in PARTS_OF_SPEECH:
        index, data = files[f"index.{name}"], files[f"data.{name}"]
        entries = {
            line.partition(b" ")[0]: line
            for line in index.split(b"\n")
            if line and not line.startswith(b" ")
        }
        _check_offsets(source, name, index, data)
        irregular = [line.split() for line in files[f"{name}.exc"].splitlines()]
        exceptions = {words[0]: words[1:] for words in irregular if words}
        parts.append(PartOfSpeech(name, entries, data, exceptions))
    return WordNet(source, tuple(parts))


def _contents(source: Path) -> dict[str, bytes]:
    names = [
        pattern.format(name)
        for name in PARTS_OF_SPEECH
        for pattern in ("index.{}", "data.{}", "{}.exc")
    ]
    if source.is_dir():
        contents = {n: (source / n).read_bytes() for n in names if (source / n).is_file()}
    else:
        try:
            with zipfile.ZipFile(source) as archive:
                members = {Path(name).name: name for name in archive.namelist()}
                contents = {n: archive.read(members[n]) for n in names if n in members}
        except _UNREADABLE as error:
            raise ValueError(
                f"cannot read WordNet from {source}: {error}. {_HOW_TO_GET_IT}"
            ) from error
    missing = [name for name in names if name not in contents]
    if missing:
        raise FileNotFoundError(
            f"{source} is not a complete WordNet: {', '.join(missing)} missing. {_HOW_TO_GET_IT}"
        )
    return contents


def _check_offsets(source: Path, name: str, index: bytes, data: bytes) -> None:
    """Refuse a data file whose lines do not lie where they say and where the index says."""
    characters = np.frombuffer(data, dtype=np.uint8)
    starts = np.concatenate([[0], np.flatnonzero(characters == ord("\n")) + 1])
    starts = starts[starts + _OFFSET_DIGITS < len(data)]
    # The licence at the top is indented by two spaces.
    starts = starts[characters[starts] != ord(" ")]
    digits = characters[starts[:, None] + np.arange(_OFFSET_DIGITS)].astype(np.int64) - ord("0")
    stated = digits @ 10 ** np.arange(_OFFSET_DIGITS - 1, -1, -1)
    listed = {int(digits) for digits in re.findall(rb" (\d{8})(?= )", index)}
    complete = data.endswith(b"\n") and index.endswith(b"\n") and len(starts) and listed
    lone_word = re.search(rb"^\S+$", index, re.MULTILINE)
    if not complete or lone_word or (stated != starts).any() or not listed <= set(starts.tolist()):
        raise ValueError(
            f"{source} holds a damaged WordNet: data.{name} and index.{name} do not fit together "
            f"(truncated, mixed from two versions, or line endings changed). {_HOW_TO_GET_IT}"
        )
