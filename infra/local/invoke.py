"""One event for one function of the running system: ``make invoke FN=agent_runtime EVENT=01-register-agent``."""

import json
import sys
from pathlib import Path

import boto3

from memoir.client import lambda_config

EVENTS = Path("events")


def main(local_file: Path, function: str, event: str) -> int:
    """Invoke and print the answer; the exit code is 1 when there is none, or an error."""
    if not local_file.exists():
        return _say(f"{local_file} is not there: run `make up` in another terminal first")
    where = json.loads(local_file.read_text())
    if function not in where["functions"]:
        return _say(f"FN={function} is no function: use one of {', '.join(where['functions'])}")
    file = EVENTS / function / f"{event.removesuffix('.json')}.json"
    if not file.exists():
        known = ", ".join(sorted(one.stem for one in file.parent.glob("*.json")))
        return _say(f"{file} is not there: use one of {known}")
    client = boto3.Session("local", "local", region_name=where["region"]).client(
        "lambda", endpoint_url=where["lambda_endpoint"], config=lambda_config()
    )
    answer = client.invoke(FunctionName=where["functions"][function], Payload=file.read_bytes())
    reply = json.loads(answer["Payload"].read())
    print(json.dumps(reply, indent=2, ensure_ascii=False))
    return int("FunctionError" in answer or "error" in reply)


def _say(text: str) -> int:
    print(text, file=sys.stderr)
    return 1
