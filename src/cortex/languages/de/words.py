"""German: its words."""

from __future__ import annotations

from cortex.languages.words import PeriodWords, Questions, RelationWords, Similarity, Words, phrase

WORDS = Words(
    lang="de",
    order=70,
    stop_words="""
aber als am auf aus bei bis dass das dem den der des dessen deren diese dieser dieses dich dir du durch ein eine einem
einen einer eines er es euch euer fur gegen gibt haben hatte ich ihm ihn ihnen ihr ihre im ist kann kein keine konnen
mein meine mich mir mit nach nicht noch oder ohne sehr sein seine sich sie sind uber um und uns unser unter vom von
vor wann warum was welche welchem welchen welcher welches wenn wer werden wie wieder wird wo wurde wurden zu zum zur
zwischen
    """,
    changed=r"""
        jetzt, inzwischen, mittlerweile, nicht mehr, kein\w* [\wäöüß]+ mehr, neuerdings, ab sofort, auf \d\S*,
        erhöht, gesenkt, gestiegen, gesunken, verschoben, verlängert, vorverlegt, geändert, umgestellt,
        verkauft, umgezogen, gewechselt, seit kurzem, statt, stattdessen, nur noch, ab \d+\., neuer, neue
    """,
    corrected="korrektur, ich korrigiere, stimmt nicht, falsch gesagt, war falsch, vertan, verschrieben, meinte",
    takes_back="nein|doch",
    manner=r"\b(?:duze|sieze|duzen|siezen|kurz|knapp|höflich|metrisch\w*|nenn(?:e)? mich)\b",
    conditions=(
        r"^(?:bitte )?(?:(?:immer|jedes mal,?) )?(?:wenn|falls|sobald) (?:ich|du) (?:dich |dir |mich |mir )?(?:nach |"
        r"um |von |über |wegen )?(?P<about>[^,.!?]{2,80}?) (?:frage|fragst|bitte|schreibe|schreibst|erwähne|spreche|"
        r"sage|schicke|suche|brauche|buchst|empfiehlst|erstellst)\b,?",
        r"^(?:bitte )?(?:bei|für|in) (?:allen |jeder |jedem |meinen |deinen )?(?P<about>[A-ZÄÖÜ][\w-]+(?:en|e|s|n|"
        r"er)) (?:immer|bitte|nie|nur)\b",
    ),
    kinds={
        "rule.lasting": r"\b(?:ab (?:jetzt|sofort)|in zukunft|künftig)\b",
        "rule.opens": r"^\W*(?:bitte\s+)?(?:immer|nie|niemals)\b",
        "rule.strong": r"\b(?:immer|niemals|muss|müssen|darf|dürfen|verboten|jedes mal)\b",
        "rule.weak": r"\b(?:regel|vorgabe)\b",
        "procedure.steps": r"\b(?:die schritte|anleitung)\b",
        "procedure.order": r"\bzuerst\b.{1,500}\b(?:dann|danach|anschließend)\b",
        "procedure.goal": r"^\W*um\s+\w+.{0,60}[,:]\s*\S",
        "procedure.acts": r"\b(?:drücke|öffne|starte)\b.{0,500}\b(?:dann|und)\b",
        "preference.states": r"\b(?:bevorzug\w+|lieblings\w+|am liebsten|lieber)\b",
        "preference.likes": r"\b(?:mag|mögen|liebt?|hasst?|gern|gerne)\b",
        "preference.habit": r"\b(?:meistens|normalerweise)\b",
        "decision.taken": r"\b(?:entschieden|beschlossen|geeinigt|entscheidung)\b",
        "decision.switched": r"\b(?:umgestiegen|gewechselt|wechseln)\b",
        "decision.approved": r"\bstatt\b",
        "entity.called": r"\bheißt\b",
        "entity.is_ours": r"(?-i:[A-Z][\w-]{1,60}) ist (?:mein|meine|unser|unsere)\b",
        "episode.when": r"\b(?:gestern|letzte[ns]? (?:woche|monat|jahr)|vor \w+ (?:tagen|wochen|monaten|jahren))\b",
        "episode.verbs": r"\b(?:ging|gingen|traf|war|besuchte)\b",
        "fact.about": r"\b(?:ich heiße|wohn[et] in|arbeite[t]? (?:bei|als)|geboren|geburtstag)\b",
        "fact.is": r"\b(?:ist|sind|hat|habe|bin)\b",
    },
    reporting="nutzer nutzerin benutzer benutzerin anwender mag möchte bevorzugt wohnt lebt arbeitet heißt",
    injection=(
        phrase(
            "override", 1.0,
            r"\b(?:ignoriere?n?|ignorier|vergiss|vergessen|missachte\w*|beachte\w* nicht|verwirf)\b[^.\n]{0,30}"
            r"\b(?:vorherig|bisherig|früher|obig|vorig|alle|sämtliche|system|deine|vorangegangen|ursprünglich)\w*\b"
            r"[^.\n]{0,30}(?:anweisung|vorgabe|regel|befehl|instruktion|richtlinie)",
        ),
        phrase(
            "order", 0.5,
            r"\b(?:ab sofort|von nun an|ab jetzt|künftig|fortan|zukünftig|immer wenn|jedes mal|"
            r"sobald (?:der|die|jemand)|wann immer)\b",
        ),
        phrase(
            "concealment", 0.5,
            r"\b(?:sag|sage|sagen|verrate|verraten|erwähne|teile|informiere)\b[^.\n]{0,30}\b(?:nutzer|benutzer|"
            r"niemand|kund|anwender|davon)\w*[^.\n]{0,15}\b(?:nicht|nichts)\b",
        ),
    ),
    similarity=Similarity(
        capitalized=True,
        never=r"\bnie(?:mals)?\b",
        ended=r"\b(?:nicht mehr|kein\w* mehr|früher|aufgehört)\b",
        ended_cues="mehr",
        denying="nicht nichts kein keine keinen keinem keiner keines nie niemals ohne",
        opposites=(("hass", r"\bhass(?:e|t|en)\b", " nicht mag "),),
        answers="nein",
        months=(
            "januar", "februar", "märz", "", "mai", "juni", "juli", "", "", "oktober okt", "", "dezember dez",
        ),
        weekdays=(
            "montag montags", "dienstag dienstags", "mittwoch mittwochs", "donnerstag donnerstags", "freitag freitags",
            "samstag samstags", "sonntag sonntags",
        ),
        numbers={
            0: "null", 2: "zwei", 3: "drei", 4: "vier", 5: "fünf", 6: "sechs", 7: "sieben", 8: "acht", 9: "neun",
            10: "zehn", 11: "elf", 12: "zwölf", 20: "zwanzig",
        },
        units={
            "h": "stunden stunde", "min": "minuten", "day": "tage tagen", "week": "wochen", "month": "monate",
            "year": "jahre jahren", "%": "prozent",
        },
        persons={"first": "ich mir mich mein meine meinen meiner meinem wir uns unser unsere"},
        me="ich",
        relations="schwester bruder mutter vater frau mann freund chef",
        limits={
            "past": "war waren hatte",
            "only": "nur außer",
            "perhaps": "vielleicht",
            "wanted": "möchte",
            "to come": "wird werde",
            "supposed": "würde",
            "if": "wenn falls bis weil",
            "seldom": "manchmal selten",
            "nearly": "beinahe",
        },
        limiting="erste ersten zweite zweiten dritte dritten vierte vierten gestern heute morgen",
        filling=r"\bab jetzt\b",
        filling_cues="jetzt",
        fillers="doch leider wirklich sehr immer auch eigentlich gerade jetzt heiße heißt gern gerne bin bist habe hat "
        "ist die",
        directions="als statt anstatt vor nach von",
        articles="der die das ein eine",
    ),
    questions=Questions(
        earlier=r"\b(?:früher|zuerst|ursprünglich|vorher)\b",
        past=r"\b(?:war|waren|hatte)\b",
        several=r"\b(?:geändert|verlauf|zwischen|insgesamt)\b",
        number=r"\bwie ?(?:viele?|oft|lange|alt|groß)\b",
        date=r"\bwann\b",
        name=r"\bwo\b|\bwer\b",
        fact=r"\b(?:welche[rsnm]?|wie)\b",
        rules=r"\b(?:regeln|anweisungen)\b",
        recommendation=r"\b(?:empfiehl\w*|empfehl\w*|vorschlag\w*|vorschläge)\b",
        polar=r"(?:und )?(?:hast|habt|haben|ist|sind|war|waren|bist|seid|willst|wollt|möchtest|möchten|soll|sollen|"
        r"darf|dürfen|muss|müssen|magst|wirst|wird|brauchst|gibt es)\b",
        oneself=r"\b(?:ich|mein\w*)\b",
        refers=r"\b(?:es|er|sie|ihn|ihm|ihre?|seine?|das|dies\w*|dort|beide|stattdessen|dann)\b",
        unanswered=r"\bwei(?:ß|ss) (?:ich )?(?:das |es )?(?:leider |auch |noch )*nicht"
        r"(?=\W*$|, (?:wann|wo|wer|welche\w*)\b)"
        r"|\bkeine ahnung\b|\bkeine (?:informationen|angaben|daten) (?:dazu|darüber)\b|\bnicht bekannt\b",
        units={"percent": "prozent", "clock": "uhr", "duration": "stunden tage wochen monate"},
    ),
    periods=PeriodWords(
        days={"vorgestern": 2, "heute morgen": 0, "heute früh": 0, "gestern": 1, "heute": 0},
        last_time=r"\b(?:(?:das |beim )?(?:letzte[nrs]?|vorige[nrs]?) (?:mal|gespräch|unterhaltung|sitzung)|"
        r"wo (?:wir|ich) (?:aufgehört|stehen ?geblieben|stehengeblieben))\b",
        last="letzte[nrs]?|vergangene[nrs]?|vorige[nrs]?",
        this="diese[nrs]?|seit letzter",
        on="am|letzten|am letzten",
        in_="im|letzten|im letzten",
        week="woche",
        month="monat",
        ago=r"\bvor (?P<number>\d{1,3}|einem|einer|zwei|drei|vier|fünf|sechs|sieben) (?:(?P<days>tag(?:en)?)|"
        r"(?P<weeks>wochen?))\b",
        numbers={"einem": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7},
        requests=r"^\W*(?:(?:hey|hallo|also|ok|okay|bitte|und|kannst du|sag mir|erinner\w* mich)\W+)*"
        r"(?:(?:worüber|über was|wovon) (?:haben|hatten|sprachen)|was (?:habe?n?|hatten?|war|waren|ist|hast|wir|ich)\b|"
        r"fass\w*|zusammenfassung|(?:lass uns )?weiter|mach\w* weiter)",
        talk="""
        ich wir mir uns habe haben hast hatten mach machen macht sind worüber wovon geredet reden redeten gesprochen
        sprechen sprachen besprochen diskutiert gesagt sagte erzählt entschieden beschlossen vereinbart geplant
        gemacht getan gearbeitet passiert zusammen zusammenfassen zusammenfassung gespräch unterhaltung sitzung weiter
        weitermachen alles fass mal
        """,
    ),
    relations=RelationWords(
        changes="""
        jetzt inzwischen mittlerweile erhöht gesenkt gestiegen gesunken verschoben verlängert geändert umgestellt
        gewechselt umgezogen statt stattdessen neuerdings neu aktualisiert reduziert
        """,
        progress="erreicht geschafft abgeschlossen gewachsen verbessert bisher schon insgesamt fertig",
        goals="""
        ziel möchte will wollen plane planen hoffe hoffen sollte würde vielleicht mindestens brauche
        """,
        undone="brauche werde",
        never="nie niemals",
        not_="kein keine keinen",
        not_yet="noch",
        events="gestern vorgestern heute abend",
        states="ist sind bin beträgt kostet kosten habe hat wiegt wiege zahle zahlt verdiene besitze",
        several="""
        schwester bruder sohn tochter kind tante onkel cousin cousine nichte neffe enkel enkelin freund freundin
        kollege kollegin nachbar nachbarin mitbewohner mitbewohnerin hund katze kater pferd hase hamster
        """,
        generic="machen gut mehr tag woche monat jahr arbeit zeit heute immer auch hilfe projekt ganz viel",
    ),
)  # fmt: skip
