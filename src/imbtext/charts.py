"""What every chart shares: colours, sizes that fit a page, and writing to files.

Each package draws its own charts with Altair and takes the rest from here. Importing this module
does not import Altair; drawing does.
"""

import io
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

from imbtext._extras import require
from imbtext.writing import written_whole

if TYPE_CHECKING:
    from altair.typing import ChartType

__all__ = [
    "KINDS",
    "PAGE_GREY",
    "PAGE_PALETTE",
    "PALETTE",
    "altair",
    "page_svg",
    "write_chart",
]

KINDS: Final = ("html", "svg", "png")
# Okabe and Ito's palette, which readers with colour blindness can tell apart.
PALETTE: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
# The same idea for pages that are light or dark: enough contrast on both.
PAGE_PALETTE: Final = ("#3d87c9", "#2f9e77", "#c9a227", "#d57b2a", "#c2548a", "#8b6fc9")
PAGE_GREY: Final = "#8b919b"
_STAND_IN: Final = "\ue000"


def altair() -> ModuleType:
    """Return Altair, or raise an error that says how to install it."""
    return require("altair")


def write_chart(chart: "ChartType", path: str | Path, *, scale: float = 1.5) -> None:
    """Write a chart as an HTML page that needs no network, an SVG or a PNG, by the path's ending.

    `scale` is the number of pixels per unit of a PNG.
    """
    path = Path(path)
    kind = path.suffix.lower().lstrip(".")
    if kind not in KINDS:
        raise ValueError(
            f"cannot write a chart to {path}: its name ends in {path.suffix!r}; "
            f"end it in {', '.join('.' + known for known in KINDS)}"
        )
    vl_convert = require("vl_convert")
    specification = chart.to_json()
    with written_whole(path) as partial:
        if kind == "html":
            # The specification becomes part of a script, which a class named "</script>" would end.
            # So "<" goes in as a private character and comes out as an escape.
            marked = specification.replace("<", _STAND_IN)
            page = vl_convert.vegalite_to_html(marked, bundle=True)
            partial.write_text(page.replace(_STAND_IN, "\\u003c"), encoding="utf-8")
        elif kind == "svg":
            partial.write_text(vl_convert.vegalite_to_svg(specification), encoding="utf-8")
        else:
            partial.write_bytes(vl_convert.vegalite_to_png(specification, scale=scale))


def page_svg(chart: "ChartType", *, width: int | None = 330, height: int = 240) -> str:
    """Return a chart as SVG that follows the colours of the page it stands in.

    Without a width, the parts of the chart keep their sizes.

    Text and axes use ``currentColor``, so one picture serves light, dark and printed pages.
    Nothing in the picture runs or loads anything.
    """
    alt = altair()
    require("vl_convert")
    drawn = (
        # Padding, as the reader's font may be wider than the one the labels were measured with.
        chart.properties(
            **({} if width is None else {"width": width, "height": height}),
            background="transparent",
            padding={"left": 24, "right": 14, "top": 5, "bottom": 5},
        )
        .configure_axis(
            labelColor="currentColor",
            titleColor="currentColor",
            domainColor="#88888899",
            tickColor="#88888899",
            gridColor="#88888833",
            labelFontSize=12.5,
            titleFontSize=13,
            titleFontWeight="normal",
        )
        .configure_legend(
            labelColor="currentColor", labelFontSize=13, symbolOpacity=1, columnPadding=20
        )
        .configure_text(fontSize=12)
        .configure_view(stroke=None)
    )
    out = io.StringIO()
    with alt.data_transformers.enable("default", max_rows=None):
        drawn.save(out, format="svg")
    return out.getvalue()
