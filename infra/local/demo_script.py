"""The demo's later scenes: codes, corrections, another language, and what is asked to be forgotten."""

from infra.local.demo_cast import DANIEL, MAYA, XIAOYU, Forget, Line, Look, Save, Scene, Tool

CODES = Scene(
    "Wednesday · a code is found whole, a thought without its words",
    "three references differ in one or two characters; and 'phone' is not a word that was saved.",
    (
        Line(
            MAYA,
            "Has ZX-99417-QP arrived?",
            "It has: 4,000 kroner reached Ingrid this morning.",
            (
                Look(
                    "ZX-99417-QP",
                    "maya_transfer",
                    "code",
                    "A code is found whole: ZX-99417-QP comes first, not ZX-99417-QR or ZX-99471-QP",
                ),
                Tool("get_transfer", {"reference": "ZX-99417-QP"}, {"status": "CREDITED", "on": "2026-12-02"}),
            ),
            recalls=("maya_transfer",),
            why="the desk answers for the right one of three transfers.",
        ),
        Line(
            MAYA,
            "Someone rang me twice yesterday. Could you sort that out?",
            "I am sorry, that should not happen. I have told the team to write to you instead.",
            (
                Look(
                    "is it all right to phone this person?",
                    "maya_hearing",
                    "meaning",
                    "A record is found by its meaning, though it shares no word with the query",
                ),
            ),
        ),
    ),
)

CORRECTION = Scene(
    "Thursday · facts change",
    "a correction is a new record that names the old one; only the new one is recalled.",
    (
        Line(
            MAYA,
            "The new card is here, it ends in 4471. The old one is in the bin.",
            "Wonderful. 4471 is active from now on.",
            (
                Tool("activate_card", {"last4": "4471"}, {"status": "ACTIVE", "until": "2030-12"}),
                Save(
                    "maya_card_new",
                    "Maya Okafor's debit card ends in 4471, valid to December 2030",
                    replaces="maya_card",
                ),
            ),
        ),
        Line(
            MAYA,
            "And I have changed jobs! From now on my post goes to Fern & Hill, 3 Harbour Lane.",
            "Congratulations! I have changed the address.",
            (
                Save(
                    "maya_post_new",
                    "Letters and cards for Maya go to Fern & Hill, 3 Harbour Lane, Leith",
                    "guidance",
                    replaces="maya_post",
                ),
            ),
        ),
        Line(
            MAYA,
            "Which debit card do I have now, and where do my letters go?",
            "Your card ends in 4471, and letters go to Fern & Hill, 3 Harbour Lane.",
            recalls=("maya_card_new", "maya_post_new"),
            never=("maya_card", "maya_post"),
            why="an answer from the old records would send a card to the wrong office.",
            promise="A corrected fact is recalled, the fact it corrects never again",
        ),
    ),
)

CHINESE = Scene(
    "Thursday · 另一种语言",
    "nothing is translated: Chinese has no spaces between words, and still words and meaning find it.",
    (
        Line(
            XIAOYU,
            "你好，我是陈晓雨。我要搬到爱丁堡，请把账单寄到王子街88号。",
            "好的，从一月起账单会寄到爱丁堡王子街88号。",
            (
                Tool("get_customer", {"name": "陈晓雨"}, {"customer_id": "C-3390", "plan": "Plus"}),
                Save("xiaoyu_post", "陈晓雨的账单从2027年1月起寄到爱丁堡王子街88号", "guidance"),
            ),
        ),
        Line(
            XIAOYU,
            "我只会说中文，请在下午三点以后打电话给我。",
            "明白，我们会在下午三点以后用中文联系您。",
            (Save("xiaoyu_calls", "陈晓雨只说中文，下午三点以后才能接电话", "guidance"),),
        ),
        Line(
            XIAOYU,
            "上次汇款的手续费能退吗？",
            "可以，手续费已经退还。",
            (
                Tool("refund_fee", {"customer_id": "C-3390"}, {"refund": "HK-2231-CN", "amount": 15, "status": "DONE"}),
                Save("xiaoyu_fee", "陈晓雨的汇款手续费15英镑已退还，编号HK-2231-CN", "event"),
            ),
        ),
        Line(
            XIAOYU,
            "你们几点跟我联系比较好，还记得吗？",
            "当然：下午三点以后，用中文。",
            (
                Look(
                    "三点以后才能接",
                    "xiaoyu_calls",
                    "words",
                    "Seven characters out of a Chinese record find it by words",
                ),
                Look(
                    "什么时候可以致电客户",
                    "xiaoyu_calls",
                    "meaning",
                    "A question in other Chinese words finds it by meaning",
                ),
            ),
            recalls=("xiaoyu_calls",),
            never=("maya_hearing", "daniel_calls"),
            why="three customers want three ways of contact; each session knows its own.",
        ),
    ),
)

FORGET = Scene(
    "Friday · please forget that",
    "a deleted record leaves recall and search; who knows its id can still see that it was deleted.",
    (
        Line(
            MAYA,
            "Please forget the address at Fern & Hill for my letters. I work from home now.",
            "Forgotten. We write to the address on your account.",
            (Forget("maya_post_new"),),
            recalls=("maya_post_new",),
            why="the desk needs the record's id to delete it.",
        ),
        Line(
            MAYA,
            "So where do my letters go?",
            "To the address on your account. I no longer keep another one.",
            never=("maya_post", "maya_post_new"),
            promise="A deleted fact is not recalled, and neither is the one it had replaced",
        ),
    ),
)

TRAVEL = Line(
    DANIEL,
    "I am in Lisbon from 10 to 17 December. Please do not block my card there.",
    "Noted: Lisbon, 10 to 17 December.",
    (
        Tool("add_travel", {"country": "PT", "from": "2026-12-10", "to": "2026-12-17"}, {"status": "NOTED"}),
        Save(
            "daniel_travel", "Daniel travels to Lisbon from 10 to 17 December 2026; his card must work there", "event"
        ),
    ),
)
AWAY = Line(
    DANIEL,
    "My card was refused at a hotel in Portugal, why?",
    "It should not be: I see your trip. I have lifted the block.",
    (
        Tool("lift_block", {"last4": "7780"}, {"status": "LIFTED"}),
        Save("daniel_block", "Daniel's card was blocked abroad by mistake; the block was lifted", "event"),
    ),
    recalls=("daniel_travel",),
    why="the trip was saved by the commit whose answer got lost.",
)
