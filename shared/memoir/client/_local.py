"""Where the Lambda API is: on a laptop what ``make up`` wrote, else AWS (SPEC §14)."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memoir.client._errors import LocalSystemMissing

if TYPE_CHECKING:
    from botocore.config import Config
    from mypy_boto3_lambda import LambdaClient

LOCAL_FILE = Path(".memoir/local.json")
LOCAL_FILE_VARIABLE = "MEMOIR_LOCAL"


def lambda_config() -> "Config":
    """The settings a Lambda client needs here.

    A commit may take long: boto3's own 60 seconds would invoke it again while the first still runs, so it waits 900
    seconds and leaves repeating to the client, which knows what is safe.
    """
    from botocore.config import Config

    return Config(
        connect_timeout=10,
        read_timeout=900,
        retries={"total_max_attempts": 1},
        max_pool_connections=50,
        tcp_keepalive=True,
    )


@dataclass(frozen=True, slots=True)
class LocalFunction:
    """A function of the local system: where its Lambda API listens, and its name."""

    endpoint: str
    region: str
    name: str

    @classmethod
    def read(cls, key: str, path: Path | None = None) -> "LocalFunction":
        """Read ``.memoir/local.json``.

        Args:
            key: The function's name in the file, as ``agent_runtime``.
            path: The file; else the variable ``MEMOIR_LOCAL``, else ``.memoir/local.json`` here.

        Raises:
            LocalSystemMissing: There is no such file, or it is not one of ``make up``.
        """
        path = path or Path(os.environ.get(LOCAL_FILE_VARIABLE) or LOCAL_FILE)
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            return cls(found["lambda_endpoint"], found["region"], found["functions"][key])
        except FileNotFoundError as exc:
            text = f"there is no {path}: run `make up` first, or name the file in {LOCAL_FILE_VARIABLE}"
            raise LocalSystemMissing(text) from exc
        except (ValueError, KeyError, TypeError) as exc:
            raise LocalSystemMissing(f"{path} is not a file that `make up` wrote: run `make up` again") from exc

    def client(self) -> "LambdaClient":
        """boto3's Lambda client for it; any credentials do on loopback."""
        import boto3

        client: LambdaClient = boto3.client(
            "lambda",
            endpoint_url=self.endpoint,
            region_name=self.region,
            aws_access_key_id="local",
            aws_secret_access_key="local",  # noqa: S106 - the loopback endpoint checks no signature
            config=lambda_config(),
        )
        return client
