"""Faults of searching that people reported of memory systems (CASES S1–S16)."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.e2e.driver import Agent, Json, Runtime, harness, ids, lexical, new_id, summaries

MODES = ["hybrid", "lexical", "vector"]


@pytest.mark.parametrize(
    ("record", "query"),
    [
        ("今日は成語しりとりをした", "しりとり"),
        ("오늘 끝말잇기 게임을 했다", "끝말잇기"),
        ("人工智能技术发展迅速", "人工智能"),
        ("用户偏好：中文优先", "中文"),
        ("ลูกค้าชอบที่นั่งริมหน้าต่าง", "ที่นั่ง"),
        ("العميل يفضل المقاعد الأمامية", "مقعد المقاعد"),
        ("ग्राहक को खिड़की वाली सीट पसंद है", "खिड़की"),
        ("клиент предпочитает места у окна", "место у окон"),
    ],
)
def test_s1_words_of_languages_without_spaces_or_latin_letters_are_found(words: Agent, record: str, query: str) -> None:
    words.seed([record, "something else entirely"])
    assert words.begin().found(query) == [record]


@pytest.mark.parametrize("mode", MODES)
def test_s2_any_query_is_data_in_every_mode(runtime: Runtime, mode: str) -> None:
    agent = Agent(runtime, harness(search={"mode": mode}))
    agent.remember("write to name@example.com about my-group")
    turn = agent.begin()
    queries = [
        "(", "a", '"A"', "Cruise / En route", "my-group", "C++ && (x|y) ~* \\", "name@example.com", '"', "\\", "*", "?",
        "NOT", "a:b", "[1 TO", "\x00", "\x1b[31m", "'; DROP TABLE memory; --",
    ]  # fmt: skip
    for query in queries[:: 3 if mode == "vector" else 1]:
        turn.search(query)
    if mode != "vector":
        for query in ("name@example.com", "my-group", "example.com", "my group"):
            assert len(turn.found(query)) == 1, query


def test_s2_a_query_of_40_kb_of_log_finds_its_rare_word(words: Agent) -> None:
    words.seed(["request req-7f3a9c21 failed", "the disk is fine", "another request"])
    line = (
        "2017-05-16 00:00:04.500 2931 INFO nova.compute.manager the instance was spawned and the request was served\n"
    )
    log = line * 250 + "req-7f3a9c21\n" + line * 150
    assert len(log) > 40_000
    assert words.begin().found(log)[0] == "request req-7f3a9c21 failed"


HOSTILE = [
    "*",
    'x" OR "1"="1',
    '{"$ne":null}',
    "a" * 256,
    "👍",
    "U12345-1234",
    "U12345-5678",
    "?",
    "C-1",
    "c-1",
    "C-1 ",
]


def test_s3_label_values_match_exactly(runtime: Runtime) -> None:
    labels = {"customer": {"number": 5, "description": "The customer."}}
    agent = Agent(runtime, lexical(labels=labels))
    with agent.turn() as turn:
        for n, value in enumerate(HOSTILE):
            turn.add(f"wombat {n}", labels={"customer": value})
        turn.add("wombat without a label")
    turn = agent.begin()
    for n, value in enumerate(HOSTILE):
        assert turn.found("wombat", labels={"customer": value}) == [f"wombat {n}"], value
        assert turn.listed_summaries(labels={"customer": value}) == [f"wombat {n}"], value
    for value in ("U12345", "wombat", "a" * 255, "**", "U12345-*"):
        assert turn.found("wombat", labels={"customer": value}) == []
    assert "owner" in turn.refused("search_memory", query="wombat", labels={"owner": "*"})


@pytest.mark.parametrize("kind", ["guidance", "fact", "event", "reference"])
def test_s4_a_nonsense_word_is_found_in_a_record_of_every_kind(words: Agent, kind: str) -> None:
    words.remember("the flumbrixle is loose", kind=kind)
    words.remember("nothing to see")
    turn = words.begin()
    assert turn.found("flumbrixle") == ["the flumbrixle is loose"]
    assert turn.search("flumbrixle").sources[0]["source"] == "TOOL"


def test_s5_an_exact_code_needs_no_similarity(runtime: Runtime) -> None:
    agent = Agent(runtime, harness(search={"min_score": 0.9}))
    agent.seed(["Invoice ZX-99417-QP", "Invoices are sent monthly"])
    assert agent.begin().found("ZX-99417-QP") == ["Invoice ZX-99417-QP"]


def test_s7_dead_records_cost_the_living_no_place(words: Agent) -> None:
    made = words.seed([f"the meter reading of cellar {n}" for n in range(30)])
    with words.turn() as turn:
        for memory_id in made[:14] + made[16:]:
            turn.delete(memory_id)
        assert set(turn.search("meter reading cellar", limit=5).ids) == set(made[14:16])
    turn = words.begin()
    assert set(turn.search("meter reading cellar", limit=5).ids) == set(made[14:16])
    assert set(ids(turn.recall("meter reading cellar")["records"])) == set(made[14:16])
    assert [len(page) for page in turn.walk(limit=2)] == [2]


def test_s8_two_agents_and_two_sessions_with_one_text_keep_apart(runtime: Runtime) -> None:
    agents = [Agent(runtime, lexical()) for _ in range(2)]
    places = [(agents[0], "a"), (agents[0], "b"), (agents[1], "a")]
    seeded = {place: place[0].seed(["the wombat digs", "the wombat sleeps"], place[1]) for place in places}
    own = {place: made[0] for place, made in seeded.items()}
    turns = {place: place[0].begin(place[1]) for place in places}
    cursors = {place: turn.search(limit=1).output["next"] for place, turn in turns.items()}
    for place, turn in turns.items():
        mine = set(seeded[place])
        assert set(turn.search("wombat").ids) == set(ids(turn.listed())) == mine
        assert set(ids(turn.recall("wombat")["records"])) == mine
        assert turn.search(ids=list(own.values())).ids == [own[place]]
        for other in places:
            readable = turn.tool("read_memory", id=own[other]).status == "COMPLETED"
            assert readable == (other == place)
            page = turn.tool("search_memory", limit=1, after=cursors[other])
            assert (page.status == "COMPLETED") == (other == place), "a cursor opens no other list"
    with agents[0].turn("c") as turn:
        assert turn.listed() == []


def test_s10_recalling_a_record_often_does_not_change_its_rank(words: Agent) -> None:
    made = words.seed(["the red kayak of Maria", "a red roof", "the red door", "red wine"])
    turn = words.begin()
    before = turn.search("red").ids
    for _ in range(4):
        turn.recall("red roof")
        turn.search(ids=[made[1]])
    turn.says("a red roof it is")
    assert turn.search("red").ids == before
    turn.commit()
    assert words.begin().search("red").ids == before


def test_s12_an_id_or_a_session_named_star_reaches_nobody_elses(words: Agent) -> None:
    words.remember("a wombat of a", session="a")
    star = words.begin("*")
    assert star.listed() == star.search("wombat").sources == star.recall("wombat")["records"] == []
    assert star.search(ids=["*"]).output["missing"] == ["*"]
    star.refused("read_memory", id="*")
    star.refused("delete_memory", id="*")
    assert words.visible("a") == ["a wombat of a"]


@pytest.mark.parametrize("mode", ["hybrid", "lexical"])
@pytest.mark.parametrize("newest", [0, 2])
def test_s13_the_exact_code_comes_first_beside_its_neighbours(runtime: Runtime, mode: str, newest: int) -> None:
    agent = Agent(runtime, harness(search={"mode": mode}))
    codes = ["ZX-99417-QP", "ZX-99417-QR", "ZX-99471-QP"]
    agent.seed([f"Invoice {code} was paid" for code in codes[newest + 1 :] + codes[: newest + 1]])
    turn = agent.begin()
    for code in codes:
        assert turn.found(code)[0] == f"Invoice {code} was paid"
        assert turn.found(f"was the invoice {code.lower()} paid?")[0] == f"Invoice {code} was paid"


def test_s13_codes_mails_and_files_are_found_whole_and_by_their_pieces(words: Agent) -> None:
    records = {
        "order 6f1c0c52-8f6e-4d0a-9a5b-0e2b7d8f1a11 is late": ["6f1c0c52-8f6e-4d0a-9a5b-0e2b7d8f1a11", "6f1c0c52"],
        "write to maria.lopez@example.org": ["maria.lopez@example.org", "lopez", "example.org"],
        "see report_final_v2.pdf": ["report_final_v2.pdf", "report", "pdf"],
        "upgrade to version 2.19.1": ["2.19.1"],
        "call getAccountBalance first": ["getAccountBalance", "balance", "account"],
    }
    words.seed(list(records))
    turn = words.begin()
    for record, queries in records.items():
        for query in queries:
            assert turn.found(query)[0] == record, query


@pytest.mark.parametrize(
    "record",
    [
        "客户希望在三月底之前收到新的合同并确认付款方式",
        "お客様は三月末までに新しい契約書を受け取りたいと言った",
        "ลูกค้าต้องการรับสัญญาฉบับใหม่ก่อนสิ้นเดือนมีนาคม",
    ],
    ids=["Chinese", "Japanese", "Thai"],
)
def test_s14_eight_characters_out_of_a_record_find_it_by_words(words: Agent, record: str) -> None:
    words.seed([record, "客户喜欢蓝色的车", "会議は来週です", "วันนี้อากาศดีมาก"])
    turn = words.begin()
    for start in range(0, len(record) - 8, 5):
        assert turn.found(record[start : start + 8])[0] == record


def test_s15_another_process_sees_what_was_committed_in_its_next_call(words: Agent) -> None:
    turns = [words.begin(f"reader {n}") for n in range(6)]
    for n in range(2):
        kept = words.remember(f"fact {n}", scope="agent")
        with ThreadPoolExecutor(6) as pool:
            found = list(pool.map(lambda turn: turn.search(limit=1).ids, turns))
        assert found == [[kept]] * 6


def test_s16_the_third_page_holds_what_it_should(words: Agent) -> None:
    made = words.seed([f"fact {n}" for n in range(25)])
    expected = sorted(made, reverse=True)
    turn = words.begin()
    pages = [ids(page) for page in turn.walk(limit=10)]
    assert pages == [expected[:10], expected[10:20], expected[20:]]
    by_ids = [turn.search(ids=expected[start : start + 10]) for start in (0, 10, 20)]
    assert by_ids[2].ids == expected[20:]
    assert by_ids[2].output["missing"] == []


def test_s6_what_turn_1_committed_is_recalled_at_once_by_turn_2(runtime: Runtime) -> None:
    agent = Agent(runtime, harness())
    for n, fact in enumerate(["the customer is allergic to peanuts", "the customer moved to Oslo"]):
        agent.remember(fact, session=f"s{n}")
        recalled = agent.begin(f"s{n}", message=fact.replace("the customer", "she")).recall()
        assert summaries(recalled["records"]) == [fact]


def test_s8_an_execution_of_another_agent_is_no_way_in(runtime: Runtime, words: Agent) -> None:
    words.remember("the wombat digs")
    other = Agent(runtime, lexical())
    turn = other.begin()
    fields: Json = {**turn.execution, "callId": new_id(), "name": "search_memory", "input": {"query": "wombat"}}
    assert runtime.refusal("callTool", **fields, actionId=words.id).code == "BAD_REQUEST"
    assert runtime.call("callTool", **fields)["output"]["sources"] == []


def test_s11_a_hundred_interleaved_operations_of_two_agents_cross_no_row(runtime: Runtime) -> None:
    agents = [Agent(runtime, lexical()) for _ in range(2)]

    def work(n: int) -> list[str]:
        agent, name = agents[n % 2], f"agent{n % 2}"
        turn = agent.begin(f"s{n % 10}-{n}")
        turn.add(f"{name} fact {n}", scope="agent")
        seen = turn.found("fact", limit=50) + [r["summary"] for r in turn.recall("fact")["records"]]
        turn.commit()
        return [summary for summary in seen if not summary.startswith(name)]

    with ThreadPoolExecutor(10) as pool:
        crossed = list(pool.map(work, range(16)))
    assert crossed == [[]] * 16
    for n, agent in enumerate(agents):
        assert sorted(agent.visible("later")) == sorted(f"agent{n} fact {i}" for i in range(n, 16, 2))
