"""Signs that a French sentence tells the assistant what to hold to from then on."""

from __future__ import annotations

from cortex.languages.signs import word_of

_VERBS = (
    r"(?:abrèg|abstien|adapt|adress|affich|ajout|annonc|appel|appell|arrêt|arrond|attend|attends|avert|avou|base|calcul|"
    r"cess|chang|cherch|choisi|cite|class|commence|compar|compt|confirm|consid|conserv|contente|contredi|convert|copi|"
    r"corrig|coup|décri|demand|détaill|dis|dit|dites|divis|donn|écart|écri|écriv|écris|emploi|employ|envo|épargn|évit|"
    r"exclu|explique|expliqu|exprim|fai|fais|fait|faites|format|garde|gard|génèr|ignor|indiqu|inform|insist|laiss|limit|"
    r"list|mentionn|met|mets|mett|mettez|montr|n'oubli|nomm|not|oubli|ordonn|parl|part|pars|pose|précis|préfèr|prend|prends|"
    r"préven|prévien|préviens|privilégi|propos|range|rappel|rappell|recommand|rédig|réduis|reformul|regard|remplac|renvo|"
    r"répond|réponds|répondez|réserv|respect|rest|résum|retir|retiens|sépar|signal|simplif|sois|soyez|soulign|suggèr|suggér|"
    r"suis|supprim|surveill|tien|tiens|tenez|traduis|traduit|trait|tri|tutoi|tutoy|utilis|va|vas|vérifi|vis|vouvoi|vouvoy)"
    r"(?:e|es|ez|s|t|is|it|issez|ie|ies|iez|le|les|lez|ons)?"
)
_LEAD = (
    r"^[\"«(]?\s?(?:(?:et|mais|au fait|alors|ah|oh|bon|ok|d'accord|merci|s'il (?:te|vous) plaît|stp|svp|super|parfait|sinon|"
    r"aussi|donc|tiens|dis|écoute|petite chose|une chose|dernière chose|oui|non),?\s?:?\s){0,3}"
)
_LASTING = (
    r"(?:toujours|jamais|à (?:chaque|l'avenir)|chaque fois|désormais|dorénavant|à partir de (?:maintenant|là)|"
    r"à partir d'aujourd'hui|dès (?:maintenant|aujourd'hui)|par défaut|systématiquement|en général|de manière générale|"
    r"à tous les coups|plus jamais|sans exception|la prochaine fois|les prochaines fois)"
)
_MANNER = word_of(r"""
    réponses?, réponds?, français, anglais, breton, langue, québécois\w*, émojis?, emojis?, smileys?, exclamation,
    puces, listes?, tableaux?, phrases?, paragraphes?, titres?, résumé\w*, intro\w*, sources?, liens?, citations?,
    cites?, exemples?, bref\w*, brèves?, court\w*, concis\w*, long\w*, direct\w*, franc\w*, honnête\w*, questions?,
    demande\w*, expliqu\w*, explications?, commentaires?, code, variables?, format\w*, dates?, heures?, nombres?,
    chiffres?, montants?, prix, ttc, ht, euros?, francs, dollars, métriques?, mètres, kilomètres?, grammes?, celsius,
    unités, degrés, décimal\w*, virgule, recettes?, suggestions, recommand\w+, propos\w+, conseils?, excuses?,
    compliments?, ton, mots?, textes?, mails?, messages?, brouillons?, jargon, anglicismes?, noms?, markdown, étapes
""")
_THIS = (
    r"\b(?:cette?|ces|ceci|cela|celui|celle|-ci|le (?:texte|paragraphe|titre|mail|dernier|premier|deuxième)|la (?:dernière|"
    r"première|deuxième|liste|lettre|phrase|ligne)|une?|deux|trois|cinq|dix)\b|^\w+(?:e|s|z)-(?:le|la|les)\b"
)
_ONCE = word_of(r"""
        aujourd'hui(?! je), demain, cette fois, ce coup-ci, pour l'instant, tout de suite, encore une fois, une fois, vite,
        maintenant que, exceptionnellement, après, ce soir
    """)
_REQUEST = (
    _LEAD
    + r"(?:tu (?:peux|pourrais|veux bien)|peux-tu|pourrais-tu|pouvez-vous|pourriez-vous|ça t'ennuie|ça te dérange|"
    r"est-ce que tu (?:peux|pourrais)|possible d)\b"
)
_THEN = (
    rf"[,:;]\s(?:et\s|alors\s|merci de\s|toujours\s|d'abord\s){{0,2}}(?:{_VERBS}(?:-\w+)?|ne\s|n'|pas d[e']|"
    r"jamais|plus d[e']|rien|juste|sans|tu\s)"
)
_CONDITION = (
    _LEAD + r"(?:quand|lorsque?|si|s'il|dès que?|chaque fois que?|à chaque fois que?|avant de?|avant que|tant que|"
    r"en cas)[\s']"
)

