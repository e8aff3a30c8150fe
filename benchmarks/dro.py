"""DRO's latent draws against the dense n-by-n matrix: time, peak memory, and the largest n.

Run: python -m benchmarks.dro --data-home FOLDER   (the folder with nltk_data/ and huffpost/)

Every measurement runs in a process of its own, which is allowed 4 GiB of memory, the libraries
included. Both sides get the same tf-idf vectors and the same class, and draw the latent part of
every training document and of those repeated up to a share of 20%. The dense side is the published
definition: one matrix of documents by documents, then one multinomial draw a document.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

LIMIT = 4 * 2**30
SHARE = 0.2


def dense_draws(tfidf: Any, positive: Any, n_new: int) -> Any:
    from sklearn.preprocessing import normalize

    from imbtext.oversampling._dro import LatentSpace

    gain = LatentSpace.of(tfidf, positive).information_gain
    words = sparse.diags_array(gain) @ normalize(tfidf, norm="l1", axis=0).T
    latent = (tfidf @ words).toarray()
    rng = np.random.default_rng(0)
    rows = np.concatenate([np.arange(len(latent)), rng.choice(np.flatnonzero(positive), n_new)])
    draws = tfidf.sum(axis=1).astype(int)
    drawn = sparse.lil_array((len(rows), len(latent)), dtype=np.int64)
    for i, row in enumerate(rows):
        total = latent[row].sum()
        if total > 0 and draws[row]:
            counts = rng.multinomial(draws[row], latent[row] / total)
            found = np.flatnonzero(counts)
            drawn[i, found] = counts[found]
    return drawn.tocsr()


def our_draws(tfidf: Any, positive: Any, n_new: int) -> Any:
    from imbtext.oversampling import DRO, Request

    new = DRO().draw(Request(tfidf, np.flatnonzero(positive), n_new, seed=0, stream=0))
    assert new.replaced is not None
    rows = sparse.vstack([new.replaced.documents, new.documents], format="csr")
    return rows[:, tfidf.shape[1] :]


def resident(field: str, reset: bool = False) -> int:
    """Return the memory of this process, now or at its peak, in KiB (Linux)."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))


def measure(folder: Path, kind: str, n: int) -> None:
    """Draw for the first n documents and print what it took; this is the child process."""
    tfidf = sparse.csr_array(sparse.load_npz(folder / "tfidf.npz"))[:n]
    positive = np.load(folder / "positive.npy")[:n]
    n_new = max(0, int((SHARE * n - positive.sum()) / (1 - SHARE)))
    work = {"ours": our_draws, "dense": dense_draws}[kind]
    our_draws(tfidf[:50], np.arange(50) < 5, 5)  # loads or compiles the kernels
    before = resident("VmRSS", reset=True)
    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))
    start = time.process_time()
    try:
        drawn = work(tfidf, positive, n_new)
    except MemoryError:
        print(json.dumps(None))
        return
    seconds = time.process_time() - start
    peak = resident("VmHWM")
    print(
        json.dumps(
            {"seconds": seconds, "gib": (peak - before) / 2**20, "rows": int(drawn.shape[0])}
        )
    )


def in_child(folder: Path, kind: str, n: int) -> Any:
    command = [sys.executable, __file__, "--folder", str(folder), "--kind", kind, "--n", str(n)]
    child = subprocess.run(command, capture_output=True, text=True, check=False)
    if child.returncode:
        if "MemoryError" in child.stderr or child.returncode < 0:
            return None
        raise RuntimeError(child.stderr)
    return json.loads(child.stdout)


def repeated(tfidf: Any, positive: Any, times: int, folder: Path) -> None:
    """Save the corpus several times over, to find sizes beyond its own."""
    sparse.save_npz(folder / "tfidf.npz", sparse.csr_matrix(sparse.vstack([tfidf] * times)))
    np.save(folder / "positive.npy", np.tile(positive, times))


def largest(folder: Path, kind: str, start: int, end: int) -> int:
    """Return the largest n, to one part in eight, that fits into the memory allowed."""
    fits, n = 0, start
    while n <= end:
        if in_child(folder, kind, n) is None:
            break
        fits, n = n, int(n * 1.125)
    return fits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-home", type=Path)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--kind", help=argparse.SUPPRESS)
    parser.add_argument("--n", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.folder is not None:
        measure(arguments.folder, arguments.kind, arguments.n)
        return
    if arguments.data_home is None:
        parser.error("--data-home is needed")

    from paper.experiments import EXPERIMENTS
    from paper.splits import prepare

    print(f"{'corpus':20}{'n':>9}{'side':>7}{'seconds':>9}{'GiB':>8}{'x time':>8}{'x mem':>7}")
    for name, category, sizes in [
        ("reuters-titles", "trade", (2000, 7769)),
        ("huffpost-titles", "SCIENCE", (5000, 15000, 94754)),
    ]:
        split = prepare(EXPERIMENTS[name], arguments.data_home)[0][0]
        folder = Path(tempfile.mkdtemp(prefix="imbtext-dro-"))
        sparse.save_npz(folder / "tfidf.npz", sparse.csr_matrix(split.data.tfidf))
        np.save(folder / "positive.npy", split.positive(category))
        for n in sizes:
            ours, dense = (in_child(folder, kind, n) for kind in ("ours", "dense"))
            print(f"{name:20}{n:>9,}{'ours':>7}{ours['seconds']:>9.3f}{ours['gib']:>8.3f}")
            if dense is None:
                print(f"{'':29}{'dense':>7}   out of memory (4 GiB)")
                continue
            print(
                f"{'':29}{'dense':>7}{dense['seconds']:>9.2f}{dense['gib']:>8.2f}"
                f"{dense['seconds'] / ours['seconds']:>8.0f}"
                f"{dense['gib'] / max(ours['gib'], 1e-3):>7.0f}",
                flush=True,
            )
    print(f"\nlargest n in 4 GiB, dense: about {largest(folder, 'dense', 16_000, 40_000):,}")
    times = 40
    repeated(split.data.tfidf, split.positive(category), times, folder)
    n = times * split.data.n_documents
    ours = in_child(folder, "ours", n)
    outcome = "out of memory" if ours is None else f"{ours['seconds']:.1f} s, {ours['gib']:.2f} GiB"
    print(f"ours with n = {n:,} (HuffPost's headlines {times} times over): {outcome}")


if __name__ == "__main__":
    main()
