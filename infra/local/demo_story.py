"""The demo's story: who says what, which tools answer, what is saved, what must be recalled.

A bank's support desk serves three customers over five days. No model runs: the desk's lines are written here. What the
desk remembers is not: every save, recall and search goes through memoir.
"""

from infra.local.demo_cast import DANIEL, MAYA, Line, Save, Scene, Tool

FIRST_VISIT = Scene(
    "Monday · a customer is remembered",
    "the desk saves what Maya tells it; her next message finds it at once.",
    (
        Line(
            MAYA,
            "Hello, Maya Okafor here. My debit card was declined at the pharmacy this morning.",
            "I am sorry, Maya: the card ending in 0932 ran out on 30 November. I can send a new one today.",
            (
                Tool("get_customer", {"name": "Maya Okafor"}, {"customer_id": "C-1041", "since": 2019, "plan": "Plus"}),
                Tool("get_card", {"customer_id": "C-1041"}, {"last4": "0932", "status": "EXPIRED", "until": "2026-11"}),
                Save("maya_card", "Maya Okafor's debit card ends in 0932 and expired in November 2026"),
            ),
        ),
        Line(
            MAYA,
            "Yes please. Send the new card to my work: Quayside Dental, 14 Dock Street, Leith.",
            "Ordered. It goes to Quayside Dental and should be there on Thursday.",
            (
                Tool("order_card", {"replaces": "0932"}, {"order": "CO-58213", "arrives": "2026-12-03"}),
                Save(
                    "maya_post",
                    "Letters and cards for Maya go to Quayside Dental, 14 Dock Street, Leith",
                    "guidance",
                ),
            ),
            recalls=("maya_card",),
            why="'the new card' needs no question: the desk knows which one it replaces.",
            promise="What one turn commits, the next turn of the session recalls at once",
        ),
        Line(
            MAYA,
            "Is my salary in? It should come on the 25th.",
            "It is: 2,310.40 arrived on 25 November, from Quayside Dental.",
            (
                Tool(
                    "list_payments",
                    {"customer_id": "C-1041", "direction": "in", "limit": 1},
                    [{"date": "2026-11-25", "amount": 2310.40, "from": "Quayside Dental Ltd"}],
                ),
                Save("maya_salary", "Maya's salary arrives on the 25th of each month"),
            ),
        ),
        Line(
            MAYA,
            "One more thing: I am nearly deaf in my left ear. I cannot follow calls, so please put things in writing.",
            "Thank you for telling me. We will write to you and not phone.",
            (Save("maya_hearing", "Maya is hard of hearing: contact her by letter or chat only", "guidance"),),
        ),
        Line(
            MAYA,
            "That is all, thank you!",
            "You are welcome, Maya. Have a good week.",
        ),
    ),
)

OTHER_CUSTOMER = Scene(
    "Monday · another customer asks the same",
    "Daniel's questions sound like Maya's, yet nothing of hers may reach him.",
    (
        Line(
            DANIEL,
            "Daniel Reyes. My debit card expired too: where do you send the new card?",
            "To your home at 9 Castle Wynd, Stirling, unless you want it elsewhere.",
            (
                Tool("get_customer", {"name": "Daniel Reyes"}, {"customer_id": "C-2077", "plan": "Basic"}),
                Tool("get_card", {"customer_id": "C-2077"}, {"last4": "7780", "status": "EXPIRED", "until": "2026-11"}),
                Save("daniel_card", "Daniel Reyes's debit card ends in 7780 and expired in November 2026"),
            ),
            never=("maya_card", "maya_post", "maya_hearing"),
            promise="What the desk learned of one customer never reaches another customer's session",
        ),
        Line(
            DANIEL,
            "Home is fine. Put a note: the bell is broken, they have to knock.",
            "Noted for the courier.",
            (
                Tool("order_card", {"replaces": "7780"}, {"order": "CO-58231", "arrives": "2026-12-04"}),
                Save(
                    "daniel_post", "Daniel's cards go to 9 Castle Wynd, Stirling; the bell is broken, knock", "guidance"
                ),
            ),
        ),
        Line(
            DANIEL,
            "How long is my mortgage rate fixed?",
            "Until 30 June 2028, at 3.9 per cent.",
            (
                Tool(
                    "get_mortgage", {"customer_id": "C-2077"}, {"loan": "GB-M-20771", "rate": 3.9, "until": "2028-06"}
                ),
                Save("daniel_mortgage", "Daniel's mortgage GB-M-20771 is fixed at 3.9 % until June 2028"),
            ),
        ),
        Line(
            DANIEL,
            "I drive at night, so if you ring me, ring after six in the evening.",
            "After six it is.",
            (Save("daniel_calls", "Daniel works night shifts: phone him after 18:00 only", "guidance"),),
        ),
    ),
)

LESSON = Scene(
    "Tuesday · a lesson for every session",
    "what the desk learns about its work has agent scope: Maya profits from Daniel's trouble.",
    (
        Line(
            DANIEL,
            "My transfer to Oslo came back. What went wrong?",
            "Norway wants a purpose code, and the form had none. I have sent it again with code 17.",
            (
                Tool(
                    "get_transfer",
                    {"reference": "ZX-88120-NO"},
                    {"status": "RETURNED", "reason": "purpose code missing", "fee": 0},
                ),
                Save(
                    "lesson_norway",
                    "Payments to Norway bounce unless the purpose code is filled in (17 for family support)",
                    "guidance",
                    content="Seen with transfer ZX-88120-NO on 2 December 2026: returned after a day, no fee.",
                    scope="agent",
                ),
            ),
        ),
        Line(DANIEL, "Thank you, that was quick.", "Glad to help, Daniel."),
        Line(
            MAYA,
            "I want to send 4,000 kroner to my sister in Bergen. Anything I should mind?",
            "Yes: the bank there wants a purpose code. I will put 17, family support, so that it does not bounce.",
            (
                Tool(
                    "send_transfer",
                    {"to": "Ingrid Okafor", "amount": 4000, "currency": "NOK", "purpose": 17},
                    {"reference": "ZX-99417-QP", "status": "SENT"},
                ),
                Save("maya_transfer", "Transfer ZX-99417-QP: Maya sent 4,000 NOK to Ingrid Okafor in Bergen", "event"),
            ),
            recalls=("lesson_norway",),
            never=("daniel_card", "daniel_mortgage", "daniel_calls"),
            why="it was learned in Daniel's session, and saves Maya a payment that bounces.",
            promise="What is saved with agent scope is recalled in every session of the agent",
        ),
        Line(
            MAYA,
            "And 350 pounds to my landlord, please.",
            "Sent. The reference is ZX-99417-QR.",
            (
                Tool(
                    "send_transfer", {"to": "J. Baird", "amount": 350}, {"reference": "ZX-99417-QR", "status": "SENT"}
                ),
                Save("maya_rent", "Transfer ZX-99417-QR: Maya sent 350 GBP to her landlord J. Baird", "event"),
            ),
        ),
        Line(
            MAYA,
            "Last one: stop the standing order for my gym.",
            "Stopped, under reference ZX-99471-QP.",
            (
                Tool("stop_order", {"payee": "Leith Fitness"}, {"reference": "ZX-99471-QP", "status": "STOPPED"}),
                Save("maya_gym", "Order ZX-99471-QP: Maya stopped the standing order for Leith Fitness", "event"),
            ),
        ),
    ),
)
