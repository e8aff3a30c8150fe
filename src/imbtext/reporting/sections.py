"""The sections of a report, each from a comparison to a piece of HTML.

Whatever came from the user's files passes through `imbtext.reporting.escaping` on its way.
"""

from collections.abc import Mapping
from typing import Any

from imbtext.comparison._recommend import METRIC_NAMES
from imbtext.comparison._result import Comparison
from imbtext.reporting import charts
from imbtext.reporting.escaping import code_block, escaped, untrusted
from imbtext.reporting.tables import named_method


def heading(comparison: Comparison) -> str:
    """Return the question of the report."""
    classes = comparison.settings.classes
    if len(classes) == 1:
        return f"Does oversampling help to find {untrusted(classes[0])}?"
    return f"Does oversampling help to find {len(classes)} rare classes?"


def facts(comparison: Comparison) -> str:
    """Return the key figures."""
    settings = comparison.settings
    if len(settings.classes) == 1:
        count = comparison.balance.get(settings.classes[0], 0)
        share = count / settings.n_documents
        asked = (f"{count:,}", f"of the class, {share:.1%}")
    else:
        asked = (f"{len(settings.classes)}", "rare classes, each against the rest")
    design = (
        (f"{settings.n_test:,}", "test documents of their own")
        if settings.n_test
        else (
            f"{settings.repeats} &times; {settings.folds}",
            "repeats &times; folds of cross-validation",
        )
    )
    figures = [
        (f"{settings.n_documents:,}", "documents"),
        asked,
        (f"{comparison.table().height}", "methods compared"),
        design,
    ]
    items = "".join(
        f"<li><strong>{value}</strong><span>{name}</span></li>" for value, name in figures
    )
    return f'<ul class="facts">{items}</ul>'


def advice(comparison: Comparison) -> str:
    """Return the recommendation with what applies it."""
    found = comparison.recommendation
    terms = [
        ("Why", found.reason),
        ("What to expect", found.gain),
        ("The trade", found.trade),
        ("If you care about something else", found.others),
    ]
    listed = "".join(f"<dt>{name}</dt><dd>{escaped(text)}</dd>" for name, text in terms if text)
    command = (
        f'<h3>On the command line</h3><pre tabindex="0"><code>{code_block(found.command)}</code>'
        "</pre>"
        if found.command
        else ""
    )
    return f"""<section class="advice" aria-labelledby="advice">
<h2 id="advice">What to do</h2>
<p class="headline">{escaped(found.headline)}</p>
<dl>{listed}</dl>
<details><summary>Apply it</summary>
<h3>In Python, with <code>texts</code>, <code>y</code> and <code>new_texts</code></h3>
<pre tabindex="0"><code>{code_block(found.snippet)}</code></pre>
{command}</details>
</section>"""


def warnings(comparison: Comparison) -> str:
    """Return what a reader must know before believing the numbers."""
    if not comparison.warnings:
        return ""
    items = "".join(f"<li>{untrusted(text)}</li>" for text in comparison.warnings)
    return f"""<section aria-labelledby="notes">
<h2 id="notes">Before you believe this</h2><ul class="notes">{items}</ul></section>"""


def recall_precision(comparison: Comparison) -> str:
    """Return the chart of recall against precision with its key."""
    items = []
    for number, method in enumerate(comparison.table()["method"], start=1):
        items.append(f"<li><b>{number}</b>{named_method(method)}</li>")
    label = "Recall against precision of every method, with 95 % intervals; numbers as in the table"
    return f"""<section aria-labelledby="trade">
<h2 id="trade">Recall bought at what precision</h2>
<div class="side">{_figure(charts.recall_precision_chart(comparison), label)}
<ol class="key">{"".join(items)}</ol></div>
<p class="soft">Up: more documents of the class are found. Right: more of the alarms are right.
Lines are 95 % intervals. Numbers are those of the table.</p></section>"""


def gamma(comparison: Comparison) -> str:
    """Return the trade-off of gamma: a slider over charts, figures and synthetic documents."""
    entries = comparison.illustration.get("gammas", [])
    table_rows = {row["method"]: row for row in comparison.table().to_dicts()}
    entries = [entry for entry in entries if entry["method"] in table_rows]
    if not entries:
        return ""
    chosen = _first_shown(comparison, entries)
    frames = "".join(
        _gamma_frame(comparison, entries, i, table_rows[entry["method"]], shown=i == chosen)
        for i, entry in enumerate(entries)
    )
    ticks = "".join(
        f'<option value="{i}" label="{escaped(charts.gamma_label(entry))}"></option>'
        for i, entry in enumerate(entries)
    )
    name = untrusted(comparison.illustration["class"])
    slider = (
        f"""<div class="slider"><label for="gamma">gamma</label>
<input type="range" id="gamma" min="0" max="{len(entries) - 1}" step="1" value="{chosen}"
list="gammas" aria-describedby="gamma-help"><output id="gamma-value" for="gamma">{
            _gamma_words(entries[chosen])
        }</output><datalist id="gammas">{ticks}</datalist></div>"""
        if len(entries) > 1
        else f"<p>{_gamma_words(entries[0])}</p>"
    )
    return f"""<section class="long" aria-labelledby="gamma-title">
<h2 id="gamma-title">How far to extrapolate: gamma</h2>
<p id="gamma-help">Gamma is how much the other classes lend to the synthetic documents of {name}:
with 0 they use the words of the class alone, with 1 every transition counts the same. Move the
slider with the mouse or the arrow keys.</p>
{slider}{frames}</section>"""


