"""Arabic: its words."""

from __future__ import annotations

from cortex.languages.words import Similarity, Words

WORDS = Words(
    lang="ar",
    order=120,
    stop_words="""
ا ان أن إن او أو اي أي اين أين الى إلى التي الذي الذين اذا إذا بعد بين تم ثم حتى حول حيث ذلك سوف على عن عند عندما غير
فقط في فيها فيه قبل قد كان كانت كل كم كما كيف لا لقد لكن لم لماذا له لها ما ماذا متى مع من منذ نحن هذا هذه هل هم هو هي
هناك و وقد وكان ولا وهو وهي يا يكون
    """,
    letters="[\u0600-\u06ff]",
    similarity=Similarity(concord="لا لم لن ليس"),
)
