"""Stems: those of PyStemmer, or the same without it."""

import subprocess
import sys

import pytest

from imbtext.documents._languages import stem_words

WORDS = {
    "english": ["running", "easily", "generously", "opec's", "barrels", "skies", "dying"],
    "german": ["läuft", "laufen", "Häuser", "häusern", "aufgeregtesten", "straßen"],
    "finnish": ["taloissammekin", "juoksemassa", "kirjoittautuminen", "edeltäjiinsä"],
    "russian": ["нефти", "нефтью", "добывающих", "баррелей"],
}
PROGRAM = """
import sys
sys.modules["Stemmer"] = None
from imbtext.documents._languages import languages_with_stems, stem_words
assert "english" in languages_with_stems()
sys.stdout.reconfigure(encoding="utf-8")
print(*stem_words(sys.argv[2:], sys.argv[1]))
"""


@pytest.mark.parametrize("language", WORDS)
def test_without_pystemmer_the_stems_are_the_same(language):
    command = [sys.executable, "-c", PROGRAM, language, *WORDS[language]]
    run = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    assert run.stdout.split() == stem_words(WORDS[language], language)
