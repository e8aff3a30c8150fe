"""What all estimators on documents tell scikit-learn, and where their HTML links to."""

import sys
from pathlib import Path

import pytest

import imbtext._estimator
from imbtext import DECOM, DRO, EMCO, RareTextClassifier, ResampledClassifier

sys.path.append(str(Path(__file__).parents[1] / "docs" / "_ext"))
import api_reference


def test_the_link_is_to_the_page_of_the_reference(monkeypatch):
    monkeypatch.setattr(imbtext._estimator, "documentation_site", lambda: "https://example.org/en")
    link = RareTextClassifier()._get_doc_link()
    assert link == (
        "https://example.org/en/reference/api/generated/imbtext.RareTextClassifier.html"
    )
    assert "RareTextClassifier" in api_reference.public_names("imbtext")
    assert link in RareTextClassifier()._repr_html_()


@pytest.mark.parametrize("estimator", [EMCO, DECOM, DRO, ResampledClassifier])
def test_every_kind_of_estimator_has_a_link(monkeypatch, estimator):
    monkeypatch.setattr(imbtext._estimator, "documentation_site", lambda: "https://example.org")
    assert estimator()._get_doc_link().endswith(f"/imbtext.{estimator.__name__}.html")


@pytest.mark.parametrize("urls", [None, ["Source, https://example.org"]])
def test_without_a_site_there_is_no_dead_link(monkeypatch, urls):
    class Metadata:
        def get_all(self, _name):
            return urls

    monkeypatch.setattr(imbtext._estimator.metadata, "metadata", lambda _name: Metadata())
    imbtext._estimator.documentation_site.cache_clear()
    try:
        assert RareTextClassifier()._get_doc_link() == ""
    finally:
        imbtext._estimator.documentation_site.cache_clear()


def test_a_site_in_the_metadata_is_found(monkeypatch):
    class Metadata:
        def get_all(self, _name):
            return ["Documentation, https://example.org/stable/"]

    monkeypatch.setattr(imbtext._estimator.metadata, "metadata", lambda _name: Metadata())
    imbtext._estimator.documentation_site.cache_clear()
    try:
        assert imbtext._estimator.documentation_site() == "https://example.org/stable"
    finally:
        imbtext._estimator.documentation_site.cache_clear()
