"""The OpenAPI description of a served model.

It is made for the model at hand, with the names of its classes and columns. It describes what
``_serving.py`` does.
"""

from typing import Final

from imbtext import __version__
from imbtext._typing import Record
from imbtext.rare._classifier import RareTextClassifier

_EXPLANATION: Final[Record] = {
    "type": "object",
    "required": ["label", "words"],
    "properties": {
        "label": {"description": "The class that the words speak for or against."},
        "words": {
            "type": "array",
            "description": "Words and what they add to the score, the weightiest first.",
            "items": {
                "type": "array",
                "prefixItems": [{"type": "string"}, {"type": "number"}],
                "minItems": 2,
                "maxItems": 2,
            },
        },
        "meaning": {
            "type": "object",
            "description": "If the model has a sentence encoder: what the meaning of the "
            "text adds to the score, and the words of the class nearest to it.",
            "required": ["adds", "near"],
            "properties": {
                "adds": {"type": "number"},
                "near": {"type": "array", "items": {"type": "string"}},
            },
        },
    },
}


def openapi_description(model: RareTextClassifier, name: str, most_documents: int) -> Record:
    """Return the description of the endpoints of a model, ready for JSON."""
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    refusals = {
        "400": "The body is not a JSON object.",
        "401": "The token is missing or wrong.",
        "408": "The body took too long to arrive.",
        "413": "The body is too large, or has too many documents.",
        "422": "The body is JSON, but not what is expected.",
        "503": "The server is too busy; try again.",
    }
    predict = {
        "summary": "Decision, score, threshold and probability of each document",
        "operationId": "predict",
        "requestBody": {"required": True, "content": _json("#/components/schemas/Request")},
        "responses": {
            "200": {
                "description": "One prediction per document, in the same order.",
                "content": _json("#/components/schemas/Answer"),
            },
            **{code: {"description": why, "content": error} for code, why in refusals.items()},
        },
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": f"imbtext: {name}",
            "version": __version__,
            "description": "A text classifier for rare classes. GET / is the model's card.",
        },
        "paths": {
            "/predict": {"post": predict},
            "/": {"get": _page("card", "The model's card", "text/html")},
            "/health": {
                "get": _page("health", "Whether the model is loaded", "application/json")
                | {"security": []}
            },
            "/metrics": {"get": _page("metrics", "Counts for Prometheus", "text/plain")},
            "/openapi.json": {"get": _page("openapi", "This description", "application/json")},
        },
        "components": {
            "schemas": _schemas(model, most_documents),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }


def _json(schema: str) -> Record:
    return {"application/json": {"schema": {"$ref": schema}}}


def _page(operation: str, summary: str, kind: str) -> Record:
    answer = {"description": summary, "content": {kind: {}}}
    return {"summary": summary, "operationId": operation, "responses": {"200": answer}}


def _request_schema(model: RareTextClassifier, most_documents: int) -> Record:
    """Return the forms of a request that the model can read."""
    text, row = _document_schemas(model)
    words = {"type": "array", "items": {"type": "string"}}
    explain = {
        "type": "boolean",
        "default": False,
        "description": "Whether to add the words that spoke for and against.",
    }
    several = {"type": "array", "maxItems": most_documents}
    forms = []
    if not reads_rows(model):
        # A model of texts takes no token lists, and one of token lists takes nothing else.
        terms = model.fitted_.features.text_terms
        kinds = [text, words] if terms is None else [words if terms.reads_tokens else text]
        documents = {"anyOf": [several | {"items": kind} for kind in kinds]}
        forms.append({"documents": documents, "explain": explain})
    if model.text_columns_:
        forms.append({"rows": several | {"items": row}, "explain": explain})
    return {
        "oneOf": [
            {
                "type": "object",
                "required": [next(iter(form))],
                "properties": form,
                "additionalProperties": False,
            }
            for form in forms
        ]
    }


def _schemas(model: RareTextClassifier, most_documents: int) -> Record:
    labels = [str(label) for label in model.classes_.tolist()]
    return {
        "Request": _request_schema(model, most_documents),
        "Answer": {
            "type": "object",
            "required": ["model", "predictions"],
            "properties": {
                "model": {"type": "string"},
                "predictions": {
                    "type": "array",
                    "items": {"$ref": "#/components/schemas/Prediction"},
                },
            },
        },
        "Prediction": {
            "type": "object",
            "required": ["decision", "score", "threshold", "probability", "nothing_known"],
            "properties": {
                "decision": {
                    "description": f"A label, or a list of them. Labels: {', '.join(labels[:100])}"
                },
                "score": {
                    "type": "number",
                    "description": "Above the threshold is put into the class.",
                },
                "threshold": {"type": "number"},
                "probability": {"type": "number", "minimum": 0, "maximum": 1},
                "nothing_known": {
                    "type": "boolean",
                    "description": "Whether the model knows nothing of the text, such as no word.",
                },
                "explanation": {"$ref": "#/components/schemas/Explanation"},
            },
        },
        "Explanation": _EXPLANATION,
        "Error": {
            "type": "object",
            "required": ["error"],
            "properties": {"error": {"type": "string"}},
        },
    }


def reads_rows(model: RareTextClassifier) -> bool:
    """Return whether a document is more than one text."""
    return len(model.text_columns_) > 1 or bool(model.columns_)


def _document_schemas(model: RareTextClassifier) -> tuple[Record, Record]:
    """Return what a document is, as a text and as a row."""
    text = {"type": ["string", "null"]}
    row: Record = {"type": "object"}
    if model.text_columns_:
        columns = list(map(str, model.text_columns_))
        cell = {"type": ["string", "number", "boolean", "null"]}
        beside = {str(name): cell for name in model.columns_}
        row |= {
            "properties": dict.fromkeys(columns, text) | beside,
            "required": [*columns, *beside],
        }
    return text, row
