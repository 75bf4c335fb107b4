"""The base of every typed value: frozen, strict, unknown fields refused, camelCase at the edge."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic.alias_generators import to_camel

from memoir.domain.text import caller_id, canonical_uuid, session_id


class Model(BaseModel):
    """A frozen value whose JSON form has camelCase names."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
    )


class DocumentModel(BaseModel):
    """A frozen part of a JSON document that keeps its names as the page writes them."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


Uuid = Annotated[str, AfterValidator(canonical_uuid), WithJsonSchema({"type": "string", "format": "uuid"})]
"""A UUID; upper case is accepted and kept as lower case."""
_NAME = WithJsonSchema({"type": "string", "minLength": 1, "maxLength": 256})
CallerId = Annotated[str, AfterValidator(caller_id), _NAME]
"""An id named by the caller: 1 to 256 bytes."""
SessionId = Annotated[str, AfterValidator(session_id), _NAME]
"""A session's name: 1 to 256 bytes, no control characters."""
Version = Annotated[int, Field(ge=1)]
"""A version or invocation, numbered from 1."""
ExecutionIds = Literal["all"] | tuple[Uuid, ...]
"""Execution ids, or all of them."""
