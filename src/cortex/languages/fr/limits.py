"""How French limits what is said: to a stretch of time, or to a project."""

from __future__ import annotations

from cortex.languages.limits import LimitWords

_MOVED = (
    r"(?:all[ée]e?s?|venue?s?|arriv[ée]e?s?|partie?s?|n[ée]e?s?|morte?s?|tomb[ée]e?s?|rest[ée]e?s?|retourn[ée]e?s?"
    r"|rentr[ée]e?s?|devenue?s?|sortie?s?|entr[ée]e?s?|mont[ée]e?s?|pass[ée]e?s?|d[ée]c[ée]d[ée]e?s?|revenue?s?)"
)
_PARTICIPLE = r"(?!cong[ée]\b|ouf\b|droit\b|lieu\b)\w{1,20}(?:[ée]e?s?|[iu]e?s?|its?|ert|int|ris|mis|ait)"
_NUMBERS = {
    "un": 1, "une": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "dix": 10, "quelques": 5
}  # fmt: skip

LIMITS = LimitWords(
    day=r"\b(?:aujourd'hui|ce (?:matin|soir|midi)|cet apr[eè]s-midi)(?!\w)",
    week=r"\b(?:(?:toute )?cette semaine|ce week-?end|demain|ces jours-ci)\b",
    month=r"\b(?:ce mois(?:-ci)?|la semaine prochaine)\b",
    now=r"\b(?:pour l'instant|pour le moment|l[aà] maintenant|en ce moment)\b",
    until=(r"\bjusqu'(?:[aà]|au|aux|en)\s(?:ce\s|la\s|le\s|prochain\s)?{}",),
    within=r"\b(?:pour|pendant|durant|dans)\s(?:les?|la)\s(?:{}\s(?:[aà] venir|prochaine?s?|qui viennent))",
    days={"demain": 1, "ce soir": 0, "demain soir": 1, "après-demain": 2},
    weekdays=("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    months=(
        "janvier", "février, fevrier", "mars", "avril", "mai", "juin", "juillet", "août, aout", "septembre", "octobre",
        "novembre", "décembre, decembre",
    ),
    of=r"(?:er)?\s",
    spans={
        "week": r"(?:la )?fin de (?:la|cette) semaine",
        "month": r"(?:la )?fin d(?:u|e ce) mois",
        "year": r"(?:la )?fin de l'ann[ée]e",
    },
    numbers=_NUMBERS,
    units={"jour": 1, "jours": 1, "semaine": 7, "semaines": 7, "mois": 31},
    before=(
        r"(?:(?:s'il te pla[iî]t|mais|et|aussi|donc|alors|bonjour|salut|ok)[,\s]+){0,3}(?P<only>(?:(?:juste|seulement"
        r"|uniquement) )?pour |(?:juste|seulement|uniquement) )?"
    ),
    after=r"(?P<alone> (?:seulement|uniquement))?\s*[,:;–—-]?\s",
    lasting="désormais, ",
    orders=(
        r"^(?:s'il te pla[iî]t,? )?(?:(?:ne |n')(?!ai\b|suis\b)\w+(?:-\w+)?(?:\s\w+)?\s(?:pas|plus|jamais|que|qu'"
        r"|aucune?)"
        r"|(?:r[ée]ponds|r[ée]pondez|parle|parlez|[ée]cris|[ée]crivez|utilise|utilisez|r[ée]serve|[ée]vite|garde)\b)"
    ),
    scope=(
        r"(?:s'il te pla[iî]t,? )?(?:pour|dans|sur|pendant|durant|au sein) (?:du |de )?(?:le|la|notre|mon|ce"
        r"|l')\s?(?:projet"
        r"|d[ée]p[oô]t|repo|[ée]quipe|client)(?: (?P<about>(?!utilise|toujours|ne\b|n'|jamais|r[ée]pond)[\w&-]{2,40}"
        r"(?: (?-i:[A-ZÉÈ])[\w&-]{1,40})?))?\s?[,:]?\s"
    ),
    stays=(
        r"\b(?:[aà] partir d|d[eè]s (?:aujourd'hui|demain|cette)|depuis (?:hier|que|quelques|un an|une|deux|trois"
        r"|toujours|lundi|mardi|\d)|chaque|tous les|toutes les|toujours|d[ée]sormais"
        r"|ne \w+ plus|pour toujours|dans (?:un|une|deux|trois|quatre|cinq|six|\d{1,3}) (?:semaines?|mois|ans?)"
        r"|(?:le mois|l'ann[ée]e|l'[ée]t[ée]) prochaine?|cette ann[ée]e|cet [ée]t[ée])\b|\b(?:19|20)\d\d\b"
        r"|\b(?:janvier|f[ée]vrier|mars|avril|juin|juillet|ao[uû]t|septembre|octobre|novembre|d[ée]cembre)\b"
        r"|\b\d{1,2} mai\b"
    ),
    happened=(
        r"(?:\bj'|\b)(?:ai|as|a|avons|avez|ont)\s(?:(?:pas|d[ée]j[aà]|enfin|bien|tout|aussi|vraiment|juste|encore"
        r"|beaucoup"
        rf"|presque)\s){{0,2}}{_PARTICIPLE}\b"
        rf"|\b(?:suis|es|est|sommes|[êe]tes|sont)\s(?:(?:pas|d[ée]j[aà]|enfin|bien|aussi|juste)\s){{0,2}}{_MOVED}\b"
        r"|\b(?:me suis|t'es|s'est|nous sommes|vous [êe]tes|se sont)\s(?:(?:pas|d[ée]j[aà]|enfin|bien)\s){0,2}"
        r"\w{2,20}(?:[ée]e?s?|[iu]e?s?|its?)\b|\b(?:[ée]tais|[ée]tait|[ée]taient|avais|avait|fut|viens de|vient de)\b"
    ),
    life_events=(
        r"\b(?:mort[es]?|d[ée]c[ée]d[ée]e?s?|n[ée]e? (?:aujourd'hui|ce|cette|lundi|mardi|mercredi|jeudi|vendredi|samedi"
        r"|dimanche)|perdu mon (?:emploi|travail|poste|boulot|p[eè]re)|perdu ma m[eè]re|licenci[ée]e?|vir[ée]e?|promue?"
        r"|embauch[ée]e?|mari[ée]e?s?|me marie|nous marions|fianc[ée]e?s?|divorc[ée]?|s[ée]par[ée]e?s?|enceinte"
        r"|fausse couche|enterrement|obs[eè]ques|mariage|diagnostiqu[ée]e?|diagnostic|d[ée]m[ée]nag\w{1,4}|retraite"
        r"|dipl[oô]m[ée]e?|infarctus|avc|anniversaire|nouvel emploi|nouveau (?:travail|poste|job))\b"
    ),
)  # fmt: skip
