"""The question: a few real documents of the class, and the wish for more of their kind."""

import json
from collections.abc import Sequence

import numpy as np

SYSTEM = (
    "You write realistic documents for a collection of texts. You answer with a JSON list of "
    "strings and nothing else."
)
# An example is shown up to so many characters.
_SHOWN = 2000


def messages_for(
    examples: Sequence[str],
    label: object,
    n_documents: int,
    generator: np.random.Generator,
    n_examples: int,
    description: str | None = None,
) -> list[dict[str, str]]:
    """Return the messages of one request; the examples shown are drawn from `examples`.

    Examples
    --------
    >>> source = np.random.default_rng(0)
    >>> print(messages_for(["Oil up", "Oil down"], "oil", 3, source, n_examples=1)[1]["content"])
    Below is a JSON list of documents of the class "oil" from a collection of texts.
    <BLANKLINE>
    ["Oil down"]
    <BLANKLINE>
    Write 3 new documents that could belong to the same class of the same collection. Keep to the \
language, style and length of these documents, vary the content, and copy none of them. Answer \
with a JSON list of 3 strings.
    """
    chosen = generator.choice(len(examples), min(n_examples, len(examples)), replace=False)
    shown = [examples[int(i)][:_SHOWN] for i in chosen]
    about = f" The class: {description}" if description else ""
    # True, or 3, tells a reader nothing.
    name = (
        f"the class {json.dumps(label, ensure_ascii=False)}"
        if isinstance(label, str)
        else "one class"
    )
    content = (
        f"Below is a JSON list of documents of {name} from a collection of texts.{about}\n\n"
        f"{json.dumps(shown, ensure_ascii=False)}\n\n"
        f"Write {n_documents} new documents that could belong to the same class of the same "
        "collection. Keep to the language, style and length of these documents, vary the content, "
        f"and copy none of them. Answer with a JSON list of {n_documents} strings."
    )
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": content}]
