"""A language model that is asked about each document, with examples from training in the prompt.

YARDSTICK_MODEL names a model of an interface like OpenAI's; OPENAI_BASE_URL says where it is, such
as a server on this machine. It is told the name of the class, which nobody else is told.
"""

import os
import re

import numpy as np
from openai import OpenAI

from protocol import Answer, Given

TITLE = "a language model by prompt"
MODEL = os.environ["YARDSTICK_MODEL"]
EXAMPLES = 20


def contest(given: Given) -> Answer:
    ask, shown = OpenAI().chat.completions.create, examples(given)
    scores = np.empty(len(given.new))
    for place, text in enumerate(given.new):
        said = ask(
            model=MODEL,
            messages=[{"role": "user", "content": f"{shown}\n\nDocument: {text}\nNumber:"}],
            temperature=0,
            max_tokens=5,
        )
        number = re.search(r"\d+", said.choices[0].message.content or "")
        scores[place] = min(int(number.group()), 100) if number else 0
    return Answer(scores, scores > 50, scores > 50)


def examples(given: Given) -> str:
    """Return what the model is told first."""
    lines = [
        f"Does a document belong to the class {given.label!r}? Answer with a number from 0 "
        "(certainly not) to 100 (certainly), and nothing else."
    ]
    for is_class, number in ((True, 100), (False, 0)):
        for place in np.flatnonzero(given.is_class == is_class)[:EXAMPLES]:
            lines.append(f"Document: {given.texts[place]}\nNumber: {number}")
    return "\n\n".join(lines)
