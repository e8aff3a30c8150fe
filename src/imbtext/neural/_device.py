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
    except RuntimeError as error:
        raise ValueError(
            f"device is {name!r}; expected 'auto', 'cpu', 'cuda' or another torch device"
        ) from error
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ValueError(f"device is {name!r} but torch finds no CUDA GPU; use 'auto' or 'cpu'")
    return str(device)
