"""Where a network is trained."""

import torch


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
