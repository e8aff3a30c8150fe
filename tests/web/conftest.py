"""What tests of the labelling page share: a session over some texts, and the page of it."""

from collections.abc import Callable

import pytest

TOKEN = "a-token-of-the-tests"


@pytest.fixture
def labelling_page(tmp_path) -> Callable:
    """Return a function from texts to a session and its application, for one labeller, anna."""
    from imbtext.labelling._session import LabellingSession
    from imbtext.web import Limits
    from imbtext.web._labelling import LabellingPage

    opened = []

    def make(cells, **options):
        session = LabellingSession(tmp_path / "labels.csv", cells, **options)
        opened.append(session)
        page = LabellingPage(
            session,
            name="<b>pool.csv",
            model=tmp_path / "labels.model",
            labeller="anna",
            train_command="imbtext label pool.csv -o labels.csv --train",
            predict_command="imbtext predict labels.model NEW.csv -o OUT.csv",
        )
        app = page.application(
            token=TOKEN,
            hosts=("127.0.0.1",),
            limits=Limits(seconds=600),  # a busy machine is no failure
        )
        app.state.page = page
        return session, app

    yield make
    for session in opened:
        session.close()
