"""
Two languages in one table
==========================

**The job.** Half of the logs are in English, half in German. One model or two?

**The data.** Invented repair logs in both languages; 5 in 100 report an injury.
"""

import random

import matplotlib.pyplot as plt
from sklearn.metrics import average_precision_score

from imbtext import RareTextClassifier

ENGLISH = {
    True: ("worker cut his {b} at the {m}", "{m} caught a sleeve, {b} bruised", "burnt {b} while cleaning the {m}",
           "slipped beside the {m}, hurt the {b}", "first aid for a {b} after work on the {m}"),
    False: ("{m} stopped, belt replaced", "oil leak at the {m}, floor cleaned", "{m} too hot, fan cleaned",
            "sensor of the {m} replaced after a false reading", "{m} cuts crooked, blade changed",
            "guard of the {m} loose, screws tightened", "noise at the {m}, bearing greased"),
    "b": ("finger", "hand", "arm", "foot", "back"), "m": ("press", "saw", "conveyor", "lathe", "forklift", "mixer"),
    "end": ("shift {n}", "line {n}", "reported at {n}", "see photo {n}", "again", "no stop", "part {n} ordered"),
}  # fmt: skip
GERMAN = {
    True: ("Mitarbeiter schnitt sich in {b} an der {m}", "{m} erfasste den Ärmel, {b} geprellt",
           "{b} verbrannt beim Reinigen der {m}", "neben der {m} ausgerutscht, {b} verletzt",
           "Erste Hilfe für {b} nach Arbeit an der {m}"),
    False: ("{m} steht, Riemen getauscht", "Ölfleck an der {m}, Boden gereinigt", "{m} zu heiß, Lüfter gereinigt",
            "Sensor der {m} nach Fehlmessung getauscht", "{m} schneidet schief, Blatt gewechselt",
            "Schutz der {m} lose, Schrauben angezogen", "Geräusch an der {m}, Lager gefettet"),
    "b": ("Finger", "Hand", "Arm", "Fuß", "Rücken"), "m": ("Presse", "Säge", "Förderanlage", "Drehbank", "Mischmaschine"),
    "end": ("Schicht {n}", "Linie {n}", "gemeldet um {n}", "siehe Foto {n}", "erneut", "kein Stopp", "Teil {n} bestellt"),
}  # fmt: skip


def made_logs(number, seed):
    rng = random.Random(seed)
    for _ in range(number):
        language = rng.choice((ENGLISH, GERMAN))
        injury = rng.random() < 0.05
        story = rng.choice(language[injury])
        if rng.random() < 0.12:  # some say next to nothing
            story = rng.choice(("{m}, {b}", "{m}"))
        text = f"{story}, {rng.choice(language['end'])}, {rng.choice(language['end'])}"
        words = {"b": rng.choice(language["b"]), "m": rng.choice(language["m"])}
        yield text.format(**words, n=rng.randint(1, 30)), injury, language is GERMAN


texts, labels, in_german = zip(*made_logs(2000, seed=0))
new_texts, new_labels, new_in_german = zip(*made_logs(2000, seed=1))

# %%
# One model of all, one model per language
# ----------------------------------------
# The model of both languages leaves words as they are (``language=None``). The others use the stems of
# their language. ``language="auto"`` would choose by itself.


def score(model, of_german=None):
    pairs = [
        (text, label)
        for text, label, german in zip(new_texts, new_labels, new_in_german)
        if of_german is None or german == of_german
    ]
    chosen, truth = zip(*pairs)
    return average_precision_score(truth, model.decision_function(list(chosen)))


both = RareTextClassifier(language=None, pos_label=True, random_state=0).fit(texts, labels)
results = {"one model": [score(both, False), score(both, True)]}
own = []
for german, language in ((False, "english"), (True, "german")):
    rows = [i for i, is_german in enumerate(in_german) if is_german == german]
    model = RareTextClassifier(language=language, pos_label=True, random_state=0)
    model.fit([texts[i] for i in rows], [labels[i] for i in rows])
    own.append(score(model, german))
results["a model for each"] = own
for name, (english, german) in results.items():
    print(f"{name:17} average precision: English {english:.3f}, German {german:.3f}")

# %%
figure, axis = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
for i, (name, values) in enumerate(results.items()):
    axis.bar([j + 0.35 * i for j in range(2)], values, width=0.33, label=name)
axis.set_xticks([0.175, 1.175], ["English", "German"])
axis.set(ylabel="average precision on new logs", ylim=(0, 1.05))
axis.legend(loc="lower right")
plt.show()

# %%
# What was learnt
# ---------------
# One model of both languages does about as well as one for each. The languages share few words, so a
# linear model keeps them apart. Two models are more work and halve the documents of the class.
