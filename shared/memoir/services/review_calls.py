"""The calls of a review: at most two in all, within its time; one answer that does not hold is asked for again."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal, TypeVar

from memoir.domain.block import shown
from memoir.domain.errors import ReviewFault
from memoir.domain.model import DocumentModel
from memoir.domain.plan import Candidates, Plan, Proposed, check, parse_answer
from memoir.domain.record import Record
from memoir.domain.turn import Usage
from memoir.domain.window import Window
from memoir.ports import Ask, Clock, Reviewer
from memoir.services.turns import Turn

MAX_CALLS = 2
"""Model calls of one review, repeated ones among them (SPEC §7)."""

M = TypeVar("M", bound=DocumentModel)
T = TypeVar("T")


class Caller:
    """Asks the model about one window; ``usage`` has a row for each call, failed ones too.

    Attributes:
        embedded: What the comparisons' embeddings cost, together.
    """

    def __init__(self, reviewer: Reviewer, clock: Clock, window: Window, turn: Turn) -> None:
        self._reviewer = reviewer
        self._clock = clock
        self._window = window
        self._turn = turn
        self._began = datetime.fromisoformat(clock.now())
        self.usage: list[Usage] = []
        self.embedded: Usage | None = None

    def embeds(self, usage: Usage | None) -> None:
        """Add what a comparison's embedding cost."""
        if usage is not None and self.embedded is not None:
            total, calls = self.embedded.tokens + usage.tokens, self.embedded.calls + 1
            usage = Usage(usage.purpose, usage.model, total, calls=calls)
        self.embedded = usage or self.embedded

    def extract(self) -> tuple[Proposed, ...]:
        """What is worth remembering.

        Raises:
            ReviewFault: The model did not answer as asked.
        """
        memory = self._turn.harness.memory

        def checked(found: Candidates) -> tuple[Proposed, ...]:
            numbered = enumerate(found.candidates, 1)
            return tuple(check(one, None, memory, number) for number, one in numbered)

        prompts, extraction = self._reviewer.prompts, memory.extraction
        keep = extraction.prompt if extraction and extraction.prompt else prompts.keep
        system = f"{prompts.extract}\nWhat to keep:\n{keep}\nRules:\n{prompts.rules}"
        ask = self._ask("extract", system, self._conversation(), Candidates.model_json_schema())
        return self._answer(Candidates, ask, checked)

    def decide(
        self,
        candidates: Sequence[Proposed],
        similar: Sequence[Sequence[str]],
        known: Mapping[str, Record],
        checked: Callable[[Plan], T],
    ) -> T:
        """A plan over candidates and the memories most like each.

        Raises:
            ReviewFault: The model did not answer as asked, or the plan breaks a rule.
        """
        rows = [
            {"candidate": number, **one.model_dump(mode="json", exclude_none=True), "similar": list(handles)}
            for number, (one, handles) in enumerate(zip(candidates, similar, strict=True), 1)
        ]
        memories = [{"handle": handle, **_as_shown(record)} for handle, record in known.items()]
        data = "\n".join(json.dumps(row, ensure_ascii=False) for row in (*memories, *rows))
        prompts = self._reviewer.prompts
        system = f"{prompts.decide}\nRules:\n{prompts.rules}"
        user = f"{self._conversation()}\n\nMemories by handle, and the candidates, one JSON object a line:\n{data}"
        ask = self._ask("decide", system, user, Plan.model_json_schema(), candidates, similar, known)
        return self._answer(Plan, ask, checked)

    def _ask(
        self,
        step: Literal["extract", "decide"],
        system: str,
        user: str,
        schema: Mapping[str, Any],
        candidates: Sequence[Proposed] = (),
        similar: Sequence[Sequence[str]] = (),
        known: Mapping[str, Record] | None = None,
    ) -> Ask:
        memory = self._turn.harness.memory
        return Ask(step, system, user, schema, memory, self._window.lines, candidates, similar, known or {})

    def _conversation(self) -> str:
        turn, memory = self._turn, self._turn.harness.memory
        labels = {name: label.description for name, label in memory.labels.items()}
        facts = {
            "time of the turn": turn.execution.time or turn.execution.created,
            "kinds": list(memory.kinds),
            "labels": labels,
            "scopes": sorted(memory.writes),
        }
        head = json.dumps(facts, ensure_ascii=False)
        return f"{head}\n\nThe conversation, one JSON object a line:\n{self._window.render()}"

    def _answer(self, model: type[M], ask: Ask, checked: Callable[[M], T]) -> T:
        """Ask; an answer that does not hold is asked for once more while calls are left."""
        while True:
            if len(self.usage) >= MAX_CALLS:
                raise ReviewFault(f"the review used its {MAX_CALLS} model calls")
            try:
                return checked(parse_answer(model, self._call(ask)))
            except ReviewFault:
                self.usage[-1] = replace(self.usage[-1], outcome="failed")
                if len(self.usage) >= MAX_CALLS:
                    raise

    def _call(self, ask: Ask) -> str:
        model = self._reviewer.model
        spent = (datetime.fromisoformat(self._clock.now()) - self._began).total_seconds()
        left = self._reviewer.seconds - spent
        self.usage.append(Usage("memory", model.name, 0))
        if left <= 0:
            raise ReviewFault(f"the review took longer than {self._reviewer.seconds:g} seconds")
        answered = model.answer(ask, left)
        self.usage[-1] = Usage("memory", model.name, answered.input_tokens, answered.output_tokens)
        return answered.text


def _as_shown(record: Record) -> dict[str, str]:
    return {"kind": record.kind, "scope": record.scope.config_name.value, "summary": shown(record.summary),
            "content": shown(record.content)}  # fmt: skip
