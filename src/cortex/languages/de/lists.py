"""Lists of German words and patterns, by the names in `cortex.languages.lists`."""

from __future__ import annotations

LISTS = {
    "approves": (
        r"\W*(?:(?:das|dies|es|alles) )?(?:klingt|hört sich|sieht|wirkt) (?:(?:sehr|wirklich|echt|ganz|"
        r"richtig) )?(?:gut|super|toll|prima|perfekt|vernünftig|sinnvoll|hilfreich|spannend|machbar|"
        r"nach einem (?:guten )?plan)\b"
    ),
    "answers the assistant": (
        r"(?:danke|vielen dank|das (?:klingt|hilft|passt|macht sinn|ist (?:gut|super|toll|hilfreich))|klingt|"
        r"super|toll|prima|perfekt|okay|ok|alles klar|verstanden|gut|gerne|ja|genau|stimmt|cool|wow)\b"
    ),
    "months": "januar|februar|märz|mai|juni|juli|oktober|dezember",
    "weekdays": "montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag",
    "ordinal endings": r"\.",
    "percent": "prozent",
    "durations": "minuten?|stunden?|tagen?|tage|wochen?|monate?n?|jahre?n?",
    "definite": "der die das mein meine unser",
    "indefinite": "ein eine einen",
    "joining": "und oder",
    "speaker": "ich wir",
    "speaker's": "mein meine unser",
    "breaking": "aber weil obwohl",
    "abbreviations": r"nr|z\.b|bzw|ca|inkl|exkl|zzgl|ggf|usw|(?:am|den|der|dem|zum|vom|bis|ab|seit) \d{1,2}",
    "clause ends": "und|aber|weil",
    "openers": "außerdem danach derzeit früher inzwischen jetzt laut seit später zudem zunächst",
    "small numbers": "ein zwei drei vier fünf",
    "passwords": "passwort|kennwort",
    "password of": "für|zum|zur|vom",
    "password is": "ist|war|lautet",
    "password is now": "jetzt|noch",
    "keys": "schlüssel",
    "past the owner": r"\b(?:dem|den|der|die) (?:nutzer|benutzer|anwender)|\bki-(?:assistent|agent|modell)",
    "machines": r"\b(?:ki|sprachmodelle?)\b(?:[ -](?:assistent\w{0,2}|agent\w{0,2}|modell\w{0,2}))?",
    "helpers": r"assistent\w{0,2}|agent\w{0,2}",
    "helpers are ai": "ki",
    "who reads this": "die|der|das",
    "addresses": r"an|für|liebe\w?",
    "all of them": "alle|die|den",
    "this project": (
        r"\b(?:dies\w{1,2}|unser\w{0,2}) (?:projekt\w*|repo\w*|code\s?basis|workspace|paket\w*|modul\w*|"
        r"dienst\w*|branch)\b"
    ),
    "months of a name": "januar februar marz mai juni juli oktober dezember",
    "days of a name": "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "words and names": "stern klein gross lang kurz jung koch weber bauer",
    "before a month": "im ab bis seit anfang ende mitte",
    "articles of any case": "der die das den dem ein eine",
    "titles of people": (
        "frau herr fraulein doktor tante onkel cousine schwester bruder kollege kollegin freund freundin chef "
        "chefin nachbar nachbarin lehrer lehrerin mutter vater oma opa"
    ),
    "particles of a name": "von zu zur",
    "before names or words": "von nach vor",
    "conditional": "wenn falls",
    "choosing": "oder",
    "before a lone month": "im|bis|seit",
    "pin is": "ist",
}
