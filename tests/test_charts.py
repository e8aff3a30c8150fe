"""What every chart shares: files of every kind, whole or not at all, and colours that follow."""

import re

import pytest

from imbtext.charts import PAGE_PALETTE, PALETTE, altair, page_svg, write_chart


@pytest.fixture
def chart():
    alt = altair()
    rows = [{"x": 1, "y": 2, "kind": "</script>"}, {"x": 2, "y": 3, "kind": "b"}]
    return alt.Chart(alt.Data(values=rows)).mark_line().encode(x="x:Q", y="y:Q", color="kind:N")


def test_an_svg_and_a_png_are_what_their_names_say(chart, tmp_path):
    write_chart(chart, tmp_path / "chart.svg")
    assert (tmp_path / "chart.svg").read_text().startswith("<svg")
    write_chart(chart, tmp_path / "small.png", scale=1)
    write_chart(chart, tmp_path / "large.png", scale=2)
    sizes = []
    for name in ("small.png", "large.png"):
        raw = (tmp_path / name).read_bytes()
        assert raw.startswith(b"\x89PNG")
        sizes.append(int.from_bytes(raw[16:20]))
    assert sizes[1] == pytest.approx(2 * sizes[0], abs=2)


def test_a_page_needs_no_network_and_its_data_stay_data(browser, tmp_path):
    alt = altair()
    hostile = "</script><script>window.hacked=1</script>"
    rows = [{"x": 1, "kind": hostile}, {"x": 2, "kind": "a < b"}]
    chart = alt.Chart(alt.Data(values=rows)).mark_point().encode(x="x:Q", color="kind:N")
    write_chart(chart, tmp_path / "chart.html")
    page = browser.new_page()
    page.set_default_timeout(120_000)
    asked, complaints = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((tmp_path / "chart.html").as_uri())
    page.wait_for_selector("#vega-chart svg, #vega-chart canvas")
    assert page.evaluate("window.hacked") is None
    assert [url for url in asked if not url.startswith("data:")] == asked[:1]
    assert complaints == []
    assert "\\u003c/script>" in (tmp_path / "chart.html").read_text("utf-8")
    page.close()


def test_an_unknown_ending_is_refused_and_nothing_is_written(chart, tmp_path):
    with pytest.raises(ValueError, match=r"end it in \.html, \.svg, \.png"):
        write_chart(chart, tmp_path / "chart.pdf")
    with pytest.raises(FileNotFoundError, match="does not exist"):
        write_chart(chart, tmp_path / "nowhere" / "chart.svg")
    assert list(tmp_path.iterdir()) == []


def test_a_picture_of_a_page_takes_its_colours_and_runs_nothing(chart):
    svg = page_svg(chart)
    assert "currentColor" in svg
    assert "&lt;/script&gt;" in svg
    assert "<script" not in svg


def test_palettes_are_colours():
    for colour in (*PALETTE, *PAGE_PALETTE):
        assert re.fullmatch("#[0-9a-f]{6}", colour)
