"""The bench of the review, on a conversation of a few turns."""

from pathlib import Path

from tests.bench.quality.sets import Group, Question
from tests.bench.review.run import figures, main, page, reviewed


def conversation() -> Group:
    group = Group("one")
    group.texts = {
        "D1:1": "Maya (8 May 2023): Hello there!",
        "D1:2": "Maya (8 May 2023): I live in Lisbon with my two sons.",
        "D2:1": "Daniel (9 May 2023): Cool, thanks.",
        "D2:2": "Daniel (9 May 2023): I bought a red bike yesterday in Porto.",
    }
    group.questions = [Question("Where?", frozenset({"D1:2"})), Question("What?", frozenset({"D2:2"}))]
    return group


def test_it_counts_what_was_kept_from_which_turn() -> None:
    kept = reviewed(conversation())
    assert kept.turns == {"D1:2", "D2:2"}
    assert kept.records == 2
    found = figures("set", [conversation()], [kept])
    assert (found.builtin, found.records_per_100_turns, found.first) == (1.0, 50.0, 0.0)
    assert 0.3 < found.random < 0.7
    assert "| set | 4 | 1.000 |" in page([found])


def test_a_folder_without_conversations_is_named(tmp_path: Path) -> None:
    assert main(["--data", str(tmp_path), "--out", str(tmp_path)]) == 1
