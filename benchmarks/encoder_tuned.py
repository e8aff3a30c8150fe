"""What tuning the encoder reaches: SetFit's way, and plain fine-tuning of all its weights.

The same classes, draws and documents as in benchmarks/encoder.py, on a part that a GPU can bear:
four data sets, 5 and 20 documents of the class. SetFit's way is contrastive training on pairs (20
rounds, ten times as many others as documents of the class, batches of 16, rate 2e-5), then balanced
logistic regression on the tuned vectors. Fine-tuning trains a linear head (rate 1e-3) and all
weights (5e-5) for three passes over the others, half of each batch of the class. Beside them stands
logistic regression on the vectors as they are. Texts are cut at 1,300 characters and 128 tokens.

`--package` runs the package setfit instead, with its Trainer and its defaults but for the number of
rounds (20) and a balanced head, on pairs of the same documents, because its defaults would pair
each document with every other. Its own head stands beside one that all documents train.

It needs torch and sentence-transformers, and FOLDER with all-MiniLM-L6-v2 as that package reads it.

    python benchmarks/encoder_tuned.py FOLDER [--out results/encoder] [--cases N] [--package]

With --package, cases go to setfit.csv one by one, so that a run may be stopped.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
import torch
from sentence_transformers import SentenceTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score

from encoder import tasks

TITLES = ("HuffPost headlines", "Reuters headlines", "HuffPost texts", "newsgroups")
SIZES, CHARACTERS, TOKENS, BATCH = (5, 20), 1300, 128, 16
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def fresh(folder: str) -> SentenceTransformer:
    """Return the encoder as it is published."""
    model = SentenceTransformer(folder, device=DEVICE)
    model.max_seq_length = TOKENS
    return model


def encoded(model: SentenceTransformer, texts: list[str]) -> np.ndarray:
    """Return vectors of unit length."""
    return model.encode(texts, batch_size=256, normalize_embeddings=True, show_progress_bar=False)


def with_gradient(model: SentenceTransformer, texts: list[str]) -> torch.Tensor:
    """Return vectors that can be learnt from."""
    read = getattr(model, "preprocess", None) or model.tokenize
    given = {k: v.to(DEVICE) if torch.is_tensor(v) else v for k, v in read(texts).items()}
    return model(given)["sentence_embedding"]


def trained(model, groups, batches, loss_of) -> None:
    """Train on the batches, the rate rising for a tenth of them and then falling to 0."""
    optimizer, n = torch.optim.AdamW(groups), len(batches)
    warm = max(1, n // 10)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda i: min(1, (i + 1) / warm) * max(0.0, 1 - i / n)
    )
    model.train()
    for batch in batches:
        loss = loss_of(batch)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    model.eval()


def logistic(train: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Return the scores of balanced logistic regression."""
    model = LogisticRegression(class_weight="balanced", max_iter=1000)
    return model.fit(train, y).decision_function(new)


def setfit_way(folder, texts, y, rng, new) -> np.ndarray:
    """Return scores after contrastive training on pairs."""
    model = fresh(folder)
    inside = np.flatnonzero(y)
    outside = rng.permutation(np.flatnonzero(~y))[: 10 * len(inside)]
    pairs = []
    for _ in range(20):
        for i in np.concatenate([inside, outside]):
            same, other = (inside, outside) if y[i] else (outside, inside)
            pairs += [(i, rng.choice(same), 1.0), (i, rng.choice(other), 0.0)]
    pairs = [pairs[i] for i in rng.permutation(len(pairs))]
    batches = [pairs[i : i + BATCH] for i in range(0, len(pairs) - BATCH + 1, BATCH)]

    def loss_of(batch):
        first, second = ([texts[pair[k]] for pair in batch] for k in (0, 1))
        vectors = with_gradient(model, first + second)
        alike = torch.nn.functional.cosine_similarity(vectors[:BATCH], vectors[BATCH:])
        return ((alike - torch.tensor([pair[2] for pair in batch], device=DEVICE)) ** 2).mean()

    trained(model, [{"params": model.parameters(), "lr": 2e-5}], batches, loss_of)
    return logistic(encoded(model, texts), y, encoded(model, new))


