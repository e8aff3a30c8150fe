"""A comparison with its report on 9 MB of text and 23 classes: time, and memory at its highest.

7,400 messages of 20 Newsgroups of about 1,200 characters each, the size of the abstracts of
Ohsumed; three groups are halved to make 23 classes, of 985 down to 49 documents.
`imbtext compare` runs as its users run it, in a process of its own, and the resident memory of that
process and of its workers is looked at twenty times a second.

    OMP_NUM_THREADS=1 python benchmarks/many_classes.py [options of imbtext compare]
"""

import csv
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil

from imbtext.datasets import load_20newsgroups

N_DOCUMENTS = 7400
N_CHARACTERS = 1220
N_CLASSES = 23


def documents(seed: int = 0) -> tuple[list[str], list[str]]:
    """Return texts cut to size, and their classes."""
    news = load_20newsgroups()
    random = np.random.default_rng(seed)
    groups: dict[str, list[str]] = {}
    # Neighbours of one group are joined, since many messages are short.
    for row in random.permutation(len(news.texts)).tolist():
        groups.setdefault(str(news.labels[row]), []).append(news.texts[row])
    names = sorted(groups)
    whole = {name: "\n".join(groups[name]) for name in names}
    parts = [(name, whole[name]) for name in names[3:]]
    for name in names[:3]:
        middle = len(whole[name]) // 2
        parts += [(f"{name}, 1", whole[name][:middle]), (f"{name}, 2", whole[name][middle:])]
    parts.sort(key=lambda part: -len(part[1]))
    sizes = np.geomspace(20, 1, N_CLASSES)
    sizes = np.round(sizes * N_DOCUMENTS / sizes.sum()).astype(int)
    texts, labels = [], []
    for (name, text), size in zip(parts, sizes.tolist(), strict=True):
        starts = random.permutation(len(text) // N_CHARACTERS)[:size] * N_CHARACTERS
        texts += [text[start : start + N_CHARACTERS] for start in starts.tolist()]
        labels += [name] * len(starts)
    return texts, labels


def peak_of(command: list[str]) -> tuple[float, float, list[float]]:
    """Run a command; return its seconds, and MiB at the highest: in all, and of each process."""
    start = time.perf_counter()
    main = psutil.Popen(command)
    most, each = 0.0, {}
    while main.poll() is None:
        found = {}
        for process in [main, *main.children(recursive=True)]:
            try:
                found[process.pid] = process.memory_info().rss / 2**20
            except psutil.NoSuchProcess:
                continue
        most = max(most, sum(found.values()))
        each = {pid: max(each.get(pid, 0.0), found.get(pid, 0.0)) for pid in {**each, **found}}
        time.sleep(0.05)
    if main.returncode:
        raise subprocess.CalledProcessError(main.returncode, command)
    return time.perf_counter() - start, most, sorted(each.values(), reverse=True)


def main() -> None:
    """Print the time and the memory of one comparison of all classes."""
    texts, labels = documents()
    print(
        f"{len(texts):,} documents, {sum(map(len, texts)) / 1e6:.1f} MB, "
        f"{len(set(labels))} classes, the smallest of {min(map(labels.count, set(labels)))}"
    )
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "abstracts.csv"
        with source.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("text", "label"), *zip(texts, labels, strict=True)])
        command = ["imbtext", "compare", str(source)]
        command += ["--text", "text", "--label", "label"]
        for name in sorted(set(labels)):
            command += ["--class", name]
        command += ["--report", str(Path(folder) / "report.html"), *sys.argv[1:]]
        seconds, most, each = peak_of(command)
        size = (Path(folder) / "report.html").stat().st_size / 1e6
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{seconds:.0f} s ({used.ru_utime + used.ru_stime:.0f} s of processors)")
    print(f"memory at its highest {most:.0f} MiB in all, by process", end=" ")
    print(", ".join(f"{one:.0f}" for one in each), f"MiB; report of {size:.1f} MB")


if __name__ == "__main__":
    main()
