"""``registerAgent``: check a configuration and store it as the agent's next version (SPEC §2, §4)."""

from memoir.domain.config import AgentHead, AgentVersion, declared_labels, parse_harness
from memoir.domain.errors import IdReused, Unsupported
from memoir.ports import Raced, Registration
from memoir.protocol import RegisterAgent, RegisterAgentResult
from memoir.services.fingerprint import fingerprint
from memoir.services.resources import Resources
from memoir.services.retry import until_settled


def register_agent(res: Resources, request: RegisterAgent) -> RegisterAgentResult:
    """Register a version; the same content as the latest returns the latest.

    Raises:
        InvalidConfig: The harness breaks rules of §2.
        Unsupported: It asks for what is not built yet.
        IdReused: ``requestId`` came before with other content.
    """
    return until_settled(res.clock, lambda: _register(res, request))


def _register(res: Resources, request: RegisterAgent) -> RegisterAgentResult:
    content = request.model_dump(mode="json", exclude={"request_id"})
    mark = fingerprint(content)
    if request.request_id and (earlier := res.agents.registration(request.action_id, request.request_id)):
        if earlier[0] != mark:
            raise IdReused(f"requestId {request.request_id} registered other content: use a new one", path="requestId")
        return _result(_version(res, request.action_id, earlier[1]))
    head = res.agents.head(request.action_id)
    latest = _version(res, request.action_id, head.latest) if head else None
    asked = _asked(res, request, head)
    same = latest is not None and latest.same_content(asked)
    stored = latest if same and latest is not None else asked
    if same and request.request_id is None:
        return _result(stored)
    new_head = AgentHead(
        request.action_id, stored.version, {**(head.labels if head else {}), **declared_labels(asked.harness)}
    )
    named = Registration(request.request_id, mark, stored.version) if request.request_id else None
    res.agents.register(None if same else asked, new_head, head, named)
    return _result(stored)


def _asked(res: Resources, request: RegisterAgent, head: AgentHead | None) -> AgentVersion:
    harness = parse_harness(request.harness, head.labels if head else {})
    if request.policies:
        raise Unsupported("policies are not supported yet: leave them out", path="policies")
    return AgentVersion(
        action_id=request.action_id,
        version=head.latest + 1 if head else 1,
        name=request.name,
        principal=request.principal or f"agent:{request.action_id}",
        harness=harness,
        created=res.clock.now(),
    )


def _version(res: Resources, action_id: str, number: int) -> AgentVersion:
    version = res.agents.version(action_id, number)
    if version is None:
        raise Raced
    return version


def _result(version: AgentVersion) -> RegisterAgentResult:
    return RegisterAgentResult(action_id=version.action_id, version=version.version, principal=version.principal)
