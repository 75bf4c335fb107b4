"""``builtin``: what its rules keep, in several languages, and what they leave (CASES W1, W10–W12, W16)."""

import json

import pytest

from memoir.adapters.builtin_review import BuiltinReview, sentences, thing
from memoir.domain.config import MemoryConfig
from memoir.domain.plan import Proposed
from memoir.domain.window import Line
from memoir.ports import Ask
from tests.builders import record

MEMORY = MemoryConfig(enabled=True)


def kept(*texts: str, speaker: str = "user") -> list[str]:
    lines = [Line(1, n, speaker, text) for n, text in enumerate(texts, 1)]
    answered = BuiltinReview().answer(Ask("extract", "", "", {}, MEMORY, lines), 1)
    return [one["summary"] for one in json.loads(answered.text)["candidates"]]


def decided(sentence: str, known: str) -> str:
    ask = Ask(
        "decide", "", "", {}, MEMORY,
        candidates=[Proposed(summary=sentence, kind="fact")],
        similar=[["m1"]],
        shown={"m1": record(known, session_id="s")},
    )  # fmt: skip
    memory = MEMORY.model_copy(update={"scope": MEMORY.scope.model_copy(update={"write": ("session", "agent")})})
    ask = Ask(ask.step, "", "", {}, memory, (), ask.candidates, ask.similar, ask.shown)
    (item,) = json.loads(BuiltinReview().answer(ask, 1).text)["plan"]
    return str(item["action"])


@pytest.mark.parametrize(
    "text",
    [
        "I live in Lisbon with my two sons.",
        "My favourite colour is blue.",
        "Please always answer in English.",
        "We decided to meet at 12:45 on 3 May.",
        "I moved to Oslo in March 2025.",
        "Ich wohne in Berlin und arbeite bei Siemens.",
        "J'habite à Lyon et je préfère le thé.",
        "Vivo en Madrid y me gusta el café.",
        "Я живу в Москве и люблю чай.",
        "我住在上海，我喜欢喝茶。",
        "私は京都に住んでいます。",
        "저는 서울에 살아요.",
        "أعيش في القاهرة وأحب الشاي.",
        "मैं दिल्ली में रहता हूँ।",
        "ผมชอบดื่มชา",
    ],
)
def test_a_lasting_statement_is_kept_as_it_was_said(text: str) -> None:
    assert kept(text) == [text], "in its language, with its times"


@pytest.mark.parametrize(
    "text",
    [
        "ok, thanks",
        "Where do I find my invoice?",
        "Hello!",
        "",
        "Great, see you",
        "你住在哪里？",
        "haha",
        "😀",
        "Sure thing.",
    ],
)
def test_small_talk_and_questions_are_left(text: str) -> None:
    assert kept(text) == []


def test_only_what_a_user_says_is_kept() -> None:
    assert kept("I cannot help with that, my rules are strict.", speaker="agent") == []
    assert kept("I live in a tool's output", speaker="tool log") == []


def test_times_and_numbers_do_not_end_a_sentence() -> None:
    assert list(sentences("The meeting is at 12.45 today. Bring 3.5 kg!")) == [
        "The meeting is at 12.45 today.", "Bring 3.5 kg!",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "known", "action"),
    [
        ("My favourite colour is red now.", "My favourite colour is blue.", "replace"),
        ("My favourite colour is blue.", "My favourite colour is blue.", "skip"),
        ("My sister is a doctor.", "My favourite colour is blue.", "add"),
        ("I live in Oslo.", "I live in Lisbon.", "replace"),
        ("I moved to Oslo.", "I live in Lisbon.", "replace"),
        ("Meine Schwester ist jetzt Ärztin.", "Meine Schwester ist Lehrerin.", "replace"),
        ("我的手机号是 1392。", "我的手机号是 1381。", "replace"),
        ("I like tea.", "I like dogs.", "add"),
        ("I live in Bergen now.", "I am allergic to peanuts and I live in Oslo.", "add"),
    ],
)
def test_it_replaces_what_names_the_same_thing(sentence: str, known: str, action: str) -> None:
    assert decided(sentence, known) == action


def test_things_are_named_in_several_languages() -> None:
    assert thing("My bike is red") == "bike"
    assert thing("Mein Rad ist rot") == "rad"
    assert thing("私の車は赤い") == "車"
    assert thing("It rains") is None
