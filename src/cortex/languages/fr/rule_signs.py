"""Signs that a French sentence tells the assistant what to hold to from then on. Accents are read away."""

from __future__ import annotations

from cortex.languages.signs import word_of

_VERBS = (
    r"(?:abreg|abstien|adapt|adress|affich|ajout|annonc|appel|appell|arret|arrond|attend|attends|avert|avou|base|"
    r"calcul|"
    r"cess|chang|cherch|choisi|cite|class|commence|compar|compt|confirm|consid|conserv|contente|contredi|convert|"
    r"copi|"
    r"corrig|coup|decri|demand|detaill|dis|dit|dites|divis|donn|ecart|ecri|ecriv|ecris|emploi|employ|envo|epargn|"
    r"evit|"
    r"exclu|explique|expliqu|exprim|fai|fais|fait|faites|format|garde|gard|gener|ignor|indiqu|inform|insist|laiss|"
    r"limit|"
    r"list|mentionn|met|mets|mett|mettez|montr|n'oubli|nomm|not|oubli|ordonn|parl|part|pars|pose|precis|prefer|prend|"
    r"prends|"
    r"preven|previen|previens|privilegi|propos|range|rappel|rappell|recommand|redig|reduis|reformul|regard|remplac|"
    r"renvo|"
    r"repond|reponds|repondez|reserv|respect|rest|resum|retir|retiens|separ|signal|simplif|sois|soyez|soulign|sugger|"
    r"sugger|"
    r"suis|supprim|surveill|tien|tiens|tenez|traduis|traduit|trait|tri|tutoi|tutoy|utilis|va|vas|verifi|vis|vouvoi|"
    r"vouvoy)"
    r"(?:e|es|ez|s|t|is|it|issez|ie|ies|iez|le|les|lez|ons)?"
)
_LEAD = (
    r"^[\"«(]?\s?(?:(?:et|mais|au fait|alors|ah|oh|bon|ok|d'accord|merci|s'il (?:te|vous) plait|stp|svp|super|"
    r"parfait|sinon|"
    r"aussi|donc|tiens|dis|ecoute|petite chose|une chose|derniere chose|oui|non),?\s?:?\s){0,3}"
)
_LASTING = (
    r"(?:toujours|jamais|a (?:chaque|l'avenir)|chaque fois|desormais|dorenavant|a partir de (?:maintenant|la)|"
    r"a partir d'aujourd'hui|des (?:maintenant|aujourd'hui)|par defaut|systematiquement|en general|de maniere "
    r"generale|"
    r"a tous les coups|plus jamais|sans exception|la prochaine fois|les prochaines fois)"
)
_MANNER = word_of(r"""
    reponses?, reponds?, francais, anglais, breton, langue, quebecois\w*, emojis?, emojis?, smileys?, exclamation,
    puces, listes?, tableaux?, phrases?, paragraphes?, titres?, resume\w*, intro\w*, sources?, liens?, citations?,
    cites?, exemples?, bref\w*, breves?, court\w*, concis\w*, long\w*, direct\w*, franc\w*, honnete\w*, questions?,
    demande\w*, expliqu\w*, explications?, commentaires?, code, variables?, format\w*, dates?, heures?, nombres?,
    chiffres?, montants?, prix, ttc, ht, euros?, francs, dollars, metriques?, metres, kilometres?, grammes?, celsius,
    unites, degres, decimal\w*, virgule, recettes?, suggestions, recommand\w+, propos\w+, conseils?, excuses?,
    compliments?, ton, mots?, textes?, mails?, messages?, brouillons?, jargon, anglicismes?, noms?, markdown, etapes,
    gras, italique, majuscules?, minuscules?, tirets?, virgules?, niveau, presents?
""")
_THIS = (
    r"\b(?:cette?|ces|ceci|cela|celui|celle|-ci|le (?:texte|paragraphe|titre|mail|dernier|premier|deuxieme)|la "
    r"(?:derniere|"
    r"premiere|deuxieme|liste|lettre|phrase|ligne)|une?|deux|trois|cinq|dix)\b|^\w+(?:e|s|z)-(?:le|la|les)\b"
)
_ONCE = word_of(r"""
        aujourd'hui(?! je), demain, cette fois, ce coup-ci, pour l'instant, tout de suite, encore une fois, une fois,
        vite,
        maintenant que, exceptionnellement, apres, ce soir
    """)
