"""Requests to OpenSearch over botocore's own HTTP session and signer: nothing more to load (DESIGN "opensearch-py")."""

import json
from typing import Any

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import BotoCoreError, HTTPClientError
from botocore.httpsession import URLLib3Session
from botocore.session import Session

from memoir.domain.errors import IndexUnavailable

CONNECT_SECONDS = 1
WRITE_SECONDS = 60
NOT_FOUND = 404


class Http:
    """JSON over HTTP to one cluster; signed when it is not on loopback.

    Args:
        endpoint: The cluster's URL.
        read_seconds: How long a request that must be answered soon may take.
    """

    def __init__(self, endpoint: str, read_seconds: float = 3.0) -> None:
        self._endpoint = endpoint.rstrip("/")
        self._signed = endpoint.startswith("https://")
        self._reading = _session(read_seconds)
        self._writing = _session(WRITE_SECONDS)

    def read(self, method: str, path: str, body: str | None = None) -> dict[str, Any]:
        """A request that must be answered soon."""
        return self._send(self._reading, method, path, body)

    def write(self, method: str, path: str, body: str | None = None) -> dict[str, Any]:
        """A request that may wait for a refresh."""
        return self._send(self._writing, method, path, body)

    def _send(self, session: URLLib3Session, method: str, path: str, body: str | None) -> dict[str, Any]:
        """One request.

        Returns:
            The answer's JSON; of a 404, ``{"status": 404}``.

        Raises:
            IndexUnavailable: It cannot be reached, was too slow, refused, or answered something else than JSON.
        """
        kind = "application/x-ndjson" if body and body.endswith("\n") else "application/json"
        request = AWSRequest(method, self._endpoint + path, headers={"Content-Type": kind}, data=(body or "").encode())
        if self._signed:
            _sign(request)
        try:
            answer = session.send(request.prepare())
            content = answer.content
        except (HTTPClientError, BotoCoreError) as exc:
            raise IndexUnavailable("OpenSearch cannot be reached") from exc
        if answer.status_code == NOT_FOUND:
            return {"status": NOT_FOUND}
        if answer.status_code >= 300:
            raise IndexUnavailable(f"OpenSearch refused with status {answer.status_code}")
        try:
            found = json.loads(content) if content else {}
        except ValueError as exc:
            raise IndexUnavailable("OpenSearch answered something that is no JSON") from exc
        if not isinstance(found, dict):
            raise IndexUnavailable("OpenSearch answered something that is no object")
        return found


def _session(read_seconds: float) -> URLLib3Session:
    timeout: Any = (CONNECT_SECONDS, read_seconds)
    return URLLib3Session(timeout=timeout, max_pool_connections=8)


def _sign(request: AWSRequest) -> None:
    session = Session()
    credentials = session.get_credentials()
    if credentials is None:
        raise IndexUnavailable("there are no AWS credentials to sign OpenSearch requests with")
    SigV4Auth(credentials, "es", session.get_config_variable("region")).add_auth(request)
