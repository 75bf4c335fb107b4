"""``explain``: why records were found, in numbers, for runtimes and operators (SPEC §5)."""

from pydantic import JsonValue

from memoir.domain.ranking import Ranking, Scored


def explained(ranking: Ranking, shown: int) -> JsonValue:
    """What placed each record that is shown, and why the other candidates are not.

    Args:
        ranking: The whole ranking.
        shown: How many of its results the reply holds.
    """
    dropped: list[JsonValue] = [{"memoryId": one, "reason": reason} for one, reason in ranking.dropped]
    dropped += [
        {"memoryId": one.id, "reason": f"place {place}: below the limit of {shown}"}
        for place, one in enumerate(ranking.results[shown:], shown + 1)
    ]
    return {"results": [_why(one) for one in ranking.results[:shown]], "dropped": dropped}


def _why(one: Scored) -> JsonValue:
    return {
        "memoryId": one.id,
        "score": round(one.score, 4),
        "similarity": None if one.similarity is None else round(one.similarity, 4),
        "words": round(one.words, 4),
        "recency": one.created or None,
        "foundBy": [*one.found_by],
    }
