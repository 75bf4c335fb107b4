"""``builtin``: a review without a language model, by rules (page "Agent memory"; SPEC §7).

Honest about what it is: it keeps whole sentences in which a person says something lasting about themselves, a wish,
a decision, a correction, or a date, an amount or an id. It understands nothing, resolves no "it", and reads what users
say only. It tells a correction by the thing that both sentences name ("my favourite colour is …"), and the same fact
by its words.
"""

import json
import re
from collections.abc import Iterator, Sequence

from memoir.domain.plan import Proposed
from memoir.domain.record import SUMMARY_BYTES, Record
from memoir.domain.text import byte_length
from memoir.domain.tokens import TokenText
from memoir.ports import Answered, Ask

SAME = 0.8
"""Share of tokens in common from which two sentences say the same."""
NEAR = 0.4
"""Share from which a sentence that announces a change replaces what it resembles."""
MOST = 20

_SENTENCE = re.compile(r"[^.!?。！？؟।\n]+(?:\.(?=\S)[^.!?。！？؟।\n]+)*[.!?。！？؟।]*")
_QUESTION = re.compile(r"[?？؟]\s*$|(吗|呢|か)[。.]?\s*$")
_PERSON = re.compile(
    r"\b(i|i'm|i've|i'll|i'd|my|mine|me|we|our|ich|mein\w*|mir|wir|unser\w*|je|j'\w+|mon|ma|mes|nous|yo|mi|mis|me|eu|meu|"
    r"minha|io|mio|mia|я|мне|мой|моя|моё|мои|меня|мы|наш\w*)\b|我|咱|私|僕|俺|わたし|저|제가|제|나는|내|우리|أنا|لي|اسمي|"
    r"عندي|أحب|أعيش|أعمل|أفضل|मैं|मेर|मुझे|हम|ฉัน|ผม|ดิฉัน|เรา",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(am|was|are|is|have|had|live|lived|work|like|love|enjoy|prefer|hate|dislike|want|need|own|use|drink|eat|study|play|"
    r"moved|bought|got|started|stopped|finished|joined|plan|planning|decided|agreed|always|never|allergic|born|married|"
    r"favou?rite|called|named|name|remember|bin|habe|wohne|arbeite|mag|liebe|möchte|brauche|heiße|lieber|immer|nie|suis|"
    r"habite|aime|préfère|veux|appelle|toujours|jamais|soy|vivo|trabajo|gusta|prefiero|quiero|necesito|llamo|siempre|nunca|"
    r"moro|gosto|prefiro|quero|abito|preferisco|voglio|люблю|живу|работаю|зовут|нравится|хочу|предпочитаю|всегда|никогда)\b|"
    r"喜欢|住|工作|叫|爱|需要|想要|讨厌|偏好|决定|总是|从不|好き|住んで|嫌い|働いて|必要|決め|いつも|です|좋아|살아|살고|일해|"
    r"싫어|필요|결정|이에요|입니다|أحب|أعيش|أعمل|أفضل|اسمي|قررت|دائما|पसंद|रहत|काम|चाहिए|नाम|हमेशा|ชอบ|อยู่|ทำงาน|ต้องการ|ชื่อ|เสมอ",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"\b(please (always|never|only|don't|do not|call|remember)|remember that|call me|from now on|i prefer|we decided|"
    r"we agreed|bitte immer|ab jetzt|merke dir|à partir de maintenant|a partir de ahora)\b|以后|记住|今後|覚えて|"
    r"기억해|앞으로|تذكر|याद रख|จำไว้",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(actually|now|no longer|not any ?more|anymore|instead|changed|moved|correction|i meant|jetzt|nicht mehr|"
    r"stattdessen|maintenant|ahora|ya no|теперь|больше не|сейчас)\b|现在|不再|改成|其实|今は|もう|"
    r"지금|이제|الآن|لم أعد|अब|ตอนนี้|แล้ว",
    re.IGNORECASE,
)
_STRONG = re.compile(
    r"\b(live in|work (?:for|at|as)|favou?rite|allergic|prefer|my name is|call me|was born|married|vegan|vegetarian|"
    r"always|never|decided|agreed|wohne|arbeite|heiße|mag|lieber|habite|préfère|aime|m'appelle|vivo|trabajo|gusta|prefiero|"
    r"me llamo|moro|prefiro|abito|preferisco|живу|работаю|люблю|зовут|предпочитаю)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\b(yesterday|today|tonight|tomorrow|(?:last|next|this) (?:week|month|year|night|weekend|summer|winter|spring|"
    r"fall|\w+day)|(?:years?|months?|weeks?|days?) ago|recently|since|for (?:\w+ )?(?:years|months)|weekend|once|first|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|"
    r"december|gestern|heute|morgen|hier|demain|ayer|mañana|вчера|завтра)\b",
    re.IGNORECASE,
)
_DID = re.compile(
    r"\b(?:i|we|my \w+)(?:'ve| have|'m| am|'re| are)? (?:just |also |even |recently |finally |already |been |really )?"
    r"(?:went|visited|took|made|got|bought|saw|read|met|did|joined|started|finished|won|lost|adopted|signed|moved|"
    r"volunteered|painted|planned|planning|going|working|learned|learning|found|tried|trying|had|have|own|reading|watched|"
    r"ran|used|thinking|created|gave|passed|attended|applied|hosted|doing|playing|writing|wrote|love|loved|like|enjoy|want|"
    r"hope|live|work|study)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?<=[a-zäöüß,;:'’] )[A-ZÄÖÜ][\w]{2,}|\"[^\"]{3,}\"|\d|[\w.+-]+@[\w-]+\.\w+")
_COURTESY = re.compile(
    r"(thanks|thank you|wow|cool|awesome|great|nice|congrat\w*|sounds|that's|that is|glad|yeah|yes|absolutely|"
    r"definitely|totally|no worries|hey|hi|bye|take care|i agree|i'm glad|so true|good luck)\b",
    re.IGNORECASE,
)
_OTHER_SCRIPT = re.compile(r"[\u0600-\u06ff\u0900-\u097f\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
KEPT = 4
"""Points from which a sentence is kept; on chats this keeps about a fifth of the turns."""
LONG = 12
_THING = (
    re.compile(r"\b(?:my|our) ([\w' -]{2,40}?) (?:is|are|was) ", re.IGNORECASE),
    re.compile(r"\b(?:mein|meine|unser|unsere) ([\w -]{2,40}?) (?:ist|sind) ", re.IGNORECASE),
    re.compile(r"\b(?:mon|ma|mes) ([\w' -]{2,40}?) (?:est|sont) ", re.IGNORECASE),
    re.compile(r"\b(?:mi|mis) ([\w -]{2,40}?) (?:es|son) ", re.IGNORECASE),
    re.compile(r"\b(?:мой|моя|моё|мои) ([\w -]{2,40}?)(?: —|:| -| это) ", re.IGNORECASE),
    re.compile(r"(?:我的|我最)(.{1,20}?)(?:现在)?是"),
    re.compile(r"(?:私の|僕の)(.{1,20}?)は"),
    re.compile(r"(?:제|내) (.{1,20}?)(?:은|는|이|가) "),
)
_SEVERAL = re.compile(r"[,;，、；،]|\b(and|but|und|aber|et|mais|y|pero|и|но)\b", re.IGNORECASE)
"""A sentence that may say more than one thing."""
_LIVES = re.compile(
    r"\bi (?:now )?(live|work|study) (?:in|at|for)\b|\bi (moved) to\b|我(?:现在)?(住)在|(住んで)|ich (wohne|arbeite)",
    re.IGNORECASE,
)
_SAME_VERB = {"moved": "live"}


class BuiltinReview:
    """``ReviewModel`` by rules."""

    name = "builtin"

    def answer(self, ask: Ask, seconds: float) -> Answered:  # noqa: ARG002 - it needs none
        """Answer at once."""
        if ask.step == "extract":
            found = {"candidates": [one.model_dump(mode="json", exclude_none=True) for one in _candidates(ask)]}
        else:
            found = {"plan": [_item(ask, number) for number in range(len(ask.candidates))]}
        return Answered(json.dumps(found, ensure_ascii=False))


def _candidates(ask: Ask) -> list[Proposed]:
    kinds = ask.memory.kinds
    made: dict[str, Proposed] = {}
    for line in ask.lines:
        if line.speaker != "user":
            continue
        scored = [(score(one), one) for one in sentences(line.text)]
        best = max(scored, default=(0, ""), key=lambda one: one[0])
        if best[0] >= KEPT:
            kind = "guidance" if _WISH.search(best[1]) and "guidance" in kinds else _kind(kinds)
            made.setdefault(best[1], Proposed(summary=best[1], kind=kind))
    return list(made.values())[:MOST]


def _kind(kinds: Sequence[str]) -> str:
    return "fact" if "fact" in kinds else kinds[0]


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text that fit into a summary."""
    for found in _SENTENCE.finditer(text):
        sentence = " ".join(found.group().split())
        if sentence and byte_length(sentence) <= SUMMARY_BYTES and sentence.isprintable():
            yield sentence


def score(sentence: str) -> int:
    """How much speaks for keeping a sentence; from ``KEPT`` points on it is kept."""
    if _QUESTION.search(sentence) or len(TokenText.of(sentence, "").counts) < 2:
        return 0
    lasting = bool(_PERSON.search(sentence) and _LASTING.search(sentence))
    strong = thing(sentence) or _STRONG.search(sentence) or _OTHER_SCRIPT.search(sentence)
    signs = (lasting, lasting and strong, _DID.search(sentence), _WHEN.search(sentence), _NAMED.search(sentence))
    points = sum(2 for sign in signs if sign) + (KEPT if _WISH.search(sentence) else 0)
    return points + (len(sentence.split()) >= LONG) - bool(_COURTESY.match(sentence))


def _item(ask: Ask, number: int) -> dict[str, object]:
    candidate = ask.candidates[number]
    item: dict[str, object] = {"candidate": number + 1, "action": "add"}
    for handle in ask.similar[number]:
        known, alike = ask.shown[handle], _alike(candidate.summary, ask.shown[handle])
        if alike == 1 or (alike >= SAME and not _corrects(candidate.summary, known)):
            return {**item, "action": "skip"}
    taken = {str(one) for one in ask.shown if ask.shown[one].scope.config_name not in ask.memory.writes}
    for handle in ask.similar[number]:
        if handle not in taken and _corrects(candidate.summary, ask.shown[handle]) and _first(ask, number, handle):
            return {**item, "action": "replace", "target": handle}
    return item


def _first(ask: Ask, number: int, handle: str) -> bool:
    """Whether no earlier candidate replaces the same memory."""
    known = ask.shown[handle]
    earlier = range(number)
    return not any(handle in ask.similar[n] and _corrects(ask.candidates[n].summary, known) for n in earlier)


def _corrects(sentence: str, known: Record) -> bool:
    if _SEVERAL.search(known.summary):
        return False  # what else it says would be lost
    mine, theirs = thing(sentence), thing(known.summary)
    if mine is not None and mine == theirs:
        return True
    return bool(_CHANGE.search(sentence)) and _alike(sentence, known) >= NEAR


def thing(sentence: str) -> str | None:
    """What a sentence gives a value to: "my favourite colour is …" names the favourite colour."""
    for pattern in _THING:
        if found := pattern.search(sentence):
            return found.group(1).strip().casefold()
    if found := _LIVES.search(sentence):
        verb = next(one for one in found.groups() if one).casefold()
        return f"where: {_SAME_VERB.get(verb, verb)}"
    return None


def _alike(sentence: str, known: Record) -> float:
    """Share of tokens in common."""
    mine, theirs = set(TokenText.of(sentence, "").counts), set(known.tokens.counts)
    return len(mine & theirs) / max(1, len(mine | theirs))
