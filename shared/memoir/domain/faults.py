"""Faults of a typed value as sentences with paths, made from pydantic's errors (SPEC §2, §4)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_core import ErrorDetails

MAX_LISTED = 20
_PLAIN_BRANCHES = frozenset({"str", "int", "Helper", "MessageCount"})


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at one place."""

    path: str
    message: str


def faults_of(error: ValidationError, prefix: str = "", tags: Iterable[str] = ()) -> list[Fault]:
    """The faults of a validation error, each place once.

    Args:
        error: What pydantic found.
        prefix: Path of the validated value.
        tags: Names that pydantic puts into locations for the branches of unions; they are no fields.
    """
    skipped = frozenset(tags)
    faults: dict[str, str] = {}
    for detail in error.errors(include_url=False, include_context=True):
        path = _path(prefix, _fields(detail["loc"], skipped))
        message = _sentence(detail)
        faults[path] = f"{faults[path]}, or {message}" if path in faults else message
    return [Fault(path, message) for path, message in faults.items()]


def describe_faults(faults: Sequence[Fault]) -> str:
    """One line a fault, each with its path."""
    lines = [f"{fault.path} {fault.message}".strip() for fault in faults[:MAX_LISTED]]
    if len(faults) > MAX_LISTED:
        lines.append(f"and {len(faults) - MAX_LISTED} more faults")
    return "\n".join(lines)


def _fields(location: Sequence[int | str], tags: frozenset[str]) -> list[int | str]:
    """The parts that are fields; a tag stands first, or right behind the place of a list's item."""
    return [
        part
        for place, part in enumerate(location)
        if not (part in tags and (place == 0 or isinstance(location[place - 1], int))) and not _is_branch(part)
    ]


def _is_branch(part: int | str) -> bool:
    """Whether pydantic added this part for a union's branch."""
    return isinstance(part, str) and (part in _PLAIN_BRANCHES or "[" in part or "(" in part)


def _path(prefix: str, location: Sequence[int | str]) -> str:
    path = prefix
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{part}" if path else part
    return path


def _sentence(detail: ErrorDetails) -> str:
    context = detail.get("ctx", {})
    match detail["type"]:
        case "missing":
            return "is missing: give it"
        case "extra_forbidden":
            return "is not a field here: remove it"
        case "value_error":
            return str(context.get("error", detail["msg"]))
        case "literal_error" | "enum":
            return f"must be {context.get('expected', 'one of the known values')}"
        case "union_tag_not_found":
            return f"needs the field {context.get('discriminator', 'type')}"
        case "union_tag_invalid":
            return f"has an unknown {context.get('discriminator', 'type')}: use one of {context.get('expected_tags')}"
    text = detail["msg"]
    return f"{text[0].lower()}{text[1:]}".replace("input should", "must")
