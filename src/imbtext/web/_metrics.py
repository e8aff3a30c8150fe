"""What a served model counts, for Prometheus.

If there are several workers, each counts for itself, and any of them may answer Prometheus. So they
count in files of a shared folder, as prometheus-client does if ``MULTIPROCESS`` names one before it
is imported. The module stands alone so that the order of these imports is in one place.
"""

import os
from typing import Final

import numpy as np
from numpy.typing import NDArray

MULTIPROCESS: Final = "PROMETHEUS_MULTIPROC_DIR"
_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class ServiceMetrics:
    """Requests, documents, alarms, known words and seconds.

    The share of unknown words is ``imbtext_unknown_word_share_sum`` by
    ``imbtext_unknown_word_share_count``, a mean over documents that have words.
    """

    def __init__(self, labels: list[str]) -> None:
        from prometheus_client import CollectorRegistry, Counter, Histogram, Summary

        self.registry = CollectorRegistry()
        self.requests = Counter(
            "imbtext_requests",
            "Requests answered, by path and status.",
            ["path", "status"],
            registry=self.registry,
        )
        self.documents = Counter(
            "imbtext_documents", "Documents predicted.", registry=self.registry
        )
        self.alarms = Counter(
            "imbtext_alarms",
            "Documents put into a class that is looked for.",
            ["label"],
            registry=self.registry,
        )
        self.unknown = Summary(
            "imbtext_unknown_word_share",
            "Share of a document's words that the model does not know.",
            registry=self.registry,
        )
        self.seconds = Histogram(
            "imbtext_predict_seconds",
            "Time from a request's last byte to its answer.",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._labels = [self.alarms.labels(label) for label in labels]

    def count_documents(
        self,
        n_documents: int,
        n_alarms: NDArray[np.int64],
        known_shares: NDArray[np.float64] | None,
    ) -> None:
        """Count documents that were predicted."""
        self.documents.inc(n_documents)
        for alarms, n in zip(self._labels, n_alarms.tolist(), strict=True):
            alarms.inc(n)
        if known_shares is not None:
            for share in known_shares[~np.isnan(known_shares)].tolist():
                self.unknown.observe(1 - share)

    def page(self) -> tuple[bytes, str]:
        """Return the metrics of all workers in Prometheus form, and their content type."""
        from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

        registry = self.registry
        if MULTIPROCESS in os.environ:
            from prometheus_client.multiprocess import MultiProcessCollector

            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry), CONTENT_TYPE_LATEST
