"""What French says around somebody else's words."""

from __future__ import annotations

from cortex.languages.ownership import OwnershipWords

OWNERSHIP = OwnershipWords(
    asks="""
    (traduis|traduisez|traduire|traduis-moi|traduisez-moi)
    (corrige|corrigez|corriger|relis|relisez|relire|améliore|améliorez)
    (résume|résumez|résumer|raccourcis|raccourcissez|raccourcir|abrège)
    (reformule|reformulez|reformuler|réécris|réécrivez|réécrire|paraphrase|paraphrasez)
    (réponds|répondez|répondre) (à|au|aux)
    (que|quoi|comment) (répondre|dois-je répondre) (à|au)
    (écris|rédige|rédigez|écrivez|rédiger|donne-moi|prépare) …réponse (à|au|aux)
    (comment dit-on|comment on dit|comment dire|que veut dire|que signifie|qu'est-ce que veut dire)
    (est-ce que )?(cette|ce|la|le) (phrase|texte|message) est(-elle|-il)? (correcte?|juste|bien)
    """,
    leads="""
    (s'il te plaît|s'il vous plaît|stp|svp|et|puis|maintenant|bonjour|salut|ok|alors)
    (peux-tu|pourrais-tu|pouvez-vous|pourriez-vous|tu peux|est-ce que tu peux|tu pourrais|veux-tu|j'aimerais que tu
    |je voudrais|il faut)( me| m'| nous)?
    aide-moi à
    """,
    these=r"(ceci|cela|ça|ce \w+|cet \w+|cette \w+|ces \w+|ce qui suit|(le|la) \w+ suivante?)",
    above="""
    (ce qui précède|le texte ci-dessus|ci-dessus|la phrase ci-dessus|ceci|(ce|cette) (texte|phrase|paragraphe
    |message))
    """,
    nouns="""
    (texte|phrase|paragraphe|message|e-?mail|mail|courriel|lettre|article|commentaire|avis|brouillon|dissertation
    |citation|extrait|mot|ligne|poème|document|page|rapport|note|entretien|publication|recette|notice|réponse|sms)s?
    """,
    links="(en|vers|pour|dans|s'il|du|de|au|et|à)",
    not_texts=r"""
    (ce que je (t'\w+|te|vous|viens)|ce qu'on|notre|conversation|discussion|jusqu'ici|toujours|chaque fois)
    """,
    states=r"""
    (je|j'\w+|nous|mon nom est|mon \w+ (est|s'appelle)|ma \w+ (est|s'appelle)|bonjour|salut|désormais)
    """,
    closes="(s'il te plaît|s'il vous plaît|merci|peux-tu|pourrais-tu|qu'en penses-tu|fais-le|est-ce)",
    languages="""
    (anglais|allemand|français|espagnol|italien|portugais|néerlandais|russe|polonais|turc|chinois|japonais|coréen
    |arabe|suédois|latin)
    """,
    works="""
    (traduction|résumé de (ce|cette|ceci)|orthographe|grammaire|correction de|qu'est-ce qui ne va pas|transféré
    |points clés)
    """,
    people="""
    (sœur|soeur|frère|mère|père|maman|papa|grand-mère|grand-père|fils|fille|femme|mari|copain|copine|ex|tante|oncle
    |cousine?|amie?|chef|patronne?|collègue|coloc|voisine?|propriétaire|prof|cliente?|quelqu'un|il|elle|auteur
    |utilisateur)
    """,
    own_frames="""
    ((grande|bonne|mauvaise|petite) (nouvelle|précision|annonce)|nouvelles?|annonce|précision|rappelle-toi
    |souviens-toi|important|note|remarque|au fait|correction|à propos de moi|en bref|en résumé
    |pour info|comme je t'ai dit|ainsi|pour|ps|question|réponse|problème|dis-lui)
    """,
    received="""
    (voici|voilà|ci-dessous|c'est|regarde|lis|je te colle|je te transfère)( …(le|la|l'|un|une|ce|cet|cette))?
    (j'ai reçu|j'ai trouvé|on m'a envoyé|je viens de recevoir)( …(ce|cet|cette|un|une|le|la))?
    """,
    wrote="""
    (dit|a dit|écrit|a écrit|m'a écrit|a répondu|répond|a posté|a commenté|m'a envoyé|a envoyé|demande
    |a demandé)( (ceci|ça|hier|aujourd'hui|dans|le|groupe|ce matin)){0,4}
    """,
    selves="(je|j'|j'ai|nous|tu)",
    salutes="(ch[eè]re?s?|madame|monsieur)",
    greets="(bonjour|bonsoir|salut|coucou)",
    signs_off="""
    ((bien )?cordialement|bien à (vous|toi)|sincères salutations|salutations( distinguées)?|amitiés|bises
    |amicalement|respectueusement|veuillez agréer)
    """,
    dialogue="""
    (q|r|question|réponse|journaliste|intervieweur|client(e)?|agent(e)?|médecin|patient(e)?|professeur|élève|moi|toi
    |lui|elle|utilisateur|animateur|invité(e)?|chef|maman|papa|candidat(e)?)
    """,
    fields=r"""
    (nom|prénom|âge|ville|pays|adresse|rue|travail|métier|profession|entreprise|téléphone|portable|anniversaire
    |taille|poids|allergies?|loisirs|langues?|famille|enfants|animaux|date|heure|sujet|objet|note|important|but
    |objectif|objectifs|plan|problème|solution|étape ?\d*|ingrédients|préparation|prix|exemple|lundi|mardi|mercredi
    |jeudi|vendredi|samedi|dimanche|aujourd'hui|demain|hier|petit-déjeuner|déjeuner|dîner|avantages?|inconvénients?
    |qui|quoi|quand|où|pourquoi|comment|tâche|conseil|correction|règle|règles)
    """,
    plays=r"""
    (jouons|on joue|faisons|je veux faire|commençons|on fait|si on jouait)( …)?(jeu de rôles?|à faire semblant
    |un jeu|une scène|rôle)
    jeu de rôles? ?[:.]
    (fais semblant|imagine|imaginons|faisons comme si|fais comme si|suppose) (d'être|que tu|que je|que nous|tu es
    |je suis|nous)
    (tu es|tu seras|tu joues) …et (je suis|je serai|moi je)
    (tu es maintenant|tu deviens|maintenant tu es|désormais tu es)
    (mon|ma) (personnage|héros|héroïne|protagoniste|avatar|narrateur|narratrice)( \w+)? (dit|parle|pense|s'appelle
    |est|raconte)
    (le|la) (personnage|narrateur|narratrice|héros|héroïne) (dit|parle|pense)
    (écris|parle|réponds) (\w+ ){0,4}(avec la voix de|dans le style de|comme si tu étais|dans le rôle de
    |du point de vue)
    en tant que (pirate|roi|reine|chevalier|magicien|sorcière|vampire)\w* ?:
    (pour|dans) (mon|ma) (roman|nouvelle|histoire|scénario|livre|pièce|campagne) ?[,:]
    (écris|raconte|invente)(-moi)? (une?|un) (\w+ ){0,3}(histoire|conte|poème|scène|monologue|dialogue|chanson)
    (monologue|dialogue|scène|texte) (pour|de) (mon|ma|un|une|le|la) (personnage|roman|histoire|pièce)
    il était une fois
    """,
    plays_on="""
    (jouons|on joue|faisons|je veux faire|commençons|on fait)( …)?(jeu de rôles?|à faire semblant)
    (tu es|tu seras|tu joues) …et (je suis|je serai|moi je)
    """,
    plays_no_more="""
    (fin|arrête|arrêtons|stop|terminons|assez) …(jeu|rôle|personnage|histoire)
    (hors personnage|autre sujet|changeons de sujet|revenons à la réalité|sérieusement)
    """,
    guests_no_more="""
    (c'est (de nouveau|encore|à nouveau) moi|me revoilà|je suis de retour|c'est moi à nouveau)
    """,
    announces="""
    ((le|mon) prochain message|ce que je (colle|t'envoie) (ensuite|après)|je (t'envoie|colle) (maintenant|ensuite))
    """,
    is_assistant="""
    en tant (que|qu') ?(modèle de langage|ia|intelligence artificielle|assistant virtuel|assistant ia)
    je suis (un|une|votre|ton) (ia|intelligence artificielle|modèle de langage|assistant virtuel|assistant ia
    |assistant numérique)
    comment puis-je (vous|t') ?aider
    puis-je (vous|t') ?aider (avec|pour|à) autre chose
    """,
    assistant_opens="""
    (bien sûr|certainement|avec plaisir|volontiers|bonne question|compris|absolument)
    voici (un|une|le|la|les|des|votre|ton|ta|quelques)
    """,
    assistant_closes="""
    (n'hésitez pas|n'hésite pas|dites-moi|dis-moi|faites-moi savoir)
    si (vous|tu) (avez|as|souhaitez|souhaites|voulez|veux)
    (voulez-vous que|veux-tu que|souhaitez-vous)
    voici (un|une|votre|ton|ta|quelques)
    """,
    unfinished="de|du|des|la|le|les|en|un|une|mon|ma",
    please="s'il (?:te|vous) plaît|svp",
    my="mon|ma",
    our="mes|notre|nos",
    i=r"je|j'\w{1,20}|nous",
    first_person=r"je|j'\w{1,20}|mon|ma|mes|nous",
    speech="tu|vous|moi",
    opens_with_i=r"je|j'\w{1,20}|jsuis|nous",
    speaks="on",
    opens_with_mine="moi",
    before_mine="à propos de",
    me="je|moi|mon|ma",
    to_me="moi|nous",
    recipient="pour|à la|à mon|à ma|au",
    origin=r"du|de|d'\w{1,20}|sur",
    third_person="lui|elle|il|son|sa|leur|ce|cet|cette",
    they="ils|elles",
    you="tu|te|vous|votre|vos|toi|ton",
    own="de moi|à moi|moi-même|propre",
    i_wrote="j'ai (?:écrit|rédigé)",
    authors=(
        r"j'ai (?:\w{1,8} )?(?:écrit|rédigé|noté)|j'envoie|je (?:vais|veux|compte|dois) (?:\w{1,8} )?(?:envoyer|"
        "dire|lire|publier|poster|mettre)"
    ),
    for_mine="(?:pour|à|sur|dans) (?:mon|ma|mes)",
    introduces="[Mm]oi c'est",
    introduces_loosely="[Jj]e suis",
    names_self="je m'appelle",
    interjections="euh|hein|ben",
    closings="cordialement|bien à vous|bisous",
    orders="toujours|jamais",
    this="ceci",
    what="ce que",
    for_you="pour toi",
    pieces="extrait|citation",
    asides="au fait|je précise|d'ailleurs|je réponds|je fais quoi",
    opens_aside="au fait|d'ailleurs|rappelle|merci",
    frame_leads="et|le|la",
    below="ci-dessous",
    got="reçu|trouvé|lu",
    duty="je dois|il faut que je",
    said_so="dit|écrit",
    cast="personnage|héros|narrateur|jeu de rôle|habite",
    question_and_answer="Q|R",
    forwarded="message (?:transféré|d'origine)",
    mail_on="le",
    mail_wrote="a écrit",
    mail_from="de",
    mail_subject="objet",
    mail_headers="à|envoyé|date",
    clause_begins="[Jj]e |j'",
    declares=r"(?:mon|ma|le|la)\b[^?]{0,60}\b(?:est|sont|était)",
    question_opens="est-ce|quoi|comment",
    request_opens="tu peux",
    copulas="est|sonne",
    genitive=r"\b(?:de|d') ?[A-ZÀ-Þ]\w",
)
