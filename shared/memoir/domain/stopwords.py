"""Words too common to search by, in the languages supported; they leave queries only (RANKING "Tokens").

Each list holds surface forms, casefolded and without Latin accents.
"""

_LISTS = {
    "en": """a about above after again all also am an and any are as at be been before being below between both but by
        can could did do does doing don down during each few for from further had has have having he her here hers
        him his how i if in into is it its itself just me more most my no nor not now of off on once only or other
        our out over own same she should so some such than that the their them then there these they this those
        through to too under until up us very was we were what when where which while who whom why will with would
        you your""",
    "de": """aber als am an auch auf aus bei bin bis das dass dem den der des die dies diese du durch ein eine einem
        einen einer er es fur hat ich ihr im in ist ja kann man mein mit nach nicht noch nur oder sein sich sie sind
        so uber um und uns vom von vor war was wenn wer wie wir wird zu zum zur""",
    "fr": """au aux avec ce ces cette dans de des du elle en est et eux il ils je la le les leur lui ma mais me mes mon
        ne nos notre nous on ou par pas pour qu que qui sa se ses son sur ta te tes ton tu un une vos votre vous""",
    "es": """al como con de del donde el ella ellos en entre era es esta este esto ha hay la las le lo los mas me mi muy
        no nos o para pero por que se si sin sobre son su sus te un una uno y ya yo""",
    "pt": """ao aos as com da das de do dos e ela ele em entre era essa esse esta este eu foi isso ja mais mas me meu na
        nao nas no nos o os ou para pela pelo por que se sem ser seu sua tem um uma voce""",
    "it": """ad al alla alle anche che chi ci come con da dal dalla dei del della delle di dove e ed gli ha ho i il in
        io
        la le lo ma mi nel nella non o per piu questo se sei si sono su sul tra un una uno""",
    "nl": """aan als bij dat de den der die dit door een en er haar had heb heeft het hij hoe hun ik in is je kan maar
        me
        met mijn naar niet nog nu of om onder ons ook op over te tot uit van voor want was wat we wel wie worden zal
        ze zich zijn zo""",
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
