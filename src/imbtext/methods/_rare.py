"""`RareTextClassifier` as a method: documents in, its own features, ranking and threshold."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imbtext.classification import RareTextClassifier
from imbtext.classification._sources import ReadDocuments
from imbtext.methods._request import Request


@dataclass(frozen=True)
class RareDocuments:
    """Fits a `RareTextClassifier` that finds the class of a request."""

    metric: str
    features: str

    def __call__(
        self, request: Request, groups: NDArray[np.int64] | None = None
    ) -> RareTextClassifier:
        """Train on the documents of the request; those of a group are held out together."""
        model = RareTextClassifier(
            self.metric,
            features=self.features,
            pos_label=True,
            random_state=request.seed % 2**32,
        )
        read = request.data.share("read documents", lambda: ReadDocuments(request.data.texts))
        return model.fit(read, request.is_class, groups=groups)
