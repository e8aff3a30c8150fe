"""Archives of `imbtext.records` as tests look at them: their content, changed and written again."""

import json
import zipfile

import numpy as np

from imbtext.records import read_archive, write_archive


def changed_archive(path, change):
    """Write an archive again after `change` was called with its header's content and its arrays."""
    with zipfile.ZipFile(path) as archive:
        header = json.loads(archive.read("header.json"))
    kind, version = header["kind"], header["version"]
    about, arrays = read_archive(path, kind, [version], lambda _, *content: content)
    change(about, arrays)
    write_archive(path, kind, version, about, arrays)


def with_header(path, out, about):
    """Copy an archive with another content of its header, whatever JSON Python writes of it."""
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(out, "w") as copy:
        for name in archive.namelist():
            content = archive.read(name)
            if name == "header.json":
                content = json.dumps(json.loads(content) | {"about": about}).encode()
            copy.writestr(name, content)


def assert_same_counts(one, two):
    """Raise unless two records of counts (transitions, surface forms) are equal to the last bit."""
    for name, values in vars(one).items():
        other = vars(two).get(name)
        if hasattr(values, "indptr"):
            assert values.shape == other.shape
            for part in ("indptr", "indices", "data"):
                np.testing.assert_array_equal(getattr(values, part), getattr(other, part), name)
        elif isinstance(values, np.ndarray | int):
            np.testing.assert_array_equal(values, other, name)
        elif name in ("forms", "gaps"):
            assert_same_counts(values, other)
