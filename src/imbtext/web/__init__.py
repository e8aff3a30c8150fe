"""Models and pages over HTTP: `imbtext serve` and `imbtext label`.

Needs the extra ``web`` (Starlette, uvicorn and prometheus-client).

:mod:`imbtext.web._application` has what every application here shares, and says how to add one.
"""

from imbtext._extras import require

for _module in ("starlette", "uvicorn", "prometheus_client"):
    require(_module, "web")

from imbtext.web._application import Limits  # noqa: E402
from imbtext.web._serving import model_application, serve  # noqa: E402

__all__ = ["Limits", "model_application", "serve"]
