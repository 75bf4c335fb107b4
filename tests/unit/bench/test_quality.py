"""The quality bench: its arithmetic, its sets, and one run of all methods on a small set."""

import json
import math
from pathlib import Path

import pytest
from rich.console import Console

from tests.bench.quality import sets
from tests.bench.quality.methods import METHODS
from tests.bench.quality.metrics import interval, mean, ndcg, recall, reciprocal_rank
from tests.bench.quality.page import page
from tests.bench.quality.run import Figure, main, measure

RANKED = ["a", "b", "c", "d"]


def test_recall_is_the_share_of_the_relevant_in_the_first() -> None:
    assert recall(RANKED, {"a", "d", "x"}, 3) == pytest.approx(1 / 3)
    assert recall([], {"a"}, 5) == 0


def test_ndcg_is_one_for_the_best_order_and_less_for_a_later_place() -> None:
    assert ndcg(RANKED, {"a", "b"}, 10) == pytest.approx(1)
    assert ndcg(RANKED, {"b"}, 10) == pytest.approx(1 / math.log2(3))
    assert ndcg(RANKED, {"x"}, 10) == 0


def test_the_reciprocal_rank_is_of_the_first_relevant_one() -> None:
    assert reciprocal_rank(RANKED, {"c", "d"}) == pytest.approx(1 / 3)
    assert reciprocal_rank(RANKED, {"x"}) == 0


def test_an_interval_holds_the_mean_and_is_wide_when_groups_differ() -> None:
    alike, different = [[0.5] * 10] * 5, [[0.0] * 10, [1.0] * 10, [0.0] * 10, [1.0] * 10]
    assert interval(alike) == (0.5, 0.5)
    low, high = interval(different)
    assert low < mean([one for group in different for one in group]) < high
    assert interval(different) == (low, high)


def write(folder: Path, *lines: object) -> Path:
    file = folder / "mine.jsonl"
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return file


TEXT = {"group": "g", "id": "t1", "text": "Maya drinks tea"}
OTHER = {"group": "g", "id": "t2", "text": "The invoice is due"}
ASKED = {"group": "g", "query": "What does Maya drink?", "relevant": ["t1"]}


def test_a_set_of_lines_has_texts_and_questions_by_group(tmp_path: Path) -> None:
    found = sets.lines(
        write(tmp_path, TEXT, "", OTHER, ASKED, {"id": "t1", "text": "x"}, {"query": "y", "relevant": ["t1"]})
    )
    assert [group.name for group in found.groups] == ["g", ""]
    assert found.questions == 2
    assert list(found.groups[0].texts) == ["t1", "t2"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "line 2: no JSON"),
        ("[]", "line 2: must be an object"),
        ({"group": "g"}, "line 2: give id and text"),
        ({"query": "x", "relevant": []}, "line 2: give id and text"),
        ({"group": "g", "query": "x", "relevant": ["t9"]}, "line 2: no text of group 'g' has the id 't9'"),
    ],
)
def test_a_malformed_line_is_named_with_what_to_do(tmp_path: Path, line: object, told: str) -> None:
    with pytest.raises(sets.BadSet, match=told):
        sets.lines(write(tmp_path, TEXT, line))


def test_locomo_s_turns_become_records_and_malformed_evidence_is_read(tmp_path: Path) -> None:
    turns = [
        {"speaker": "Maya", "dia_id": "D1:1", "text": "Hi!"},
        {"speaker": "Otto", "dia_id": "D1:2", "text": "Look", "blip_caption": "a lamp"},
    ]
    asked = [
        {"question": "Who?", "evidence": ["D1:1; D1:2"], "category": 1},
        {"question": "None?", "evidence": ["D1:1"], "category": 5},
        {"question": "Gone?", "evidence": ["D9:1"], "category": 1},
    ]
    file = tmp_path / "locomo_mine.json"
    conversation = {"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": turns}
    file.write_text(json.dumps([{"sample_id": "c", "conversation": conversation, "qa": asked}]))
    (group,) = sets.locomo(file).groups
    assert group.texts["D1:1"] == "Maya (8 May 2023, Monday): Hi!"
    assert "a lamp" in group.texts["D1:2"]
    assert [question.relevant for question in group.questions] == [{"D1:1", "D1:2"}]


def test_every_method_ranks_a_small_set_and_the_page_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one = sets.lines(write(tmp_path, TEXT, OTHER, ASKED))
    figures = measure([one], ["minilm"], METHODS, Console(quiet=True))
    best = {figure.method: figure.value for figure in figures if figure.metric == "MRR"}
    assert set(best) == {"BM25", "vector", "RRF", "min-max", "memoir", "memoir, words", "memoir, 100 + 100"}
    assert best["memoir"] == best["vector"] == 1
    assert measure([one], ["minilm"], METHODS, Console(quiet=True)) == figures  # from kept vectors
    text = page(figures)
    assert all(f"| {method} |" in text for method in best)


def test_the_command_writes_json_and_a_picture_and_says_when_there_is_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["--data", str(tmp_path / "nothing")]) == 1
    assert "--set" in capsys.readouterr().out
    file = write(tmp_path, TEXT, OTHER, ASKED)
    assert main(["--data", str(tmp_path / "nothing"), "--set", str(file), "--embedder", "minilm", "--no-index"]) == 0
    found = [Figure(**one) for one in json.loads(Path("build/bench/quality.json").read_text())]
    assert {one.set for one in found} == {"mine"}
    assert Path("build/bench/quality.png").stat().st_size > 1_000