_REQUEST = (
    _LEAD
    + r"(?:tu (?:peux|pourrais|veux bien)|peux-tu|pourrais-tu|pouvez-vous|pourriez-vous|ca t'ennuie|ca te derange|"
    r"est-ce que tu (?:peux|pourrais)|possible d)\b"
)
_THEN = (
    rf"[,:;]\s(?:et\s|alors\s|merci de\s|toujours\s|d'abord\s){{0,2}}(?:{_VERBS}(?:-\w+)?|ne\s|n'|pas d[e']|"
    r"jamais|plus d[e']|rien|juste|sans|tu\s)"
)
_CONDITION = (
    _LEAD + r"(?:quand|lorsque?|si|s'il|des que?|chaque fois que?|a chaque fois que?|avant de?|avant que|tant que|"
    r"en cas)[\s']"
)
_SO = r",\s(?:donc|alors|du coup|c'est pourquoi)\s(?:\w+\s)?(?:pas|ne|n'|jamais|toujours|que|evite|mets|\w+-moi)\b"
_I_DO = (
    _LEAD + r"(?:desormais,?\s|dorenavant,?\s|a partir de \w+,?\s|des \w+,?\s|moi,?\s)?(?:je\s|j'|on\s|"
    r"nous\s)(?!veux|"
    r"voudrais|prefere|"
    r"souhait|aimerais|attends|tiens a|demande|ecri)\w+"
)

