"""Templates escape by themselves, and a page allows its own script and nothing else."""

from imbtext._messages import visible
from imbtext.pages._templates import templates


def test_whatever_a_template_prints_is_escaped():
    def shown(template, **values):
        return templates().from_string(template).render(**values)

    assert shown("{{ a }}", a="<a href='x'>&\"") == "&lt;a href=&#39;x&#39;&gt;&amp;&#34;"
    assert shown("{{ a|bdi }}", a="\u200f<b>") == "<bdi>&lt;U+200F&gt;&lt;b&gt;</bdi>"
    assert shown("{{ a|lines }}", a="a\n<b>\x1b") == "a\n&lt;b&gt;&lt;U+001B&gt;"
    words = "<span>a</span> <span>--b</span>\n<span>&lt;c&gt;</span>"
    assert shown("{{ a|commands }}", a="a --b\n<c>") == words
    assert shown("{{ a|tojson }}", a="</script>") == '"\\u003c/script\\u003e"'
    assert visible("naïve 日本 \U0001f600") == "naïve 日本 \U0001f600"
    assert visible("\ud800") == "<U+D800>"
