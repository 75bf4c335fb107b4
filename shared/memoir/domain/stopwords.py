"""Words too common to search by, in the languages supported; they leave queries only (RANKING "Tokens").

Each list holds surface forms, casefolded. Of the Latin script only English: a stop word of one language there is a
content word of another (door, war, son).
"""

_LISTS = {
    "en": """a about above after again all also am an and any are as at be been before being below between both but by
        can could did do does doing don down during each few for from further had has have having he her here hers
        him his how i if in into is it its itself just me more most my no nor not now of off on once only or other
        our out over own same she should so some such than that the their them then there these they this those
        through to too under until up us very was we were what when where which while who whom why will with would
        you your""",
    "ru": """а без бы был была были было быть в вам вас во вот все всё вы где да для до его ее её если есть еще ещё же
        за
        и из или им их к как когда который ли мне мы на над не нет ни но о об он она они от по под при с со так там
        то тоже только ты у уже чего что чтобы эта эти это этот я""",
    "ar": """في من على الى إلى عن مع هذا هذه ذلك تلك التي الذي الذين ما ماذا متى اين أين كيف كم هل لم لن لا او أو و ثم
        قد
        كان كانت يكون هو هي هم نحن انا أنا انت أنت كل بعد قبل بين عند ان أن إن""",
    "hi": """का के की को में से है हैं था थी थे और या पर यह वह ये वे इस उस ने भी तो ही एक कि जो कर किया गया क्या कब कहाँ
        कैसे कौन क्यों हो होता होती होते नहीं लिए साथ तक अपने""",
    "ko": """이 그 저 것 수 등 및 또는 그리고 에서 으로 에게 의 를 을 은 는 가 와 과
""",
}

STOP_WORDS = frozenset(word for words in _LISTS.values() for word in words.split())
