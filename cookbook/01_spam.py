"""
Spam in messages
================

**The job.** A few messages in a hundred are spam. To hold back a good message is worse than to let
spam through, so nine of ten alarms must be right.

**The data.** 3,000 invented chat messages: lunch, trains and meetings, and 4 in 100 that sell
something. Some spam hides behind a friendly line, and some friends write about prizes, too.
"""

import random

import matplotlib.pyplot as plt
from sklearn.metrics import precision_score, recall_score

from imbtext import RareTextClassifier

PEOPLE = "Ana Ben Carla Dov Eli Fay Gus Hana Ivo Jun Kim Leo Mia Ned Ola Pia".split()
FRIENDLY = (
    "{p}, lunch at {n} {d}?", "the {n} train is late again, start without me {p}",
    "did you win the raffle {d}? {p} says the prize was a cake", "can you send me the link {p}",
    "{p} your account of the trip is great, reply when you read this", "call me {d}, it is urgent",
    "free {d}? {p} has {n} tickets for the match", "i owe you {n} euro, will pay {d}",
    "meeting moved to {n}, room is free {d}", "happy birthday {p}!! claim your hug {d}",
)  # fmt: skip
SPAM = (
    "you win {n}00 euro, claim the prize {d} at the link", "urgent: your account is on hold, reply {n}",
    "free {n} day trial, send STOP to end", "cheap watches, {n}0 off {d} only, reply now",
    "dear {p}, a friend invites you to earn {n}00 a week from home", "final notice: pay {n} {d} or call",
    "hi {p}, this is my new number, can you send me the code you get?",
)  # fmt: skip
EITHER = (  # who writes it decides, and that is not in the text
    "call me {d}, it is urgent", "can you send me the link", "hi {p}, this is my new number",
    "did you get the {n} euro?", "reply when you read this",
)  # fmt: skip
TAILS = ("", "", "ok?", "thanks", "see you {d}", "{p} knows more", "do not tell {p}", "lol", "x")
DAYS = ("today", "tomorrow", "monday", "tonight", "on friday", "this week")


def made_messages(number, seed):
    rng = random.Random(seed)
    rows = []
    for _ in range(number):
        spam = rng.random() < 0.04
        parts = [rng.choice(SPAM if spam else FRIENDLY), rng.choice(TAILS)]
        if rng.random() < (0.25 if spam else 0.1):
            parts[0] = rng.choice(EITHER)
        if rng.random() < 0.6:
            parts.insert(rng.randint(0, 1), rng.choice(FRIENDLY))
        text = " ".join(parts)
        person = f"{rng.choice(PEOPLE)} {rng.choice(PEOPLE)}{rng.choice(PEOPLE).lower()}"
        words = {"p": person, "n": rng.randint(2, 12), "d": rng.choice(DAYS)}
        rows.append((text.format(**words), "spam" if spam else "fine"))
    return zip(*rows, strict=True)


texts, labels = made_messages(3000, seed=0)
new_texts, new_labels = made_messages(3000, seed=1)
print(f"{labels.count('spam')} of {len(labels)} messages are spam, such as:")
print(texts[labels.index("spam")])

# %%
# Train for the goal itself
# -------------------------
# ``recall_at_precision(0.9)`` finds as much as it can while nine of ten alarms are right.
model = RareTextClassifier("recall_at_precision(0.9)", pos_label="spam", random_state=0)
model.fit(texts, labels)
print("\n".join(model.expectation_[0].sentences()))

# %%
# Did it keep its word?
# ---------------------
decisions = model.predict(new_texts)
precision = precision_score(new_labels, decisions, pos_label="spam")
recall = recall_score(new_labels, decisions, pos_label="spam")
print(
    f"on new messages: {precision:.0%} of the alarms are right, {recall:.0%} of the spam is found"
)

# %%
# Which words decided
# -------------------
explanation = model.explain("dear Kim, claim your prize today, reply now")
words, weights = zip(*reversed(explanation.parts[:8]), strict=True)
figure, axis = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
axis.barh(words, weights, color=["tab:blue" if w > 0 else "tab:orange" for w in weights])
axis.set(xlabel="what it adds to the score: blue for spam, orange against")
plt.show()

# %%
# What was learnt
# ---------------
# Train for the goal that you have, such as "nine of ten alarms right". The model says beforehand what
# it costs: the share of spam that gets through. Invented messages are easier than real ones. Run the
# same lines on your own messages to get your numbers.