def growth(comparison: Comparison) -> str:
    """Return vocabulary growth against Heaps' law."""
    found = comparison.illustration
    if not found:
        return ""
    label = "Vocabulary of the class against its length, with synthetic documents and by Heaps' law"
    return f"""<section aria-labelledby="growth">
<h2 id="growth">New words, against Heaps' law</h2>
{_figure(charts.growth_chart(found), label)}
<p>The thick line is {untrusted(found["class"])} as it is: {found["n_class_words"]:,} different
words in {found["n_class"]:,} training documents of one fold. A class that really grew would gain
words as Heaps' law says (dashed). A gamma whose line runs near it invents about as many words as
new documents would bring; below it, synthetic documents repeat themselves.</p></section>"""


def balance(comparison: Comparison) -> str:
    """Return the chart of class sizes."""
    label = "Number of documents of each class"
    return f"""<section aria-labelledby="balance">
<h2 id="balance">The classes</h2>{_figure(charts.balance_chart(comparison), label)}</section>"""


def method_of_measurement(comparison: Comparison) -> str:
    """Return how the numbers came about, and the signature line."""
    settings = comparison.settings
    if settings.n_test:
        design = (
            f"Every method was trained on all {settings.n_documents:,} documents, "
            f"{settings.repeats} times with different random numbers, and tested on the "
            f"{settings.n_test:,} test documents. Intervals come from a bootstrap of the test "
            "documents."
        )
    else:
        design = (
            f"Cross-validation with {settings.folds} stratified folds, drawn {settings.repeats} "
            "times. Words, idf weights, synthetic documents and thresholds were learnt from the "
            "training side of each fold alone"
            + (", and groups of documents were never split up" if settings.groups else "")
            + ". Folds overlap, so intervals and p-values use the correction of Nadeau and Bengio "
            "(2003)."
        )
    tests = comparison.tests["test"].unique(maintain_order=True).to_list()
    return f"""<section aria-labelledby="how">
<h2 id="how">How this was measured</h2>
<p>{design} Classifier: {untrusted(settings.classifier)}. Oversampling brings a class to a share of
{settings.share:g} of all training documents.</p>
<p>Tests: {escaped("; ".join(tests)) or "none"}. A gain counts as clear if its corrected p is below
0.05 and it is at least 0.01, as likely if p is below 0.1 before correction and it is at least 0.02.
The simplest method that no other beats is recommended.</p>
<p class="signature">{untrusted(comparison.signature)}</p></section>"""


def _gamma_frame(
    comparison: Comparison,
    entries: list[Mapping[str, Any]],
    place: int,
    row: Mapping[str, Any],
    *,
    shown: bool,
) -> str:
    entry = entries[place]
    metric = comparison.settings.metric
    names = list(dict.fromkeys([metric, "recall", "precision"]))
    figures = [(f"{row[name]:.3f}", METRIC_NAMES[name]) for name in names]
    figures += [
        (f"{entry['n_new_words']:,}", "new words for the class"),
        (f"{entry['share_new']:.1%}", "of the synthetic text is new words"),
        (f"{entry['found_by_plain']:.0%}", "of its documents found by the plain model"),
    ]
    items = "".join(
        f"<li><strong>{value}</strong><span>{name}</span></li>" for value, name in figures
    )
    label = (
        f"Recall, precision and the deciding measure against gamma; {_gamma_words(entry)} is marked"
    )
    documents = "".join(_document(example) for example in entry["examples"])
    hidden = "" if shown else " hidden"
    return f"""<div data-gamma="{place}" data-label="{_gamma_words(entry)}"{hidden}>
<div class="side">{_figure(charts.gamma_chart(comparison, entries, place), label)}
<ul class="facts">{items}</ul></div>
<h3>Synthetic documents with {_gamma_words(entry)}</h3>
<p class="soft">Marked words never occur in the class: they were extrapolated from the rest.</p>
<ul class="documents">{documents}</ul></div>"""


def _document(example: Mapping[str, Any]) -> str:
    words = " ".join(
        untrusted(word) if own else f"<mark>{untrusted(word)}</mark>"
        for word, own in example["words"]
    )
    left = example["n_words"] - len(example["words"])
    more = f' <span class="soft">… {left:,} more words</span>' if left > 0 else ""
    verdict = (
        '<span class="right">✓ the plain model puts it into the class</span>'
        if example["right"]
        else '<span class="wrong">✗ the plain model misses it</span>'
    )
    return f"<li>{verdict}<p>{words or '<span class=soft>(no words)</span>'}{more}</p></li>"


def _gamma_words(entry: Mapping[str, Any]) -> str:
    if entry["method"] == "mco":
        return "gamma 0 (MCO)"
    return f"gamma {escaped(charts.gamma_label(entry))}"


def _first_shown(comparison: Comparison, entries: list[Mapping[str, Any]]) -> int:
    """Begin with the recommended gamma, or else with the best one."""
    methods = [entry["method"] for entry in entries]
    if comparison.recommendation.method in methods:
        return methods.index(comparison.recommendation.method)
    means = {
        row["method"]: row[comparison.settings.metric] for row in comparison.table().to_dicts()
    }
    return max(range(len(methods)), key=lambda i: (means[methods[i]], -i))


def _figure(svg: str, label: str) -> str:
    return (
        f'<figure class="chart"><div role="img" aria-label="{escaped(label)}">{svg}</div></figure>'
    )
