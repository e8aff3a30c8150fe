"""How every estimator on documents describes itself to scikit-learn.

scikit-learn, imbalanced-learn and their checks ask an estimator for tags: does it take text, a
matrix, sparse rows? All estimators of this package that take documents give the same answer, so it
is here once. Put the mixin first, before scikit-learn's own classes:

>>> from sklearn.base import BaseEstimator, ClassifierMixin
>>> class Reader(TextEstimatorMixin, ClassifierMixin, BaseEstimator):
...     pass
>>> tags = Reader().__sklearn_tags__().input_tags
>>> tags.string, tags.one_d_array, tags.two_d_array
(True, True, False)

Notebooks show an estimator as HTML, with a link to its page in the reference. The site's address
comes from the installed distribution ("Documentation" among its project URLs), so a fork links to
its own site, and a distribution without an address has no dead link.
"""

from collections.abc import Callable
from functools import cache
from importlib import metadata
from itertools import takewhile
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from sklearn.utils import Tags

Function = TypeVar("Function", bound=Callable[..., object])


class DocumentedEstimatorMixin:
    """The link from the HTML of an estimator to its page in the reference."""

    _doc_link_module = "imbtext"

    @property
    def _doc_link_template(self) -> str:
        site = documentation_site()
        return f"{site}/reference/api/generated/{{page}}.html" if site else ""

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        import imbtext

        name, module = type(self).__name__, type(self).__module__
        package = ".".join(takewhile(lambda part: not part.startswith("_"), module.split(".")))
        return {"page": f"{'imbtext' if name in imbtext.__all__ else package}.{name}"}


class TextEstimatorMixin(DocumentedEstimatorMixin):
    """The tags and the documentation link of an estimator that takes documents.

    Think twice before adding to this class: what only some estimators need belongs to them.
    """

    def __sklearn_tags__(self) -> "Tags":
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        take_documents(tags)
        return tags


def take_documents(tags: "Tags") -> None:
    """Set the tags of an estimator that takes documents."""
    tags.input_tags.one_d_array = True
    tags.input_tags.two_d_array = False
    tags.input_tags.string = True
    tags.input_tags.sparse = False
    if hasattr(tags.input_tags, "dataframe"):  # a tag of imbalanced-learn
        tags.input_tags.dataframe = False


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Function], Function]:
    """Return scikit-learn's decorator of methods that fit, which checks the parameters first.

    scikit-learn has no type hints; for a type checker, the method keeps its own.
    """
    from sklearn.base import _fit_context

    decorate: Callable[[Function], Function] = _fit_context(
        prefer_skip_nested_validation=prefer_skip_nested_validation
    )
    return decorate


@cache
def documentation_site() -> str:
    """Return the address of the site without its last slash, or an empty string."""
    try:
        urls = metadata.metadata("imbalanced-text").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return ""
    sites: dict[str, str] = dict(url.split(", ", 1) for url in urls)
    return sites.get("Documentation", "").rstrip("/")
