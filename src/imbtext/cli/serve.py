"""``imbtext serve``: a model behind HTTP."""

from pathlib import Path
from typing import Annotated

import typer

from imbtext.cli import _options as options
from imbtext.cli import app
from imbtext.cli._terminal import say


@app.command()
def serve(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A model file from imbtext train.")
    ],
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Listen here. 0.0.0.0 lets other machines ask, too.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, help="Listen at this port; 0 takes a free one.")
    ] = 8000,
    token: Annotated[
        str | None,
        typer.Option(
            metavar="TOKEN",
            envvar="IMBTEXT_TOKEN",
            show_envvar=False,
            help="Answer only requests with the header 'Authorization: Bearer TOKEN'. Default: the "
            "environment variable IMBTEXT_TOKEN, which other users cannot see in the list of "
            "processes.",
        ),
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, help="Answer with so many processes, each with its own model.")
    ] = 1,
    body_megabytes: Annotated[float, typer.Option(help="Refuse larger requests.")] = 4.0,
    seconds: Annotated[float, typer.Option(help="Give up requests that take longer.")] = 30.0,
    quiet: options.Quiet = False,
) -> None:
    """Serve a model over HTTP.

    POST /predict takes {"documents": ["a text", ...]}, or {"rows": [{"body": "a text"}, ...]} by
    the name of the column, and returns the decision, score and probability of each; with
    "explain": true it adds the words that speak for and against. GET / shows the model's card,
    /openapi.json describes the requests for programs, and /health and /metrics (Prometheus) are
    for operators.

    Only this machine can ask unless --host says otherwise. Ctrl-C or SIGTERM stops it when the
    requests under way are answered.
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