def setfit_package(folder, texts, y, rng, new) -> dict[str, float]:
    """Return scores of the package's own head, and of one that all documents train."""
    from setfit import SetFitModel, Trainer, TrainingArguments

    from datasets import Dataset

    model = SetFitModel.from_pretrained(folder, head_params={"class_weight": "balanced"})
    model.model_body.max_seq_length = TOKENS
    inside = np.flatnonzero(y)
    outside = rng.permutation(np.flatnonzero(~y))[: 10 * len(inside)]
    rows = np.concatenate([inside, outside])
    given = Dataset.from_dict({"text": [texts[i] for i in rows], "label": y[rows].astype(int)})
    with tempfile.TemporaryDirectory() as scratch:
        settings = TrainingArguments(
            scratch, batch_size=BATCH, num_iterations=20, save_strategy="no", report_to="none"
        )
        Trainer(model, args=settings, train_dataset=given).train()
    of_new = encoded(model.model_body, new)
    return {
        "own_head": model.model_head.predict_proba(of_new)[:, 1],
        "all_documents": logistic(encoded(model.model_body, texts), y, of_new),
    }


def fine_tuned(folder, texts, y, rng, new) -> np.ndarray:
    """Return scores of a linear head that was trained with all weights below it."""
    model = fresh(folder)
    head = torch.nn.Linear(model.get_sentence_embedding_dimension(), 1).to(DEVICE)
    inside, outside = np.flatnonzero(y), np.flatnonzero(~y)
    batches = [
        np.concatenate([rng.choice(inside, BATCH), rng.choice(outside, BATCH)])
        for _ in range(3 * len(outside) // BATCH)
    ]
    truth = torch.tensor([1.0] * BATCH + [0.0] * BATCH, device=DEVICE)

    def loss_of(rows):
        scores = head(with_gradient(model, [texts[i] for i in rows]))[:, 0]
        return torch.nn.functional.binary_cross_entropy_with_logits(scores, truth)

    groups = [{"params": model.parameters(), "lr": 5e-5}, {"params": head.parameters(), "lr": 1e-3}]
    trained(model, groups, batches, loss_of)
    with torch.no_grad():
        return head(torch.tensor(encoded(model, new), device=DEVICE))[:, 0].cpu().numpy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--cases", type=int, help="stop after this many")
    parser.add_argument("--package", action="store_true", help="run the package setfit instead")
    options = parser.parse_args()
    rows = []
    for size, place, title in [(s, p, t) for s in SIZES for p in range(4) for t in TITLES]:
        texts, tested, found = tasks(title)
        task = found[place]
        inside = task.inside[np.random.default_rng(0).permutation(len(task.inside))[:size]]
        learnt = np.concatenate([inside, task.others])
        train, new = ([texts[i][:CHARACTERS] for i in rows_] for rows_ in (learnt, tested))
        y, true = np.arange(len(learnt)) < size, task.is_class[tested]
        row = {"dataset": title, "label": task.name, "n_class": size, "draw": 0}
        if options.package:
            start = time.process_time()
            rng = np.random.default_rng(0)
            for head, scores in setfit_package(options.folder, train, y, rng, new).items():
                row[head] = round(average_precision_score(true, scores), 4)
            row["cpu_seconds"] = round(time.process_time() - start, 1)
            rows.append(row)
            print(*row.values(), sep="  ", flush=True)
            if options.out:
                pl.DataFrame(rows).write_csv(options.out / "setfit.csv")
            if len(rows) == options.cases:
                break
            continue
        plain = fresh(options.folder)
        scores = logistic(encoded(plain, train), y, encoded(plain, new))
        row["lr"] = round(average_precision_score(true, scores), 4)
        for name, tune in (("setfit", setfit_way), ("plain", fine_tuned)):
            start = time.perf_counter()
            scores = tune(options.folder, train, y, np.random.default_rng(0), new)
            row[name] = round(average_precision_score(true, scores), 4)
            row[f"{name}_seconds"] = round(time.perf_counter() - start, 1)
        rows.append(row)
        print(*row.values(), sep="  ", flush=True)
        if len(rows) == options.cases:
            break
    if options.out and not options.package:
        pl.DataFrame(rows).write_csv(options.out / "tuned.csv")


if __name__ == "__main__":
    main()