RULE_SIGNS = {
    # That it lasts.
    "always": word_of("toujours, a chaque fois, chaque fois, systematiquement, sans exception, tout le temps, chaque"),
    "never": word_of(
        r"jamais, plus jamais, ne \w+ plus, en aucun cas, sous aucun pretexte, interdi\w+, plus de, plus aucun\w?"
    ),
    "from now on": word_of(r"""
        desormais, dorenavant, a l'avenir, a partir de (?:maintenant|la), a partir d'aujourd'hui, des (?:maintenant|
        aujourd'hui), la prochaine fois, les prochaines fois, pour la suite, une fois pour toutes, maintenant
    """),
    "by default": word_of(r"""
        par defaut, en general, de maniere generale, de facon generale, en regle generale, par principe, d'office,
        pour tou\w+, dans tou\w+, tous, toutes, partout, valable pour tout, pour tout
    """),
    "only": word_of(r"""
        seulement, uniquement, juste, rien que, au maximum, maximum, max, minimum, sans, plutot que, au lieu de?,
        d'abord,
        plutot, exclusivement, que du, que des, avant de, avant
    """),
    "only how long": r"^(?:et )?(?:ca |c'est |cela )?(?:vaut |valable )?(?:toujours|jamais|pour tout(?:es?)?(?: "
    r"\w+)?|(?:a )?chaque fois|"
    r"par defaut|desormais|dorenavant|a l'avenir|sans exception|systematiquement|en regle generale|de maniere "
    r"generale|en general)"
    r"(?:,? (?:stp|svp|s'il te plait))?[.! ]*$",
    # On what condition.
    "condition": _CONDITION,
    "condition of the user": r"\b(?:quand|lorsque|si|des que|chaque fois que|tant que)\s(?:je|j'|on)|\blorsqu'on|"
    r"\b(?:si|quand|des "
    r"que|des qu'|s')\s?(?:il s'agit|il y a|elle|ca)",
    "condition of the assistant": r"\b(?:quand|lorsque|si|des que|chaque fois que|avant que)\s(?:tu|vous)\b|"
    r"\b(?:avant d[e'])\s?\w+",
    "condition alone": rf"^(?!.*{_THEN})(?={_CONDITION})",
    "kind": _LEAD
    + r"(?:pour|dans|avec|sur|en|cote|concernant|au niveau)\s(?!ce\b|cette\b|ces\b|cet\b|l'instant|demain|le moment)"
    r"[^,.:!?]{3,40}(?:,|:)\s",
    # What kind of order it is.
    "order": _LEAD + rf"(?:toujours\s|d'abord\s)?{_VERBS}(?:-(?:moi|nous|le|la|les|toi|vous|lui))?\b(?!\s(?:je|"
    rf"tu)\b)",
    "order after a clause": _THEN,
    "infinitive order": _LEAD
    + r"(?:(?:ne\s(?:pas|jamais|plus)|merci de|priere de|toujours|pas)\s(?:me\s|m')?)?\w{2,}(?:er|ir|re)\s(?!de\b)",
    "please": word_of("s'il te plait, s'il vous plait, stp, svp, merci de, je te prie, je vous prie, ok"),
    "forbids": _LEAD
    + r"(?:ne\s|n')(?:(?:me|nous|le|la|les|lui|te|vous)\s|m'|l'|t')?\w+|"
    + _LEAD
    + r"(?:arret\w+|cess\w+|evit\w+|plus "
    r"(?:de|jamais|aucun\w?)\b|pas d[e']|jamais\s|interdi\w+|fini\s|inutile|assez de|stop|moins de|aucun\w?\s|"
    r"zero\s)",
    "forbids in a word": _LEAD
    + r"(?:pas d[e']|plus d[e']|plus jamais d[e']|aucune?|zero|assez d[e']|fini|stop|moins d[e']|priere de "
    r"ne)\s?(?:[\w']+\s?){1,4}[.!]*$",
    "no thing": r"\b(?:pas d[e']|plus d[e']|sans|aucune?|zero|moins d[e'])\s?(?!souci|probleme|idee|doute|chance|"
    r"soucis|panique|"
    r"quoi|un coup)[\w«]",
    "wants of the assistant": r"\b(?:veux|voudrais|prefere\w*|souhait\w+|aimerais|attends|"
    r"apprecie\w*)\b[^.?!]{0,20}\bque (?:tu|vous)\b",
    "wish": r"\b(?:je (?:veux|voudrais|prefere|prefererais|souhaite\w*|tiens a)|j'(?:aimerais|attends|apprecie\w*|"
    r"aime)|il faudrait|"
    r"ce serait|ca m'arrange\w*)\b[^.?!]{0,30}\bqu[e']",
    "you should": r"\btu (?:dois|devrais|peux|pourrais|n'as pas|me|ne|le|les|n'|as)\b|\bvous (?:devez|pouvez|ne)\b|"
    r"\b(?:pas la peine|"
    r"inutile|pas besoin)\b",
    "request": _REQUEST,
    "request for good": rf"^(?=.*\b{_LASTING}\b)(?=.*\b(?:tu (?:peux|pourrais)|(?:peux|pourrais)-tu|(?:pouvez|"
    rf"pourriez)-vous|t'ennuie|"
    r"te derange)\b).*\?",
    "things must": _LEAD
    + r"(?:tous|toutes|tout|toute|chaque|aucune?|les?|la|mes)\s[^,.?!]{2,50}\s(?:doivent|doit|devront|seront)\s",
    "so": _SO,
    "requires": word_of("doit, doivent, faut, suffit, c'est non, reste, restent, va, vont"),
    # What it is about.
    "manner": _MANNER,
    "opens with manner": rf"{_LEAD}(?:(?:mes|les|le|la|l'|tes|pas de|plus de|plus jamais de|tous|toutes|toujours|que "
    rf"des?|juste|arrete avec|en)\s){{0,3}}{_MANNER}",
    "manner alone": rf"^(?!.*\b(?:je|j'|il|elle|on|est|etait|c'est)\b)(?!.*{_THIS})(?!.*{_ONCE}).*{_MANNER}",
    "address": r"\b(?:tuto\w+|vouvo\w+|appell?e\w*-moi|m'appeler|tutoiement|vouvoiement|prenom|surnom|pronoms?)\b",
    "me": r"\b(?:moi|me|mon|ma|mes|nous|notre|nos)\b|\bm'",
    "you": r"\b(?:tu|toi|te|ton|ta|tes|vous|votre|vos)\b|\bt'",
    "without me or you": r"^(?!.*\b(?:je|moi|me|mon|ma|mes|nous|tu|toi|te|ton|ta|tes|vous|votre|vos)\b|.*\b[jmt]')",
    # That it is of one thing or of one time.
    "once": rf"^(?!.*\b{_LASTING}\b).*{_ONCE}",
    "this one": _THIS,
    # That it is no order at all.
    "I do": rf"^(?!.*{_SO})(?={_I_DO})",
    "habit": r"\b(?:je|j'|on|nous)\s?(?:ne\s|n'|me\s|m')?\w+\s(?:[^,.;]{0,30}\s)?(?:toujours|jamais|chaque|"
    r"desormais)\b|\b(?:toujours|jamais|desormais|dorenavant|chaque \w+),?\s(?:je|on|nous|j')\b",
    "to others": r"\b(?:dis|dites|ecris|explique|demande|reponds)(?:-lui|-leur)\b|\b(?:dis|ecris|explique|demande|"
    r"rappelle)\s(?:a|au|aux)\b",
    "I will": r"\b(?:je vais|je me mets|j'arrete|je commence|on va|j'essaie|\w+erai|\w+irai)\b",
    "others": word_of(r"""
        il faut, on (?:dit|doit|peut), (?:ma|mon) (?:mere|pere|grand-\w+|chef\w*|patron\w*|frere|sœur|femme|mari|prof|
        voisin\w?|copain|copine|ami\w?), ils?, elles?, les gens, panneau, affiche, tout le monde, quelqu'un, college,
        ecole
    """),
    "reports": word_of(r"""
        dit, disait, disent, a dit, repete\w*, repetait, selon, exige, insiste, voulait, veut que, m'a dit, j'ai dit,
        comme on dit, conseille, recommandait, raconte
    """),
    "asks": rf"^(?!{_REQUEST})(?!.*\b(?:ok|d'accord|hein|compris|entendu)\s?\?).*\?\s*$",
    "question word": _LEAD
    + r"(?:qu'est-ce|que\b|quoi|comment|quand est|ou|pourquoi|qui|quel\w*|combien|est-ce|faut-il|peut-on|"
    r"doit-on|c'est vrai|tu sais|tu connais|c'est quoi|c'est de qui)",
    "thanks": word_of(r"merci, super, genial, parfait, top, bravo, ha ?ha\w*, mdr, plaisir, rougir, chapeau, nickel"),
    "exclaims": rf"^(?!.*{_MANNER}).*[!！]",
    "past": r"\b(?:etait|etaient|avait|avaient|fut|(?:j'ai|tu as|il a|elle a|on a|ont|nous avons|je suis|"
    r"sont)\s\w{2,}[eitsu]|\w{3,}ait)\b",
    "cooking": word_of(r"""
        pate, four, cuisson, creme, poele, casserole, bouillir, fremi\w+, retirer, fouetter, melanger, sel, beurre,
        farine,
        œufs?, eau, sauce, riz, repos\w*, batterie, appareil, vis, laver, mayonnaise, feu
    """),
    "saying": word_of(r"""
        jamais deux sans trois, dire jamais, abandonn\w+, reves?, cœur, courage, mieux vaut, baisse pas les bras,
        la vie,
        l'ours, confiance, jamais de la vie, meme galere
    """),
    "a thing and how": r"^[^,.!?:]{2,40}(?:,|:|\sen|\savec|\ssans|\stoujours)\s(?!(?:mais|que|parce|quand|et|je|tu|"
    r"il|elle|c'est)\b)"
    r"[^,.!?]{2,40}[.!]?$",
    "short": r"^\S+(?:\s\S+){0,2}$",
    "under 9 words": r"^\S+(?:\s\S+){3,7}$",
    "long": r"^\S+(?:\s\S+){18}",
}
