"""Write tickets.csv and june.csv, the invented tables of the first page and of some cookbook pages.

    python tickets.py [--clean]

The tickets are made up: customers of a payment service write about lost passwords, late refunds and
double charges, and a few of them report fraud. The table is as messy as real ones are: semicolons,
labels in three spellings and many without one, two columns of text, an amount that is often
missing, a date. In June a new trick goes around, so that there is something to notice. With --clean
there are commas between cells, and every ticket has a label in its one spelling.

It needs nothing but Python, and the same seed writes the same file.
"""

import csv
import random
import sys
from datetime import date, timedelta
from pathlib import Path

COLUMNS = ("id", "opened", "subject", "body", "amount", "country", "fraud")

SHOPS = (
    "Northwind", "Bookbarn", "Hotel Alma", "Velo24", "Lumen", "Teahouse", "Gardenia", "Pixelshop",
    "FlyOut", "Parkwell", "Mensa", "Soundbay", "Kitchenry", "Streamly", "Gymnasia", "Tool Depot",
)  # fmt: skip
PLACES = (
    "in Lisbon", "in Riga", "in Manila", "in Leeds", "in Oslo", "near Turin", "at the airport",
    "online", "in the app", "on my phone", "at a petrol station", "abroad",
)  # fmt: skip
TIMES = (
    "yesterday", "this morning", "on Monday", "last night", "two days ago", "on the weekend",
    "an hour ago", "last week", "on the 3rd", "at 2 am", "while I was asleep", "after lunch",
)  # fmt: skip
OPENINGS = (
    "Hello,", "Hi team,", "Dear support,", "Good morning,", "", "", "I hope you can help.",
    "I have been a customer for {n} years.", "This is message number {n}.", "Sorry to bother you.",
)  # fmt: skip
CLOSINGS = (
    "Thanks.", "Please call me back.", "Please advise.", "Regards", "", "", "What should I do now?",
    "Can you look into it?", "I am quite upset.", "I attach a screenshot.", "No rush.",
    "I need this solved today.", "My number is on file.", "Greetings from {town}",
)  # fmt: skip
# People and towns get names of their own, as in real text: many words come only once.
SYLLABLES = (
    "ba", "del", "fo", "gra", "hin", "jo", "kar", "lem", "mo", "nys", "ol", "pet", "ri", "sun",
    "tor", "ul", "ven", "wes", "yam", "zel",
)  # fmt: skip

