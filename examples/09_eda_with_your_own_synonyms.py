"""
EDA with synonyms of your own
=============================

EDA changes documents a little: it replaces words by synonyms, inserts, swaps and deletes. By
default the synonyms come from WordNet, which is general English. For another language or field,
pass a mapping or a function.
"""

from imbtext import EDA

reports = [
    "Bremse ohne Druck auf der Autobahn",
    "Pedal fiel durch, Bremse ohne Wirkung",
] + ["Radio ohne Ton", "Licht flackert im Regen", "Fenster klemmt"] * 4
labels = ["Bremse"] * 2 + ["anderes"] * 12
synonyms = {"bremse": ["bremsanlage"], "druck": ["bremsdruck", "kraft"], "autobahn": ["landstraße"]}

eda = EDA(synonyms=synonyms, stopwords={"der", "auf", "im"}, random_state=0)
resampled, y = eda.fit_resample(reports, labels)
for text, parent in zip(resampled[14:19], eda.sample_indices_[14:19]):
    print(f"{reports[parent]:38} -> {text}")

# %%
# Four rates set how much each operation changes.
import matplotlib.pyplot as plt

rates = [0.05, 0.1, 0.2, 0.4]
unchanged = []
for rate in rates:
    eda = EDA(
        synonyms=synonyms,
        stopwords=None,
        alpha_sr=rate,
        alpha_ri=rate,
        alpha_rs=rate,
        p_rd=rate,
        sampling_strategy={"Bremse": 102},
        random_state=0,
    )
    resampled, _ = eda.fit_resample(reports, labels)
    old = [
        set(reports[parent].lower().replace(",", "").split()) for parent in eda.sample_indices_[14:]
    ]
    new = [set(text.split()) for text in resampled[14:]]
    unchanged.append(sum(len(a & b) / len(a) for a, b in zip(old, new)) / len(new))
figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
axis.plot(rates, unchanged, marker="o")
axis.set(
    xlabel="rate of all four operations", ylabel="share of the original words kept", ylim=(0, 1)
)
axis.grid(alpha=0.3)
plt.show()
