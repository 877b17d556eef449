"""Italian: its words."""

from __future__ import annotations

from cortex.languages.words import Questions, RelationWords, Similarity, Words, phrase

WORDS = Words(
    lang="it",
    order=100,
    stop_words="""
agli ai al alla alle allo anche chi che ci cosa cui da dal dalla dei del della delle dello di e ed gli il io la le lei
li lo loro lui ma mi mia mio ne nei nel nella noi non o perche piu qual quale quali quando quanto quanti quella quello
questa questo se si sono su sua sul sulla suo ti tra tu un una uno voi
    """,
    small_talk="""
    ciao salve sì si no ok grazie perfetto ottimo bene certo capito fantastico bello bravo esatto prego ahah
    ahaha buongiorno buonasera
    buonanotte
    """,
    small_talk_phrases="""
    grazie mille, molte grazie, va bene, tutto bene, d accordo, buona serata, buona giornata, buona notte, a
    presto, a domani, ci vediamo,
    nessun problema, di niente, molto bene, ho capito, che bello
    """,
    changed=r"""
        ora, adesso, ormai, non \w+ più, è passat[oa], è cambiat[oa], ho cambiato, abbiamo cambiato,
        rimandat[oa], spostat[oa], anticipat[oa],
        rinviat[oa], salit[oa], sces[oa], aumentat[oa], diminuit[oa], invece di, al posto di, smesso,
        lasciato, nuovo, nuova, a partire da,
        sostituit[oa], mi sono trasferit[oa], slitta, vendut[oa]
    """,
    corrected="correzione, mi correggo, rettifico, mi sono sbagliat[oa], volevo dire, intendevo, errore mio",
    takes_back="no",
    manner=r"\b(?:dammi del (?:tu|lei)|chiamami|in italiano|in inglese|breve|brevi|conciso|metric\w+)\b",
    conditions=(
        r"(?:^| )(?:quando|ogni volta che|se) (?:ti |mi )?(?:chiedo|parlo|scrivo|mando|cerco|domando) (?:di |un |una |"
        r"il |la |le )?(?P<about>[^,.!?]{2,80})",
    ),
    kinds={
        "rule.lasting": r"\b(?:d'ora in poi|d'ora in avanti|da oggi in poi)\b",
        "rule.opens": r"^\W*(?:per favore,?\s+)?(?:sempre|mai|non \w+are)\b",
        "rule.strong": r"\b(?:sempre|mai|deve|devono|ogni volta|vietato|obbligatorio)\b",
        "procedure.order": r"\bprima\b.{1,500}\b(?:poi|dopo)\b",
        "preference.states": r"\b(?:preferisc[eo]|preferit[oaie])\b",
        "preference.likes": r"\b(?:mi piace|mi piacciono|adoro|odio|detesto)\b",
        "decision.taken": r"\b(?:abbiamo deciso|ho deciso|deciso|scelto|optato|stabilito)\b",
        "entity.called": r"\bsi chiama\b",
        "episode.when": r"\b(?:ieri|la settimana scorsa|l'anno scorso|\w+ (?:giorni|settimane|mesi|anni) fa)\b",
        "fact.about": r"\b(?:mi chiamo|abito|vivo a|lavoro (?:come|in|per)|nat[oa]|compleanno)\b",
        "fact.is": r"\b(?:è|sono|ha|ho)\b",
    },
    reporting="utente preferisce vuole abita lavora",
    injection=(
        phrase(
            "override",
            1.0,
            r"\b(?:ignor[ai]\w*|dimentic[ah]\w*|trascur[ai]\w*|non tenere conto)\b[^.\n]{0,40}(?:istruzioni|regole|"
            r"direttive|indicazioni)\b[^.\n]{0,12}(?:precedenti|del sistema|di sistema|sopra)",
        ),
        phrase(
            "order",
            0.5,
            r"\b(?:d'ora in poi|d'ora in avanti|da ora in poi|ogni volta che (?:l'utente|qualcuno|ti))\b",
        ),
        phrase(
            "concealment",
            0.5,
            r"\bnon (?:dire|dirlo|rivelare|menzionare|informare)\b[^.\n]{0,30}(?:utente|nessuno|cliente)",
        ),
    ),
    similarity=Similarity(
        never=r"\bnon (?:\w+ ){1,2}mai\b|\bmai \w+[aeio]t[aeio]\b",
        ended=r"\bnon \w+ più\b",
        concord="non senza",
        months=(
            "gennaio",
            "febbraio",
            "",
            "aprile",
            "maggio",
            "giugno",
            "luglio",
            "",
            "settembre",
            "ottobre",
            "",
            "dicembre",
        ),
        weekdays=("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"),
        numbers={3: "tre", 4: "quattro", 5: "cinque", 7: "sette", 8: "otto", 10: "dieci", 12: "dodici", 20: "venti"},
        units={"day": "giorni giorno", "week": "settimane settimana", "month": "mesi mese", "year": "anni anno"},
        persons={"first": "io mio mia miei mie noi nostro nostra", "he": "lui", "she": "lei", "they": "loro"},
        me="io",
        relations="sorella fratello madre padre moglie marito figlio figlia amico amica capo vicino vicina",
        limits={"past": "aveva", "only": "soltanto tranne", "perhaps": "forse magari", "if": "quando"},
        filling=r"\b(?:in realtà|in effetti|alla fine)\b",
        filling_cues="realtà effetti fine",
        fillers="molto anche mai sempre attualmente adesso sono chiamo davvero",
        directions="prima dopo",
        articles="il lo gli le un uno una",
    ),
    questions=Questions(
        earlier=r"\b(?:prima|in origine|una volta)\b",
        number=r"\bquant[oaie]\b",
        name=r"\bdov'è\b|\bchi è\b",
        fact=r"\b(?:qual|quale|quali)\b",
        rules=r"\b(?:regole|istruzioni)\b",
        recommendation=r"\b(?:consigli\w+|suggeri\w+|raccomanda\w*)\b",
        polar=r"(?:e )?(?:vuoi|vuole|hai|ha|sei|è|devo|dovrei|c['’]è|ci sono|vai|ti piace)\b",
        oneself=r"\b(?:io|mio|mia)\b",
        refers=r"\b(?:lui|lei|loro|questo|quello|ciò|lì)\b",
        unanswered=r"\bnon (?:lo )?so(?=\W*$|,| (?:quando|dove|chi|quale)\b)|\bnessuna idea\b"
        r"|\bnon ho (?:questa informazione|informazioni)\b",
    ),
    relations=RelationWords(
        states="è sono ho ha pago paga costa costano pesa peso guadagno",
        several="""
        sorella fratello figlio figlia zia zio cugina cugino nipote amica amico collega vicina vicino coinquilina
        coinquilino cane gatto gatta cavallo
        """,
    ),
)
