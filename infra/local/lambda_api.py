"""The Lambda Invoke API on loopback, as boto3's own client uses it by ``endpoint_url`` (SPEC §14)."""

import json
import threading
import uuid
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map, Rule
from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.wrappers import Request, Response

from infra.local.pool import MAX_BYTES, FunctionPool

_ROUTES = Map([Rule("/2015-03-31/functions/<path:name>/invocations", methods=["POST"])])
EVENT_TRIES = 3
"""An asynchronous invocation is tried again twice after a function error."""


class _Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Print nothing: the functions log their requests."""


class LambdaApi:
    """Serves ``Invoke`` for a set of functions."""

    def __init__(self, pools: Mapping[str, FunctionPool]) -> None:
        self._pools = pools
        self._events = ThreadPoolExecutor(4, thread_name_prefix="lambda-event")
        self._server = make_server("127.0.0.1", 0, self._serve, threaded=True, request_handler=_Quiet)
        self._thread = threading.Thread(target=self._server.serve_forever, name="lambda-api", daemon=True)
        self._thread.start()
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._events.shutdown(wait=False, cancel_futures=True)
        self._thread.join()

    def _serve(self, environ, start_response):  # type: ignore[no-untyped-def]
        request = Request(environ)
        try:
            _, arguments = _ROUTES.bind_to_environ(environ).match()
            response = self._invoke(request, arguments["name"])
        except HTTPException as error:
            response = _refused(
                error.code or 500, "InvalidRequestContentException", error.description or "no such path"
            )
        response.headers["x-amzn-RequestId"] = str(uuid.uuid4())
        return response(environ, start_response)

    def _invoke(self, request: Request, name: str) -> Response:
        pool = self._pools.get(name.rsplit(":", maxsplit=1)[-1] if name.startswith("arn:") else name.partition(":")[0])
        body = request.get_data()
        if pool is None:
            return _refused(404, "ResourceNotFoundException", f"Function not found: {name}")
        if len(body) > MAX_BYTES:
            return _refused(
                413, "RequestTooLargeException", f"{len(body)} byte payload is too large: the limit is {MAX_BYTES}"
            )
        try:
            payload = body.decode() or "{}"
            json.loads(payload)
        except ValueError as error:
            return _refused(400, "InvalidRequestContentException", f"Could not parse request body into json: {error}")
        match request.headers.get("X-Amz-Invocation-Type", "RequestResponse"):
            case "DryRun":
                return Response(status=204)
            case "Event":
                self._events.submit(_run_event, pool, payload)
                return Response(status=202)
        outcome = pool.invoke(payload)
        response = Response(outcome.payload, content_type="application/json")
        response.headers["X-Amz-Executed-Version"] = "$LATEST"
        if outcome.failed:
            response.headers["X-Amz-Function-Error"] = "Unhandled"
        return response


def _run_event(pool: FunctionPool, payload: str) -> None:
    for _ in range(EVENT_TRIES):
        if not pool.invoke(payload).failed:
            return


def _refused(status: int, kind: str, message: str) -> Response:
    response = Response(
        json.dumps({"Type": "User", "message": message}), status=status, content_type="application/json"
    )
    response.headers["x-amzn-ErrorType"] = kind
    return response
