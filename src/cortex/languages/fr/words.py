"""French: its words."""

from __future__ import annotations

from cortex.languages.words import Questions, RelationWords, Similarity, Words, phrase

WORDS = Words(
    lang="fr",
    order=80,
    stop_words="""
au aux avec ce ces cette c d dans de des du elle elles en est et etait etaient ete eux il ils j je l la le les leur
leurs lors lui ma mais meme mes mon n ne nos notre nous ont ou par pas qu quand que quel quelle quelles quels qui quoi
sa sans ses sont sous ta te tes toi ton tu un une vos votre vous y
    """,
    small_talk="""
    salut bonjour bonsoir coucou oui ouais non ok merci parfait super génial nickel cool top bravo daccord volontiers
    bah bof voilà mdr ciao bye
    """,
    small_talk_phrases="""
    merci beaucoup, merci bien, d accord, ça marche, ca marche, bonne nuit, bonne soirée, bonne journée, à
    bientôt, à demain,
    au revoir, pas de souci, pas de problème, très bien, c est bon, c est parfait, je vois, bien reçu, avec
    plaisir, de rien
    """,
    changed=r"""
        maintenant, désormais, ne \w+ plus, n'\w+ plus, plus du tout, passe à, est passée?, sont passés, a
        changé, changé, reportée?,
        décalée?, repoussée?, avancée?, déménagé, augmenté, baissé, diminué, monté, à la place, au lieu de,
        dorénavant, nouveau,
        nouvelle, remplacée?, arrêté, quitté, vendue?, depuis peu, à partir du
    """,
    corrected="correction, rectification, je corrige, je me suis trompée?, je voulais dire, pardon, erreur de ma part",
    takes_back="non",
    manner=r"\b(?:tutoie|vouvoie|tutoyer|vouvoyer|appelle-moi|bref|brève|court|courtes?|concis\w*|"
    r"en français|en anglais|métriques?)\b",
    conditions=(
        r"(?:^| )(?:quand|lorsque|chaque fois que|si) (?:je |j'|tu )(?:te |t'|me |m')?(?:demande|parle|pose|écris|"
        r"envoie|cherche|mentionne)s? (?:de |d'|du |des |une |un |la |le |les )?(?P<about>[^,.!?]{2,80})",
    ),
    kinds={
        "rule.lasting": r"\b(?:désormais|dorénavant|à partir de maintenant|à l'avenir)\b",
        "rule.opens": r"^\W*(?:toujours|jamais|ne \w+ (?:jamais|pas|plus))\b",
        "rule.strong": r"\b(?:toujours|jamais|doit|doivent|chaque fois|interdit|obligatoire)\b",
        "rule.weak": r"\b(?:règle|consigne)\b",
        "procedure.steps": r"\b(?:les étapes|la procédure|marche à suivre)\b",
        "procedure.order": r"\bd'abord\b.{1,500}\b(?:puis|ensuite|après)\b",
        "preference.states": r"\b(?:préfère|préféré\w*|favori\w*)\b",
        "preference.likes": r"\b(?:aime|adore|déteste|n'aime)\b",
        "decision.taken": r"\b(?:décidé|choisi|opté|tranché|décision)\b",
        "entity.called": r"\bs'appelle\b",
        "episode.when": r"\b(?:hier|la semaine dernière|l'an dernier|il y a \w+ (?:jours|semaines|mois|ans))\b",
        "fact.about": r"\b(?:je m'appelle|habite|travaille|né|anniversaire)\b",
        "fact.is": r"\b(?:est|sont|suis|ont)\b",
    },
    reporting="utilisateur utilisatrice préfère aime veut habite travaille",
    injection=(
        phrase(
            "override",
            1.0,
            r"\b(?:ignor[a-z]*|oubli[a-z]*|ne tien[a-z]* pas compte)\b[^.\n]{0,40}(?:instructions|consignes|règles|"
            r"directives)\b[^.\n]{0,20}(?:précédentes|antérieures|système|ci-dessus)",
        ),
        phrase("order", 0.5, r"\b(?:désormais|dorénavant|à partir de maintenant|chaque fois que|toujours)\b"),
        phrase(
            "concealment",
            0.5,
            r"\bne (?:dis|dites|mentionne|révèle|parle)\w*\b[^.\n]{0,30}(?:utilisateur|personne|client)",
        ),
    ),
    similarity=Similarity(
        never=r"\bjamais\b",
        ended=r"\bne \w+ plus\b",
        ended_cues="plus",
        concord="ne pas jamais sans",
        concord_pattern=r"\bn'(?=[aeiouéèêy])",
        months=(
            "janvier",
            "février",
            "mars",
            "avril",
            "",
            "juin",
            "juillet",
            "août",
            "septembre",
            "octobre",
            "novembre",
            "décembre",
        ),
        weekdays=(
            "lundi lundis",
            "mardi mardis",
            "mercredi mercredis",
            "jeudi jeudis",
            "vendredi vendredis",
            "samedi samedis",
            "dimanche dimanches",
        ),
        numbers={
            2: "deux",
            3: "trois",
            4: "quatre",
            5: "cinq",
            7: "sept",
            8: "huit",
            9: "neuf",
            10: "dix",
            12: "douze",
            20: "vingt",
        },
        units={"h": "heures heure", "day": "jours jour", "week": "semaines", "month": "mois", "year": "ans an"},
        persons={"first": "je moi mon ma mes nous notre nos", "he": "lui", "she": "elle", "they": "eux elles"},
        me="je",
        relations="sœur soeur frère mère père femme mari fille fils ami amie chef voisin voisine",
        limits={
            "past": "était avais avait",
            "only": "seulement uniquement sauf",
            "perhaps": "peut-être",
            "if": "si quand lorsque",
        },
        filling=r"\b(?:en fait|en réalité|finalement)\b",
        filling_cues="fait réalité finalement",
        fillers="vraiment très aussi toujours actuellement maintenant suis ai appelle",
        directions="que plutôt avant après depuis",
        articles="le les la un une des",
    ),
    questions=Questions(
        earlier=r"\b(?:avant|auparavant|autrefois|à l'origine)\b",
        number=r"\bcombien\b",
        name=r"\bqui est\b|\boù\b",
        fact=r"\b(?:quel|quelle|quels|quelles|lequel|laquelle)\b",
        rules=r"\b(?:règles|consignes)\b",
        recommendation=r"\b(?:recommande\w*|conseille\w*|propose-moi|suggère\w*)\b",
        polar=r"(?:et )?(?:est-ce que|as-tu|avez-vous|veux-tu|voulez-vous|es-tu|êtes-vous|dois-je|tu (?!peux|pourrais)|"
        r"vous (?!pouvez|pourriez)|il y a|c['’]est)\b",
        oneself=r"\b(?:je|j'|mon|ma|mes)\b",
        refers=r"\b(?:ils?|elles?|lui|leur|ça|cela|ceci|celui|celle|c['’]est)\b",
        unanswered=r"\b(?:ne )?(?:le )?sais pas(?=\W*$|,| (?:quand|où|qui|quel\w*)\b)|\baucune idée\b"
        r"|\bje l['’]ignore\b|\bpas (?:cette|d['’])\s?information\w*",
    ),
    relations=RelationWords(
        states="est sont ai a paie coûte pèse gagne",
        several="""
        sœur soeur frère fils fille enfant tante oncle cousin cousine nièce neveu ami amie collègue voisin voisine
        colocataire chien chienne chat chatte cheval
        """,
    ),
)
