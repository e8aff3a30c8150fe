"""The generators by name: networks and language models, which cost minutes or money.

None of them runs unless it is named. Each is imported when it is: PyTorch is an extra, and takes
seconds to load.
"""

import os

from imbtext.methods._method import Method
from imbtext.methods._samplers import SamplerMethod

_MODEL = "IMBTEXT_PROMPT_MODEL"
_URL = "OPENAI_BASE_URL"
_CACHE = "IMBTEXT_PROMPT_CACHE"


def language_model(epochs: int = 50) -> Method:
    """Documents of a recurrent language model tuned to the class; needs the extra ``neural``."""
    from imbtext.neural import LanguageModelSampler

    sampler = LanguageModelSampler(epochs=epochs)
    return Method("language-model", "tokens", SamplerMethod(sampler, "tokens"), "a language model")


def seqgan(steps: int = 50) -> Method:
    """Documents of a sequence generative adversarial network; needs the extra ``neural``."""
    from imbtext.neural import SeqGAN

    return Method("seqgan", "tokens", SamplerMethod(SeqGAN(steps=steps), "tokens"), "SeqGAN")


def prompted(max_total_tokens: int | None = None, documents_per_request: int = 5) -> Method:
    """Documents of a large language model, which the environment names.

    ``IMBTEXT_PROMPT_MODEL`` is the model, ``OPENAI_BASE_URL`` the server (OpenAI's by default),
    ``OPENAI_API_KEY`` the key, and ``IMBTEXT_PROMPT_CACHE`` a file that keeps the answers. The cap
    is one of each class and fold. For more, register a :class:`imbtext.PromptedSampler`.
    """
    from imbtext.oversampling import PromptedSampler

    model = os.environ.get(_MODEL)
    if not model:
        raise ValueError(
            f"prompted needs a model: set the environment variable {_MODEL} to its name and {_URL} "
            "to its server, or register_method a PromptedSampler under a name of your own"
        )
    sampler = PromptedSampler(
        model,
        base_url=os.environ.get(_URL) or "https://api.openai.com/v1",
        cache=os.environ.get(_CACHE) or None,
        max_total_tokens=max_total_tokens,
        documents_per_request=documents_per_request,
    )
    return Method("prompted", "text", SamplerMethod(sampler, "text"), "a prompted language model")
