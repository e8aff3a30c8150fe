"""``imbtext serve``: a model behind HTTP."""

from typing import Annotated

import typer

from imbtext.cli import _groups as groups
from imbtext.cli import _options as options
from imbtext.cli import app
from imbtext.cli._terminal import say


@app.command()
def serve(
    model: options.Model,
    meaning: groups.EncoderOptions,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Where to listen; 0.0.0.0 lets other machines send requests, too.",
        ),
    ] = "127.0.0.1",
    port: options.Port = 8000,
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
        int, typer.Option(min=1, help="How many processes answer, each with its own model.")
    ] = 1,
    body_megabytes: Annotated[
        float, typer.Option(help="Refuse requests that are larger than this.")
    ] = 4.0,
    seconds: Annotated[
        float, typer.Option(help="Give up on requests that take longer than this.")
    ] = 30.0,
    quiet: options.Quiet = False,
) -> None:
    """Serve a model over HTTP.

    POST /predict takes {"documents": ["a text", ...]}, or {"rows": [{"body": "a text"}, ...]} with
    the names of the columns. It returns the decision, score and probability of each document. With
    "explain": true it adds the words that speak for and against the class. GET / shows the model's
    card, /openapi.json describes the requests for programs, and /health and /metrics (Prometheus)
    are for operators.

    Only this machine can send requests unless --host says otherwise. Ctrl-C or SIGTERM stops the
    server once it has answered the requests under way.
    """
    from imbtext.web._application import is_loopback
    from imbtext.web._serving import serve as serve_model

    def started(url: str) -> None:
        if not quiet:
            say(f"Serving {model} at {url}. Stop with Ctrl-C.", err=True)
        if not is_loopback(host) and token is None:
            say(
                "imbtext: warning: every machine that reaches this one can send requests; pass "
                "--token to admit only those who know it",
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
        load=meaning.loaded,
        started=started,
    )
