"""The wheel holds the package and nothing else; the sdist holds what its tests need."""

import sys
import tarfile
import zipfile
from pathlib import Path

folder = Path(sys.argv[1])
[wheel] = folder.glob("*.whl")
[sdist] = folder.glob("*.tar.gz")

with zipfile.ZipFile(wheel) as archive:
    tops = {name.split("/")[0] for name in archive.namelist()}
expected = {"imbtext", f"{sdist.name.removesuffix('.tar.gz')}.dist-info"}
if tops != expected:
    sys.exit(f"{wheel.name} holds {sorted(tops)}; expected {sorted(expected)}")

with tarfile.open(sdist) as archive:
    names = {name.partition("/")[2] for name in archive.getnames()}
needed = ["conftest.py", "tests/conftest.py", "pyproject.toml", "README.md", "LICENSE"]
needed += [".ci/check_prose.py"]  # tests/docs/test_prose.py runs it
needed += ["paper/__main__.py", "paper/published_svm.csv"]
missing = [name for name in needed if name not in names]
if missing:
    sys.exit(f"{sdist.name} lacks {missing}")
print(f"{wheel.name}: {len(expected)} folders; {sdist.name}: {len(names)} files")
