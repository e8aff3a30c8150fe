"""What can go wrong when a model is asked."""


class PromptingError(RuntimeError):
    """The model could not be asked, or its answers are of no use; the message says what to do."""