# A ticket is a story and a detail. Both are drawn from their own list, so that words alone seldom
# decide: ordinary customers also have cards, codes, payments and strangers.
FRAUD = {
    "card": (
        ("Payment I did not make", "Unknown transaction", "Charge from {shop}", "Card problem"),
        (
            "There is a payment of {amount} to {shop} that I did not make.",
            "I see {amount} at {shop} {time} and I was never there.",
            "Someone paid {amount} {place} with my card, I still have the card here.",
            "Three purchases {place} {time}, none of them are mine.",
            "My statement lists {shop} {time}. I do not know this shop and I bought nothing.",
        ),
    ),
    "caller": (
        ("Call from your department", "Strange call", "Was that you?", "Question about a call"),
        (
            "A man called {time}, said he was from your security team and asked for my code.",
            "I gave the number on the screen to a caller {time}, now {amount} is gone.",
            "A lady on the phone made me install a program and then moved {amount}.",
            "The caller knew my name and my balance, so I read him the code from the message.",
        ),
    ),
    "account": (
        ("Cannot get in", "Account changed", "New phone number?", "Password"),
        (
            "My password and the phone number were changed {time} and it was not me.",
            "I got a mail that a new device was added {place}. I have no such device.",
            "Somebody logged in {place} {time} and sent {amount} to a name I do not know.",
            "I am locked out, and my sister received a request for {amount} in my name.",
        ),
    ),
    "seller": (
        ("Seller does not answer", "Paid and nothing came", "{shop} order", "Refund"),
        (
            "I paid {amount} to a private seller {time}, the profile is deleted since.",
            "The flat does not exist, and the landlord has my deposit of {amount}.",
            "The shop {shop} is a copy of the real one, I lost {amount} there.",
            "He sent a fake confirmation in your design and I shipped the camera.",
        ),
    ),
}
ORDINARY = {
    "refund": (
        ("Refund", "{shop} order", "Where is my refund", "Money back"),
        (
            "{shop} says the refund of {amount} was sent {time}, I do not see it.",
            "I returned the shoes {time} and wait for {amount} since.",
            "The seller at {shop} agreed to pay back {amount}, how long does it take?",
            "The order from {shop} never came, the seller is looking into it.",
        ),
    ),
    "charge": (
        ("Charged twice", "Charge from {shop}", "Wrong amount", "Unknown fee"),
        (
            "{shop} charged me {amount} two times {time}.",
            "The hotel took {amount} instead of the price we agreed.",
            "There is a fee of {amount} that I do not understand.",
            "I see a payment to {shop} {time}, my wife says it was her, so all good, but why two?",
            "I did not recognise {shop} on my statement, it is the parking company, please rename it.",
        ),
    ),
    "login": (
        ("Cannot get in", "Password", "Code does not arrive", "New phone number?"),
        (
            "I have a new phone and the code still goes to the old number.",
            "I forgot my password and the mail to reset it does not arrive.",
            "The app asks for a code {time} again and again.",
            "I changed my number {time}, please change it in the account, too.",
            "I logged in {place} and the app blocked me, that was me.",
        ),
    ),
    "card": (
        ("Card problem", "Card declined", "New card", "Lost card"),
        (
            "My card was declined {place} {time} although there is enough money.",
            "The new card has not arrived, the old one ends this month.",
            "I left my card {place} {time}, found it again, please unblock it.",
            "Can I pay {amount} {place} with this card?",
        ),
    ),
    "transfer": (
        ("Transfer", "Sent to the wrong person", "Limit", "Money has not arrived"),
        (
            "I sent {amount} to the wrong friend {time}, can you call it back?",
            "My transfer of {amount} is pending since {time}.",
            "I would like a higher limit, I have to pay {amount} for a flat.",
            "My brother sent {amount} {time} and it has not arrived.",
        ),
    ),
    "question": (
        ("Question", "Business account", "Question about a call", "Statement"),
        (
            "Do you offer an account for a small shop?",
            "I need a statement for {time} for my taxes.",
            "Your colleague called {time} about my documents, please call again.",
            "I got a survey from you by mail, is it real?",
            "How do I close my account?",
        ),
    ),
    "false alarm": (
        ("Unknown transaction", "Was that you?", "Payment I did not make", "Strange call"),
        (
            "Someone paid {amount} {place} {time}, it turned out that my son has the card.",
            "A man called {time} from your security team, I rang back and it was really you.",
            "I got a mail that a new device was added, that is my new tablet.",
            "I thought the shop {shop} was fake, but the parcel came {time}.",
            "I did not make the payment of {amount} to {shop}, my husband did, please ignore.",
        ),
    ),
}
# What a ticket is about is sometimes between the lines.
VAGUE = (
    "Please look at my account {time}, something is wrong.",
    "I need to talk to somebody about {amount} to {shop}.",
    "See the attachment, it is about {shop} {time}.",
    "I would like to speak about a payment {place}.",
)
NEW_TRICK = {
    "parcel": (
        ("Parcel message", "Text about a parcel", "Customs", "Question"),
        (
            "A text said my parcel waits at customs, I opened the link and paid 1.99.",
            "I scanned the square code on the charging column and entered my data there.",
            "The parcel link asked for my card, and {time} {amount} went to {shop}.",
            "After a message about a delivery fee somebody added my card to a wallet {place}.",
        ),
    ),
}
DETAILS = (
    "It was {amount} in total.", "The reference is {n}{n}41{n}.", "This happened {time}.",
    "I was {place} {time}.", "The app shows nothing.", "I have the mail from {shop}.",
    "I talked to {shop} already.", "My bank says to ask you.", "It says pending.",
    "The police gave me a number.", "I use the app every day.", "I blocked the card myself.",
    "I have not shared my code.", "A friend had the same.", "Nobody else uses my phone.",
)  # fmt: skip
FRAUD_DETAILS = (
    "I reported it to the police.", "I did not approve this.", "I want to dispute it.",
    "It was not me.", "I think this is a scam.", "Please stop the payment.",
)  # fmt: skip


