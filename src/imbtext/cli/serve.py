"""``imbtext serve``: a model behind HTTP."""

from pathlib import Path
from typing import Annotated

import typer

from imbtext.cli import _options as options
from imbtext.cli import app
from imbtext.cli._terminal import say


@app.command()
def serve(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="From imbtext train.")],
    host: Annotated[
        str, typer.Option(help="Where to listen; 0.0.0.0 is reached from other machines, too.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8000,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="IMBTEXT_TOKEN",
            help="What requests must carry, as the header Authorization: Bearer TOKEN.",
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="How many processes answer.")] = 1,
    body_megabytes: Annotated[float, typer.Option(help="The largest body of a request.")] = 4.0,
    seconds: Annotated[float, typer.Option(help="The longest that a request may take.")] = 30.0,
    quiet: options.Quiet = False,
) -> None:
    """Serve MODEL over HTTP: POST /predict with {"documents": ["a text", ...]}.

    The answer has the decision, score and probability of each document. GET / is the model's card,
    /openapi.json the description for programs, /health and /metrics (Prometheus) are for
    operators. Only this machine is answered unless --host says otherwise. Ctrl-C and SIGTERM let
    requests that are under way finish.
    """
    from imbtext.web import serve as serve_model

    def started(url: str) -> None:
        if not quiet:
            say(f"Serving {model} at {url}. Stop with Ctrl-C.", err=True)
        if host in ("0.0.0.0", "::") and token is None:
            say(
                "imbtext: warning: every machine that reaches this one may ask; pass --token to "
                "let in only those who know it",
                err=True,
            )

    serve_model(
        model,
        host=host,
        port=port,
        token=token,
        workers=workers,
        body_megabytes=body_megabytes,
        seconds=seconds,
        started=started,
    )
