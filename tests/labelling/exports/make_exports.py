"""Write the exports of this folder with the classes of the tools' own packages.

It runs in an environment of its own, not in the project's: README.md says how.
"""

import json
import os
import sys
from pathlib import Path
from types import ModuleType
from uuid import UUID

HERE = Path(__file__).parent
# Text, abstract, and what was decided: of the class, not of it, or not read.
DOCUMENTS = [
    ("My card was stolen in Lyon", "Somebody paid with it twice.", True),
    ("Two payments I never made", "Both are from last night.", True),
    ("How do I change my address?", "I have moved house.", False),
    ("The app is slow", "It takes a minute to open.", False),
    ("Where is your branch?", "I cannot find it.", None),
]


def label_studio():
    from label_studio_sdk.label_interface import LabelInterface
    from label_studio_sdk.label_interface.objects import AnnotationValue, TaskValue

    interface = LabelInterface(
        '<View><Text name="text" value="$body"/><Choices name="label" toName="text">'
        '<Choice value="fraud"/><Choice value="other"/></Choices></View>'
    )
    control = interface.get_control("label")
    tasks = []
    for number, (text, _, is_class) in enumerate(DOCUMENTS, 1):
        annotations = []
        if is_class is not None:
            region = control.label(label="fraud" if is_class else "other")
            annotations.append(AnnotationValue(completed_by=1, result=[region]))
        task = TaskValue(data={"body": text}, annotations=annotations)
        tasks.append({"id": number, **task.model_dump()})
    write("label_studio.json", json.dumps(tasks, indent=1))


def doccano():
    models = ModuleType("data_export.models")
    models.DATA = "data"  # the rest of that module is database tables
    sys.modules["data_export.models"] = models
    import backend
    import pandas as pd

    sys.path.insert(0, os.fspath(next(iter(backend.__path__))))
    from data_export.pipeline.formatters import ListedCategoryFormatter, RenameFormatter
    from data_export.pipeline.writers import JsonlWriter

    class Category:
        def __init__(self, name):
            self.name = name

        def to_string(self):
            return self.name

    names = {True: ["fraud"], False: ["other"], None: []}
    rows = [
        {"id": i, "data": text, "categories": [*map(Category, names[is_class])], "Comments": []}
        for i, (text, _, is_class) in enumerate(DOCUMENTS, 1)
    ]
    table = ListedCategoryFormatter("categories").format(pd.DataFrame(rows))
    table = RenameFormatter(data="text", categories="label").format(table)
    JsonlWriter.write(HERE / "doccano.jsonl", table)


def argilla():
    import argilla as rg
    from argilla.records._io import JsonIO

    records = []
    for number, (text, _, is_class) in enumerate(DOCUMENTS, 1):
        value = "fraud" if is_class else "other"
        said = rg.Response("label", value, user_id=UUID(int=1), status="submitted")
        responses = [] if is_class is None else [said]
        records.append(rg.Record(id=str(number), fields={"body": text}, responses=responses))
    path = HERE / "argilla.json"
    path.unlink(missing_ok=True)
    JsonIO.to_json(records, path)


def asreview():
    import pandas as pd
    from asreview.data.ris import RISWriter
    from asreview.data.tabular import CSVWriter

    labels = {True: 1, False: 0, None: None}
    rows = [
        {
            "type_of_reference": "JOUR",
            "title": text,
            "abstract": abstract,
            "asreview_label": labels[is_class],
        }
        for text, abstract, is_class in DOCUMENTS
    ]
    table = pd.DataFrame(rows, dtype=object)
    RISWriter.write_data(table, HERE / "asreview.ris")
    table = table.rename_axis("record_id").drop(columns="type_of_reference")
    CSVWriter.write_data(table, HERE / "asreview.csv")


def write(name, text):
    (HERE / name).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    label_studio()
    doccano()
    argilla()
    asreview()
