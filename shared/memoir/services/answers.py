"""Answers of native tools: what the log keeps of one, and how it reads (SPEC §6)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from memoir.domain.record import Record
from memoir.domain.staging import StagedChange
from memoir.domain.tools import ToolName
from memoir.domain.turn import Call, CallStatus, Usage
from memoir.protocol import CallToolResult, Degraded
from memoir.services.present import entries, fenced, refs
from memoir.services.ranked import Lack
from memoir.services.turns import Turn


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call did.

    Attributes:
        log: What the call's item keeps: flags, and never texts of records.
        records: What it found or changed; the log keeps their ids and versions.
    """

    log: Mapping[str, JsonValue]
    records: tuple[Record, ...] = ()
    staged: StagedChange | None = None
    usage: Usage | None = None

    def logged(self, nonce: str) -> dict[str, JsonValue]:
        """The answer for the call's item."""
        return {**self.log, "records": refs(self.records), "nonce": nonce}


def degraded(lack: JsonValue) -> Degraded | None:
    """What was missing, from the log."""
    if not isinstance(lack, dict):
        return None
    missing, searched = list(_strings(lack["missing"])), lack["searched"]
    what = {"index": "the index did not answer, so the newest records were ranked without it",
            "embedder": "the embedder did not answer, so records were found by words alone"}  # fmt: skip
    message = "; ".join(what[one] for one in missing) + f"; {searched} records were searched"
    return Degraded.model_validate({"missing": tuple(missing), "searched": searched, "message": message})


def log_lack(lack: Lack | None) -> JsonValue:
    """What was missing, for the log."""
    return {"missing": list(lack.missing), "searched": lack.searched} if lack else None


def result(turn: Turn, call: Call, records: Sequence[Record]) -> CallToolResult:
    """The reply of a call, made from its log item and its records at their versions."""
    render = {ToolName.SEARCH_MEMORY: _found, ToolName.READ_MEMORY: _read}.get(ToolName(call.name), _changed)
    if call.status is CallStatus.FAILED:
        message = str(call.answer["error"])
        output: dict[str, JsonValue] = {"error": message}
        text = message
    else:
        output, text = render(turn, call, records)
    return CallToolResult(status=call.status, output=output, text=text, execution_id=call.execution_id)


def _changed(turn: Turn, call: Call, records: Sequence[Record]) -> tuple[dict[str, JsonValue], str]:
    record = records[0]
    output: dict[str, JsonValue] = {"memories": [*entries(records, turn)]}
    if call.name == ToolName.DELETE_MEMORY:
        return output, f"Deleted record {record.memory_id}."
    if call.answer.get("skipped"):
        output["skipped"] = True
        return output, f"Already saved as record {record.memory_id}; nothing new was written."
    replaced = f", replacing {record.replaces}" if record.replaces else ""
    return output, f"Saved as record {record.memory_id}{replaced}."


def _read(turn: Turn, call: Call, records: Sequence[Record]) -> tuple[dict[str, JsonValue], str]:
    return {"sources": [*entries(records, turn)]}, fenced(records, turn, call, whole=True)


def _found(turn: Turn, call: Call, records: Sequence[Record]) -> tuple[dict[str, JsonValue], str]:
    answer = call.answer
    lack = degraded(answer.get("lack"))
    output: dict[str, JsonValue] = {
        "sources": [*entries(records, turn)],
        "missing": answer.get("missing", []),
        "next": answer.get("next"),
    }
    for key in ("remaining", "explain"):
        if answer.get(key):
            output[key] = answer[key]
    if answer.get("behind"):
        output["behind"] = True
    if lack:
        output["degraded"] = lack.model_dump(mode="json", by_alias=True)
    notes = [fenced(records, turn, call, whole=bool(answer.get("whole")))] if records else ["No memory was found."]
    if missing := _strings(answer.get("missing")):
        notes.append(f"Not found: {', '.join(missing)}")
    if left := _strings(answer.get("remaining")):
        notes.append(f"Left out for size, read them by ids: {', '.join(left)}")
    if answer.get("next"):
        notes.append(f"More: pass after={answer['next']!r}.")
    if lack:
        notes.append(f"Note: {lack.message}.")
    return output, "\n".join(notes)


def _strings(value: JsonValue) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()