def made_tickets(
    number: int = 3000,
    *,
    seed: int = 0,
    first: date = date(2025, 1, 1),
    days: int = 150,
    fraud_share: float = 0.04,
    new_trick: float = 0.0,
) -> list[dict[str, str]]:
    """Return tickets as rows; `new_trick` is the share of fraud that is of a kind not seen before."""
    rng = random.Random(seed)
    rows = []
    for _ in range(number):
        is_fraud = rng.random() < fraud_share
        stories = ORDINARY
        if is_fraud:
            stories = NEW_TRICK if rng.random() < new_trick else FRAUD
        rows.append(_ticket(rng, stories, is_fraud, first + timedelta(rng.randrange(days))))
    rows.sort(key=lambda row: row["opened"])
    start = first.toordinal() * 7
    return [{"id": f"T{start + i}", **row} for i, row in enumerate(rows)]


def _ticket(
    rng: random.Random, stories: dict[str, tuple], is_fraud: bool, opened: date
) -> dict[str, str]:
    subjects, bodies = stories[rng.choice(sorted(stories))]
    if rng.random() < 0.15:
        bodies = VAGUE
    amount = rng.lognormvariate(5.2 if is_fraud else 4.0, 0.9)
    details = rng.sample(DETAILS, rng.choice((1, 2, 2)))
    if rng.random() < (0.35 if is_fraud else 0.03):
        details.append(rng.choice(FRAUD_DETAILS))
    parts = [rng.choice(OPENINGS), rng.choice(bodies), *details, rng.choice(CLOSINGS), "{name}"]
    slots = {
        "amount": f"{amount:.2f} euro" if rng.random() < 0.7 else "a lot of money",
        "shop": rng.choice(SHOPS),
        "place": rng.choice(PLACES),
        "town": _name(rng),
        "name": f"{_name(rng)} {_name(rng)}",
        "time": rng.choice(TIMES),
        "n": str(rng.randint(2, 9)),
    }
    return {
        "opened": opened.isoformat(),
        "subject": rng.choice(subjects).format(**slots),
        "body": " ".join(part for part in parts if part).format(**slots),
        "amount": f"{amount:.2f}" if rng.random() < 0.6 else "",
        "country": rng.choice(("DE", "FR", "PT", "LV", "")),
        "fraud": _label(rng, is_fraud),
    }


def _name(rng: random.Random) -> str:
    return "".join(rng.choices(SYLLABLES, k=rng.choice((2, 3)))).capitalize()


def _label(rng: random.Random, is_fraud: bool) -> str:
    # Clerks spell as they like, err now and then, and leave many tickets without a word.
    if rng.random() < 0.15:
        return ""
    if rng.random() < (0.03 if is_fraud else 0.001):
        is_fraud = not is_fraud
    return rng.choice(("yes", "yes", "YES", " yes") if is_fraud else ("no", "no", "No"))


def cleaned(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the rows that have a label, each label in its one spelling."""
    return [{**row, "fraud": label} for row in rows if (label := row["fraud"].strip().lower())]


def write_table(
    path: Path,
    rows: list[dict[str, str]],
    columns: tuple[str, ...] = COLUMNS,
    delimiter: str = ";",
) -> None:
    """Write rows, with semicolons as spreadsheets of half the world do."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, columns, delimiter=delimiter, extrasaction="ignore")
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    june = made_tickets(
        600, seed=1, first=date(2025, 6, 1), days=30, fraud_share=0.1, new_trick=0.8
    )
    for name, rows in (("tickets.csv", made_tickets()), ("june.csv", june)):
        if "--clean" in sys.argv[1:]:
            write_table(Path(name), cleaned(rows), delimiter=",")
        else:
            write_table(Path(name), rows)