RULE_SIGNS = {
    # That it lasts.
    "always": word_of("toujours, à chaque fois, chaque fois, systématiquement, sans exception, tout le temps, chaque"),
    "never": word_of(
        r"jamais, plus jamais, ne \w+ plus, en aucun cas, sous aucun prétexte, interdi\w+, plus de, plus aucun\w?"
    ),
    "from now on": word_of(r"""
        désormais, dorénavant, à l'avenir, à partir de (?:maintenant|là), à partir d'aujourd'hui, dès (?:maintenant|
        aujourd'hui), la prochaine fois, les prochaines fois, pour la suite, une fois pour toutes, maintenant
    """),
    "by default": word_of(r"""
        par défaut, en général, de manière générale, de façon générale, en règle générale, par principe, d'office,
        pour tou\w+, dans tou\w+, tous, toutes, partout, valable pour tout, pour tout
    """),
    "only": word_of(r"""
        seulement, uniquement, juste, rien que, au maximum, maximum, max, minimum, sans, plutôt que, au lieu de?, d'abord,
        plutôt, exclusivement, que du, que des, avant de, avant
    """),
    "only how long": r"^(?:et |ça |c'est |cela |vaut |valable |pour |s'il te plaît,? |en |de |comme |à )*(?:toujours|jamais|tout|toutes?|"
    r"chaque fois|à chaque fois|par défaut|désormais|dorénavant|l'avenir|sans exception|systématiquement|règle|(?:manière )?générale?|"
    r"tous les chats)[.! ]*$",
    # On what condition.
    "condition": _CONDITION,
    "condition of the user": r"\b(?:quand|lorsque|si|dès que|chaque fois que|tant que)\s(?:je|j'|on)|\blorsqu'on|\b(?:si|quand|dès "
    r"que|dès qu'|s')\s?(?:il s'agit|il y a|elle|ça)",
    "condition of the assistant": r"\b(?:quand|lorsque|si|dès que|chaque fois que|avant que)\s(?:tu|vous)\b|\b(?:avant d[e'])\s?\w+",
    "condition alone": rf"^(?!.*{_THEN})(?={_CONDITION})",
    "kind": _LEAD
    + r"(?:pour|dans|avec|sur|en|côté|concernant|au niveau)\s(?!ce\b|cette\b|ces\b|cet\b|l'instant|demain|le moment)"
    r"[^,.:!?]{3,40}(?:,|:)\s",
    # What kind of order it is.
    "order": _LEAD + rf"(?:toujours\s|d'abord\s)?{_VERBS}(?:-(?:moi|nous|le|la|les|toi|vous|lui))?\b(?!\s(?:je|tu)\b)",
    "order after a clause": _THEN,
    "infinitive order": _LEAD
    + r"(?:(?:ne\s(?:pas|jamais|plus)|merci de|prière de|toujours|pas)\s(?:me\s|m')?)?\w{2,}(?:er|ir|re)\s(?!de\b)",
    "please": word_of("s'il te plaît, s'il vous plaît, stp, svp, merci de, je te prie, je vous prie, ok"),
    "forbids": _LEAD
    + r"(?:ne\s|n')(?:(?:me|nous|le|la|les|lui|te|vous)\s|m'|l'|t')?\w+|"
    + _LEAD
    + r"(?:arrêt\w+|cess\w+|évit\w+|plus "
    r"(?:de|jamais|aucun\w?)\b|pas d[e']|jamais\s|interdi\w+|fini\s|inutile|assez de|stop|moins de|aucun\w?\s|zéro\s)",
    "no thing": r"\b(?:pas d[e']|plus d[e']|sans|aucune?|zéro|moins d[e'])\s?(?!souci|problème|idée|doute|chance|soucis|panique|"
    r"quoi|un coup)[\w«]",
    "wish": r"\b(?:je (?:veux|voudrais|préfère|préférerais|souhaite\w*|tiens à)|j'(?:aimerais|attends|apprécie\w*|aime)|il faudrait|"
    r"ce serait|ça m'arrange\w*)\b[^.?!]{0,30}\bqu[e']",
    "you should": r"\btu (?:dois|devrais|peux|pourrais|n'as pas|me|ne|le|les|n'|as)\b|\bvous (?:devez|pouvez|ne)\b|\b(?:pas la peine|"
    r"inutile|pas besoin)\b",
    "request": _REQUEST,
    "request for good": rf"^(?=.*\b{_LASTING}\b)(?=.*\b(?:tu (?:peux|pourrais)|(?:peux|pourrais)-tu|(?:pouvez|pourriez)-vous|t'ennuie|"
    r"te dérange)\b).*\?",
    "things must": _LEAD
    + r"(?:tous|toutes|tout|toute|chaque|aucune?|les?|la|mes)\s[^,.?!]{2,50}\s(?:doivent|doit|devront|seront)\s",
    "so": r",\s(?:donc|alors|du coup|c'est pourquoi)\s(?:\w+\s)?(?:pas|ne|n'|jamais|toujours|que|évite|mets|\w+-moi)\b",
    "requires": word_of("doit, doivent, faut, suffit, c'est non, reste, restent, va, vont"),
    # What it is about.
    "manner": _MANNER,
    "opens with manner": rf"{_LEAD}(?:(?:mes|les|le|la|l'|tes|pas de|plus de|plus jamais de|tous|toutes|toujours|que des?|juste|arrête avec|en)\s){{0,3}}{_MANNER}",
    "manner alone": rf"^(?!.*\b(?:je|j'|il|elle|on|est|était|c'est)\b)(?!.*{_THIS})(?!.*{_ONCE}).*{_MANNER}",
    "address": r"\b(?:tuto\w+|vouvo\w+|appell?e\w*-moi|m'appeler|tutoiement|vouvoiement|prénom|surnom|pronoms?)\b",
    "me": r"\b(?:moi|me|mon|ma|mes|nous|notre|nos)\b|\bm'",
    "you": r"\b(?:tu|toi|te|ton|ta|tes|vous|votre|vos)\b|\bt'",
    "without me or you": r"^(?!.*\b(?:je|moi|me|mon|ma|mes|nous|tu|toi|te|ton|ta|tes|vous|votre|vos)\b|.*\b[jmt]')",
    # That it is of one thing or of one time.
    "once": rf"^(?!.*\b{_LASTING}\b).*{_ONCE}",
    "this one": _THIS,
    # That it is no order at all.
    "I do": _LEAD
    + r"(?:désormais,?\s|dorénavant,?\s|à partir de \w+,?\s|dès \w+,?\s|moi,?\s)?(?:je\s|j'|on\s|nous\s)(?!veux|voudrais|préfère|"
    r"souhait|aimerais|attends|tiens à|demande|écri)\w+",
    "habit": r"\b(?:je|j'|on|nous)\s?(?:ne\s|n'|me\s|m')?\w+\s(?:[^,.;]{0,30}\s)?(?:toujours|jamais|chaque|désormais)\b|\b(?:toujours|jamais|désormais|dorénavant|chaque \w+),?\s(?:je|on|nous|j')\b",
    "to others": r"\b(?:dis|dites|écris|explique|demande|réponds)(?:-lui|-leur)\b|\b(?:dis|écris|explique|demande|rappelle)\s(?:à|au|aux)\b",
    "I will": r"\b(?:je vais|je me mets|j'arrête|je commence|on va|j'essaie|\w+erai|\w+irai)\b",
    "others": word_of(r"""
        il faut, on (?:dit|doit|peut), (?:ma|mon) (?:mère|père|grand-\w+|chef\w*|patron\w*|frère|sœur|femme|mari|prof|
        voisin\w?|copain|copine|ami\w?), ils?, elles?, les gens, panneau, affiche, tout le monde, quelqu'un, collège, école
    """),
    "reports": word_of(r"""
        dit, disait, disent, a dit, répète\w*, répétait, selon, exige, insiste, voulait, veut que, m'a dit, j'ai dit,
        comme on dit, conseille, recommandait, raconte
    """),
    "asks": rf"^(?!{_REQUEST})(?!.*\b(?:ok|d'accord|hein|compris|entendu)\s?\?).*\?\s*$",
    "question word": _LEAD
    + r"(?:qu'est-ce|que\b|quoi|comment|quand est|où|pourquoi|qui|quel\w*|combien|est-ce|faut-il|peut-on|"
    r"doit-on|c'est vrai|tu sais|tu connais|c'est quoi|c'est de qui)",
    "thanks": word_of(r"merci, super, génial, parfait, top, bravo, ha ?ha\w*, mdr, plaisir, rougir, chapeau, nickel"),
    "exclaims": rf"^(?!.*{_MANNER}).*[!！]",
    "past": r"\b(?:était|étaient|avait|avaient|a|ont|ai|suis|sommes|fut|\w+ait|\w+é)\b",
    "cooking": word_of(r"""
        pâte, four, cuisson, crème, poêle, casserole, bouillir, frémi\w+, retirer, fouetter, mélanger, sel, beurre, farine,
        œufs?, eau, sauce, riz, repos\w*, batterie, appareil, vis, laver, mayonnaise, feu
    """),
    "saying": word_of(r"""
        jamais deux sans trois, dire jamais, abandonn\w+, rêves?, cœur, courage, mieux vaut, baisse pas les bras, la vie,
        l'ours, confiance, jamais de la vie, même galère
    """),
    "a thing and how": r"^[^,.!?:]{2,40}(?:,|:|\sen|\savec|\ssans|\stoujours)\s(?!(?:mais|que|parce|quand|et|je|tu|il|elle|c'est)\b)"
    r"[^,.!?]{2,40}[.!]?$",
    "short": r"^\S+(?:\s\S+){0,2}$",
    "under 9 words": r"^\S+(?:\s\S+){3,7}$",
    "long": r"^\S+(?:\s\S+){18}",
}
