"""The turn protocol as JSON Schema, for callers in any language: ``python -m infra.protocol_schema`` prints it.

``make schema`` writes it to ``docs/protocol.schema.json``; a test holds that file to the models of ``memoir.protocol``.
"""

import json
import sys
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from memoir import protocol


def document() -> dict[str, Any]:
    """A schema of every request, with the result of each operation under ``results`` and the error under ``error``."""
    names = {operation: operation[0].upper() + operation[1:] for operation in protocol.OPERATIONS}
    models: list[tuple[type[BaseModel], JsonSchemaMode]] = [(protocol.ErrorBody, "serialization")]
    for name in names.values():
        models.append((getattr(protocol, name), "validation"))
        models.append((getattr(protocol, f"{name}Result"), "serialization"))
    references, definitions = models_json_schema(models, by_alias=True)
    found = {(model.__name__, mode): schema for (model, mode), schema in references.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "memoir's turn protocol",
        "description": "A request is one of these; a reply is an object with `result` or with `error`.",
        "oneOf": [found[name, "validation"] for name in names.values()],
        "results": {operation: found[f"{name}Result", "serialization"] for operation, name in names.items()},
        "error": found["ErrorBody", "serialization"],
        **definitions,
    }


def rendered() -> str:
    """The document as text."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(rendered())
