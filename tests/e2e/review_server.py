"""A review model on loopback that computes its answers from the request, in OpenAI's chat form."""

import json
from typing import Any

from tests.integration.model_server import Answer, Asked, ModelServer

Json = dict[str, Any]


def rows(text: str) -> list[Json]:
    """The JSON objects of a prompt, one a line."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def said(text: str) -> str:
    """An answer in the form of a chat completion, as a server gives it."""
    return json.dumps(
        {"choices": [{"message": {"content": text}}], "usage": {"prompt_tokens": 70, "completion_tokens": 9}}
    )


def completion(text: str) -> Answer:
    """A chat completion."""
    return Answer(200, said(text).encode())


def is_decision(asked: Asked) -> bool:
    """Whether the request is the review's second call."""
    return '"candidate":' in prompt(asked) or "Memories by handle" in prompt(asked)


def prompt(asked: Asked) -> str:
    """What the model is told by the user's message."""
    return str(asked.body["messages"][1]["content"])


def system(asked: Asked) -> str:
    """The instructions."""
    return str(asked.body["messages"][0]["content"])


def lines(asked: Asked) -> list[Json]:
    """The conversation's lines."""
    return [row for row in rows(prompt(asked)) if "from" in row]


def behave(asked: Asked) -> Answer:
    """Keep what a user begins with "keep: "; decide by the words of the candidate."""
    if not is_decision(asked):
        kept = [line["text"].removeprefix("keep: ") for line in lines(asked)
                if line["from"] == "user" and line["text"].startswith("keep: ")]  # fmt: skip
        return completion(json.dumps({"candidates": [{"summary": one, "kind": "fact"} for one in kept]}))
    known = {row["handle"]: row for row in rows(prompt(asked)) if "handle" in row}
    plan = []
    for row in (row for row in rows(prompt(asked)) if "similar" in row):
        item: Json = {"candidate": row["candidate"], "action": "add"}
        if any(known[handle]["summary"] == row["summary"] for handle in row["similar"]):
            item["action"] = "skip"
        elif row["similar"] and "instead" in row["summary"]:
            item |= {"action": "replace", "target": row["similar"][0]}
        elif row["similar"] and "forget" in row["summary"]:
            item |= {"action": "delete", "target": row["similar"][0]}
        plan.append(item)
    return completion(json.dumps({"plan": plan}))


def server() -> ModelServer:
    """The model, running."""
    return ModelServer(behave)
