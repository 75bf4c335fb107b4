"""``callTool``: the native memory tools, each call an execution of the tool of its name (SPEC §4, §6).

The log keeps ids, versions and flags of an answer, never texts of records: a repeated call is rendered again from
the records at those versions.
"""

import json
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from memoir.domain.errors import BadRequest, IdReused, InvalidCursor, ToolRefused, Unsupported
from memoir.domain.events import EventType
from memoir.domain.record import Record
from memoir.domain.tools import (
    DEFAULT_LIMIT,
    MAX_QUERY_CHARACTERS,
    AddMemory,
    OneMemory,
    SearchMemory,
    ToolName,
    check_kind,
    check_offered,
    label_numbers,
    parse_input,
    query_fault,
)
from memoir.domain.turn import AttemptId, Call, CallStatus
from memoir.protocol import CallTool, CallToolResult
from memoir.services import answers
from memoir.services.answers import Answer, log_lack
from memoir.services.child import child_execution, record_call
from memoir.services.explain import explained
from memoir.services.fingerprint import fingerprint
from memoir.services.listing import cursor_after, list_page, read_ids
from memoir.services.present import at_refs, fit, parse_refs
from memoir.services.ranked import Filters
from memoir.services.remember import add_memory, delete_memory, read_memory
from memoir.services.resources import Resources
from memoir.services.retry import until_settled
from memoir.services.search import find
from memoir.services.turns import Turn, load_turn, require_open


def call_tool(res: Resources, request: CallTool) -> CallToolResult:
    """Run a native tool, or answer again for a call that was made.

    A call that the configuration or the data do not allow ends as ``FAILED`` with a message for the agent, is recorded
    and changes nothing.

    Raises:
        BadRequest: ``name`` is no native tool.
        IdReused: ``callId`` was used with other content.
        TurnEnded, TurnAbandoned: The attempt has ended.
    """
    if request.name not in set(ToolName):
        raise BadRequest(f"name is {request.name[:64]!r}; the native tools are: {', '.join(ToolName)}", path="name")
    if request.name == ToolName.SEARCH_HISTORY:
        raise Unsupported("search_history is not supported yet: the agent has no history", path="name")
    return until_settled(res.clock, lambda: _call(res, request))


def _call(res: Resources, request: CallTool) -> CallToolResult:
    turn = load_turn(res, AttemptId(request.execution_id, request.invocation_number))
    mark = fingerprint(request.name, request.input, request.helper.id if request.helper else None)
    if earlier := turn.call(request.call_id, "tool"):
        if earlier.fingerprint != mark:
            raise IdReused(f"callId {request.call_id} was used with other content: use a new one", path="callId")
        return answers.result(turn, earlier, at_refs(res, turn, parse_refs(earlier.answer.get("records", []))))
    require_open(turn.attempt)
    status = CallStatus.COMPLETED
    try:
        answer = _run(res, turn, request)
    except ToolRefused as refused:
        status, answer = CallStatus.FAILED, Answer({"error": refused.message})
    call = Call(
        call_id=request.call_id,
        kind="tool",
        execution_id=child_execution(turn.attempt.id, "tool", request.call_id),
        name=request.name,
        sequence=turn.attempt.next_sequence,
        fingerprint=mark,
        status=status,
        answer=answer.logged(res.ids.nonce()),
        input=request.input,
        helper=request.helper.id if request.helper else None,
        staged=answer.staged,
        usage=answer.usage,
    )
    record_call(res, turn, call, EventType.NATIVE)
    return answers.result(turn, call, answer.records)


def _run(res: Resources, turn: Turn, request: CallTool) -> Answer:
    name = ToolName(request.name)
    check_offered(name, turn.harness.memory, helper=request.helper is not None)
    document = json.dumps(request.input)
    if name is ToolName.SEARCH_MEMORY:
        return _search(res, turn, parse_input(SearchMemory, document))
    if name is ToolName.ADD_MEMORY:
        added = add_memory(res, turn, request.call_id, parse_input(AddMemory, document))
        return Answer({"skipped": added.staged is None}, (added.record,), added.staged, added.usage)
    memory_id = parse_input(OneMemory, document).id
    if name is ToolName.READ_MEMORY:
        return Answer({}, (read_memory(res, turn, memory_id),))
    record, staged = delete_memory(res, turn, request.call_id, memory_id)
    return Answer({}, (record,), staged)


def _search(res: Resources, turn: Turn, given: SearchMemory) -> Answer:
    memory = turn.harness.memory
    query = given.query if given.query and given.query.strip() else None
    if query and len(query) > MAX_QUERY_CHARACTERS:
        raise ToolRefused(query_fault("query", query))
    if query and given.ids:
        raise ToolRefused("pass either query or ids, not both")
    if given.after is not None and (query or given.ids):
        raise ToolRefused("after belongs to lists only: leave out query and ids to list, or leave out after")
    check_kind(given.kind, memory)
    filters = Filters(given.kind, label_numbers(given.labels, memory))
    limit = given.limit or DEFAULT_LIMIT
    if given.ids:
        seen, missing = read_ids(res, turn, filters, given.ids)
        return _fitting(turn, seen, {"missing": [*missing], "whole": True}, whole=True)
    if query:
        return _ranked(res, turn, query, filters, limit, explain=given.explain)
    return _listed(res, turn, filters, limit, given.after)


def _ranked(res: Resources, turn: Turn, query: str, filters: Filters, limit: int, *, explain: bool) -> Answer:
    found = find(res, turn, lambda: query, filters, limit)
    log: dict[str, JsonValue] = {"lack": log_lack(found.lack), "behind": found.behind}
    if explain and found.ranking is not None:
        log["explain"] = explained(found.ranking, len(found.records))
    answer = _fitting(turn, found.records, log, whole=False)
    return Answer(answer.log, answer.records, usage=found.usage)


def _listed(res: Resources, turn: Turn, filters: Filters, limit: int, after: str | None) -> Answer:
    try:
        page = list_page(res, turn, filters, limit, after)
    except InvalidCursor as exc:
        raise ToolRefused(exc.message) from exc
    count = fit(page.records, turn, whole=False)
    shown = page.records[:count]
    more = page.more or count < len(page.records)
    return Answer({"next": cursor_after(res, turn, filters, shown[-1]) if more and shown else None}, shown)


def _fitting(turn: Turn, records: Sequence[Record], log: Mapping[str, JsonValue], *, whole: bool) -> Answer:
    count = fit(records, turn, whole=whole)
    left: list[JsonValue] = [record.memory_id for record in records[count:]]
    return Answer({**log, **({"remaining": left} if left else {})}, tuple(records[:count]))
