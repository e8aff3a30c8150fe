"""Where a network is trained, and on how many threads."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def one_thread(device: str) -> Iterator[None]:
    """Keep torch to one thread on the CPU, where sums depend on how many share the work."""
    before = torch.get_num_threads()
    if device == "cpu":
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def choose_device(name: str) -> str:
    """Resolve ``"auto"`` to a CUDA GPU where there is one, else the CPU; check other names.

    Examples
    --------
    >>> choose_device("cpu")
    'cpu'
    """
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        # Whether this machine has it, and whether numbers come back from it (not from "meta").
        torch.zeros(1, device=device).cpu()
    except Exception as error:
        # torch raises RuntimeError, AssertionError, NotImplementedError and more here.
        reason = str(error).strip().split("\n")[0]
        raise ValueError(
            f"device is {name!r}, which cannot be used here ({reason:.200}); "
            "choose 'auto', 'cpu', 'cuda' or another torch device of this machine"
        ) from error
    return str(device)
