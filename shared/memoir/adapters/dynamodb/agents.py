"""Agents and their versions in DynamoDB."""

import json
from typing import Any

from memoir.adapters.dynamodb import keys
from memoir.adapters.dynamodb.requests import Requests
from memoir.adapters.dynamodb.values import Plain, item, squeeze, unsqueeze
from memoir.domain.config import AgentHead, AgentVersion, Harness
from memoir.ports import Registration

CACHED = 256
"""Versions that a container keeps; they are immutable."""


class DynamoAgentStore:
    """``AgentStore`` over the memory table."""

    def __init__(self, memory: Requests) -> None:
        self._memory = memory
        self._versions: dict[tuple[str, int], AgentVersion] = {}

    def head(self, action_id: str) -> AgentHead | None:
        """The agent's head."""
        found = self._memory.get(keys.agent(action_id), keys.AGENT)
        return AgentHead(action_id, found["latest"], json.loads(found["labels"])) if found else None

    def version(self, action_id: str, number: int) -> AgentVersion | None:
        """One version, from the container's cache or the table."""
        if cached := self._versions.get((action_id, number)):
            return cached
        found = self._memory.get(keys.agent(action_id), keys.version(number))
        if found is None:
            return None
        if len(self._versions) >= CACHED:
            self._versions.clear()
        version = self._versions[action_id, number] = _version(action_id, number, found)
        return version

    def registration(self, action_id: str, request_id: str) -> tuple[str, int] | None:
        """Fingerprint and version of an earlier request."""
        found = self._memory.get(keys.agent(action_id), keys.registration(request_id))
        return (found["fingerprint"], found["version"]) if found else None

    def register(
        self, version: AgentVersion | None, head: AgentHead, expected: AgentHead | None, request: Registration | None
    ) -> None:
        """Store a version with its head and request, all or nothing."""
        pk = keys.agent(head.action_id)
        stored = item(pk, keys.AGENT, {"latest": head.latest, "labels": _labels(head)})
        if expected is None:
            actions = [self._memory.put_new(stored)]
        else:
            condition = "latest = :latest AND labels = :labels"
            actions = [self._memory.put(stored, condition, latest=expected.latest, labels=_labels(expected))]
        if version is not None:
            actions.append(self._memory.put_new(item(pk, keys.version(version.version), _fields(version))))
        if request is not None:
            named: dict[str, Plain | None] = {"fingerprint": request.fingerprint, "version": request.version}
            actions.append(self._memory.put_new(item(pk, keys.registration(request.request_id), named)))
        self._memory.transact(actions)


def _labels(head: AgentHead) -> str:
    return json.dumps(dict(head.labels), sort_keys=True)


def _fields(version: AgentVersion) -> dict[str, Plain]:
    return {
        "name": version.name,
        "principal": version.principal,
        "created": version.created,
        "harness": squeeze(version.harness.model_dump_json()),
    }


def _version(action_id: str, number: int, found: dict[str, Any]) -> AgentVersion:
    return AgentVersion(
        action_id=action_id,
        version=number,
        name=found["name"],
        principal=found["principal"],
        harness=Harness.model_validate_json(unsqueeze(found["harness"])),
        created=found["created"],
    )
