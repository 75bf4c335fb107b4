"""Every rule of an agent's configuration, one message a fault, each with its path (page "Configuration"; SPEC §2)."""

from typing import Any

import pytest

from memoir.domain.config import declared_labels, parse_harness
from memoir.domain.errors import InvalidConfig, Unsupported
from memoir.domain.ranking import SearchMode

LABEL = {"number": 5, "description": "The customer."}


def memory(**fields: Any) -> dict[str, Any]:
    return {"memory": {"enabled": True, **fields}}


def test_an_empty_harness_has_sessions_and_no_memory() -> None:
    harness = parse_harness({}, {})
    assert harness.sessions is True
    assert harness.memory.enabled is False


def test_memory_that_is_on_has_the_defaults_of_the_page() -> None:
    found = parse_harness(memory(), {}).memory
    assert found.scope.read == found.scope.write == ("session",)
    assert found.search.mode is SearchMode.HYBRID
    assert (found.search.max_results, found.search.min_score, found.tools) == (5, None, ())


@pytest.mark.parametrize(
    ("document", "path", "told"),
    [
        ({"sesions": True}, "harness.sesions", "remove it"),
        ({"sessions": "yes"}, "harness.sessions", "boolean"),
        (memory(enabled=1), "harness.memory.enabled", "boolean"),
        (memory(scope={"read": []}), "harness.memory.scope.read", "at least one"),
        (memory(scope={"read": ["world"]}), "harness.memory.scope.read[0]", "session"),
        (memory(scope={"write": ["agent", "agent"]}), "harness.memory.scope.write[1]", "repeats"),
        ({"sessions": False, **memory()}, "harness.memory.scope.read", '["agent"]'),
        (memory(kinds=[]), "harness.memory.kinds", "at least one"),
        (memory(kinds=["fact", ""]), "harness.memory.kinds[1]", "1 to"),
        (memory(kinds=["fact", "a\nb"]), "harness.memory.kinds[1]", "printable"),
        (memory(kinds=["x" * 10_000]), "harness.memory.kinds[0]", "bytes"),
        (memory(kinds=["fact", "fact"]), "harness.memory.kinds[1]", "repeats"),
        (memory(labels={"1st": LABEL}), "harness.memory.labels.1st", "letter or _"),
        (memory(labels={"x" * 65: LABEL}), f"harness.memory.labels.{'x' * 65}", "63"),
        (memory(labels={"a": {**LABEL, "number": 4}}), "harness.memory.labels.a.number", "from 5 to 18"),
        (memory(labels={"a": {**LABEL, "number": 19}}), "harness.memory.labels.a.number", "from 5 to 18"),
        (memory(labels={"a": LABEL, "b": LABEL}), "harness.memory.labels.b.number", "already belongs"),
        (memory(labels={"a": {**LABEL, "description": " "}}), "harness.memory.labels.a.description", "empty"),
        (memory(labels={"a": {"number": 5}}), "harness.memory.labels.a.description", "missing"),
        (memory(search={"mode": "fuzzy"}), "harness.memory.search.mode", "hybrid"),
        (memory(search={"max_results": 0}), "harness.memory.search.max_results", "from 1 to 50"),
        (memory(search={"max_results": 51}), "harness.memory.search.max_results", "from 1 to 50"),
        (memory(search={"min_score": 1.1}), "harness.memory.search.min_score", "from -1 to 1"),
        (memory(tools=["add_memory", "add_memory"]), "harness.memory.tools[1]", "repeats"),
        (memory(tools=["search_memory"]), "harness.memory.tools[0]", "add_memory"),
    ],
)
def test_a_broken_rule_is_named_with_its_path(document: dict[str, Any], path: str, told: str) -> None:
    with pytest.raises(InvalidConfig) as caught:
        parse_harness(document, {})
    assert caught.value.path == path
    assert path in caught.value.message
    assert told in caught.value.message


def test_every_fault_is_told_at_once_a_line_each() -> None:
    with pytest.raises(InvalidConfig) as caught:
        parse_harness(memory(kinds=[], search={"max_results": 0}, tools=["add_memory", "add_memory"]), {})
    assert len(caught.value.message.splitlines()) == 3


def test_faults_of_memory_that_is_off_are_no_faults() -> None:
    assert parse_harness({"memory": {"enabled": False, "kinds": []}}, {}).memory.kinds == ()


def test_a_label_keeps_its_name_and_number_over_all_versions() -> None:
    first = parse_harness(memory(labels={"customer": LABEL}), {})
    assert declared_labels(first) == {"customer": 5}
    for labels in ({}, {"customer": {**LABEL, "number": 6}}, {"ticket": LABEL}):
        with pytest.raises(InvalidConfig):
            parse_harness(memory(labels=labels), declared_labels(first))
    both = {"customer": LABEL, "ticket": {**LABEL, "number": 6}}
    assert declared_labels(parse_harness(memory(labels=both), {"customer": 5})) == {"customer": 5, "ticket": 6}


@pytest.mark.parametrize(
    "document",
    [{"history": {"index": "messages"}}],
)
def test_what_is_not_built_yet_is_unsupported_and_named(document: dict[str, Any]) -> None:
    with pytest.raises(Unsupported) as caught:
        parse_harness(document, {})
    assert caught.value.path is not None
    assert caught.value.path in caught.value.message
