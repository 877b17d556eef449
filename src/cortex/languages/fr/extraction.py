"""French. Accents are read away, so that patterns hold with and without them."""

from __future__ import annotations

from cortex.languages.families import families, phrase_of, plain, request_of
from cortex.languages.fr.rule_signs import RULE_SIGNS
from cortex.languages.fr.words import WORDS
from cortex.languages.pack import Pack
from cortex.languages.signs import failing, opening, weigher, word_of

_PLAIN = plain("éèêëe", "àâäa", "îïi", "ôöo", "ùûüu", "çc", "ÿy")
_ADV = (
    r"(?:(?:aussi|toujours|maintenant|actuellement|desormais|plutot|vraiment|surtout|seulement|juste|deja|encore|enfin|"
    r"tres|beaucoup|bien|souvent|generalement|habituellement|normalement|personnellement|carrement|trop|vachement|"
    r"absolument|meme|depuis \w+ \w+|depuis \d{4}|en ce moment|a nouveau|principalement)\s+)*"
)
_KIN = (
    r"(?:(?:petite?s?|grande?s?|belle|beau|demi)[ -])?(?:soeurs?|freres?|mere|pere|maman|papa|femme|mari|epouse|epoux|"
    r"copine|copain|compagne|compagnon|conjointe?|fiancee?|filles?|fils|enfants?|bebe|mamie|papi|grand-meres?|"
    r"grand-peres?|grands-parents|parents|tante|oncle|cousine?s?|niece|neveux?|belle-mere|beau-pere|belle-soeur|"
    r"beau-frere|beaux-parents|colocataire|coloc|voisine?s?|chef|cheffe|patronne?|manager|collegues?|prof|medecin|"
    r"dentiste|proprietaire|proprio|psy|kine|coach|chien(?:ne)?s?|chats?|chattes?|lapin|cheval|petit-fils|petite-fille|"
    r"meilleure? amie?|amie?|tuteur|tutrice|directrice|directeur|associee?|jumeaux|jumelles|perroquet|avocate?)"
)
_MONTH = r"(?:janvier|fevrier|mars|avril|mai|juin|juillet|aout|septembre|octobre|novembre|decembre)"
_DAY = r"(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)"
_DATE = (
    rf"(?:{_DAY}(?:\s+\d{{1,2}}(?:er)?)?(?:\s+{_MONTH})?(?:\s+(?:prochain|matin|soir|"
    rf"midi))?(?:\s+a\s+\d{{1,2}}\s?h\d{{0,2}})?|\d{{1,2}}(?:er)?\s+{_MONTH}(?:\s+\d{{4}})?|"
    rf"\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?|(?:debut|mi|fin|la mi)[ -]{_MONTH}|{_MONTH}(?:\s+\d{{4}})?|"
    r"\d{1,2}\s?h(?:\s?\d\d)?\b|20\d\d|la semaine prochaine|le mois prochain|l'annee prochaine)"
)
_NAME = r"(?-i:[A-Z][\w'-]*(?:\s+(?:[A-Z][\w'-]*|de|du|la|le))*)"
_ONE_NAME = rf"(?:{_NAME}|[\w-]+)"
_THING = r"(?P<thing>(?:le\s|la\s|l'|les\s|mon\s|ma\s|mes\s|notre\s|nos\s)[^,;.!?\n]{2,50}?)"
_NUM = r"\d+(?:[ .,\u202f]\d{3})*(?:[.,]\d+)?"
_UNIT = (
    r"(?:\s?(?:%|€|\$|k€|euros?|dollars?|ms|secondes?|minutes?|heures?|jours?|semaines?|mois|kg|kilos?|km|go|mo|to|"
    r"pour ?cent|utilisateurs?|personnes?|mots|pages|clients?|mille|millions?|abonnes|inscrits|eleves|salaries|m2|"
    r"lignes|commandes|membres|h\d{0,2})\b|\s?[%€$])?"
)
_I = r"(?:moi,?\s+)?(?:je\s+|j'|on\s+|nous\s+)"
_NE = r"(?:ne\s+|n')?"
_ILL = (
    r"(?:allergi\w+|intoleran\w+|diabet\w+|asthm\w+|coeliaque|celiaque|vegetarien\w*|vegan\w*|vegetalien\w*|enceinte|"
    r"daltonien\w*|gauch(?:er|ere)|migraines?|epilep\w+|hypertend\w+|hypertension|arthrose|dyslexi\w+|tdah|insuline|"
    r"pacemaker|lactose|gluten|antidepresseurs?|appareil auditif|anticoagulants?|malentendante?|sourde?|malvoyante?|"
    r"handicap\w*|scoliose|eczema|endometriose|depression|thyroide|cholesterol|anemie|insomni\w+|apnee|prothese|hernie|"
    r"fauteuil roulant|claustrophob\w+|vertige|autis\w+|phobie\w*|mal de dos|sciatique|psoriasis|rhume des foins)"
)
_JOB = (
    r"(?:infirmiere?|medecin|professeure?|prof|enseignante?|ingenieure?|developpeu\w+|avocate?|comptable|architecte|"
    r"cuisinie\w+|boulang\w+|journaliste|graphiste|veterinaire|dentiste|pharmacien\w*|vendeu\w+|serveu\w+|chauffeu\w+|"
    r"mecanicien\w*|electricien\w*|plombi\w+|menuisi\w+|coiffeu\w+|agricult\w+|traduct\w+|chef\w* de \w+|consultante?|"
    r"commerciale?|secretaire|photographe|artiste|musicien\w*|etudiante?|doctorante?|stagiaire|apprentie?|sage-femme|"
    r"kine\w*|pompi\w+|polici\w+|notaire|bibliothecaire|educat\w+|direct(?:eur|rice)|responsable|assistante?|"
    r"technicien\w*|chercheu\w+|psychologue|retraite\w*|eleveu\w+|maraich\w+|fleuriste|libraire|analyste|"
    r"informaticien\w*|"
    r"freelance|independante?|auto-?entrepreneu\w+|patissi\w+|redact\w+|interprete|juriste|agent\w* \w+|guide|"
    r"lyceenn?e?|lyceen|collegienn?e?|fonctionnaire|routi\w+|paysagiste|couturi\w+|bouch\w+|institut\w+|lead|data \w+)"
)
_LANG = (
    r"(?:anglais|espagnol|allemand|italien|portugais|russe|arabe|chinois|mandarin|japonais|coreen|neerlandais|polonais|"
    r"turc|breton|catalan|grec|suedois|francais|creole|basque|occitan|vietnamien|roumain|hebreu|langue des signes)"
)
_DO = (
    r"(?:repond(?:s|ez)|ecri(?:s|vez)|utilisez?|donnez?|mets|mettez|fais|faites|appelez?|appelle|tutoyez?|tutoie|"
    r"vouvoie|evitez?|gardez?|ajoutez?|indiquez?|precisez?|citez?|verifiez?|demandez?|previens|prevenez|proposez?|"
    r"envoyez?|envoie|parlez?|emploie|oubliez?|arretez?|cessez?|commencez?|terminez?|signez?|limitez?|traduis|"
    r"convertis|affichez?|montrez?|expliquez?|rappelle|conseillez?|recommandez?|suggere|resumez?|formatez?|commentez?|"
    r"nommez?|rangez?|classez?|corrigez?|prends|tiens|restez?|sois|soyez|laissez?|presentez?|inclus|incluez|"
    r"privilegiez?|touchez?|modifiez?|supprimez?|partagez?|programmez?|planifiez?|reservez?|achetez?|publiez?|deploie|"
    r"pousse|comptez?)(?:-\w+)?"
)
_PLEASE = r"(?:(?:s'il (?:te|vous) plait|stp|svp|merci de ne|et|mais),?\s+)?"
_ONCE = (
    r"\b(?:cette fois|ce coup-ci|pour l'instant|pour cette|pour ce\b|ce texte|ce mail|aujourd'hui|ce soir|ce matin|"
    r"t'inquiete|quand tu (?:arrives|pars|rentres|as fini|seras)|laisse tomber|n'oublie pas|demain|hier|dit la|dit le|"
    r"disait|selon|abandonne|n'abandonne|baisse les bras)\b"
)
_LASTING = (
    r"(?:toujours|jamais|systematiquement|d'abord|chaque|tous|toutes|tout|rien|sans me|sans mon|uniquement|seulement|"
    r"que des|exclusivement|maximum|au plus|plutot que|au lieu d\w*|quand|avant d\w*|apres chaque|avec moi|dans mes|"
    r"en general)"
)
_ORDER = (
    r"(?:que|uniquement|seulement) des? [\w-]+ (?:[\w-]+ )?(?:sur|dans|pour|en)\b.*|(?:unites|reponses|dates|prix|"
    r"phrases|sources|temperatures|mesures) (?:[\w-]+ ){0,2}[\w-]+, s'il (?:te|vous) plait\W*$|"
    r"utilise[sz]? [^.!?\n]{3,40} pour (?:les|mes|tous|toutes|tout)\b.*|je (?:veux|prefere|souhaite|voudrais|"
    rf"prefererais|aimerais|demande) que (?:tu|tes|vos|vous)\s.{{5,}}|{_PLEASE}(?:(?:ne|n')\s?(?:me\s+|"
    rf"m')?)?{_DO}\s[^.!?\n]{{0,80}}?\b{_LASTING}\b.*|{_PLEASE}(?:pars|partez) du principe\b.*|{_PLEASE}(?:considere|"
    r"suppose|traite|compte|rappelle-moi (?:chaque|tous))\b.{4,}|(?:reponses|explications|resumes|messages|"
    r"phrases) (?:tres |plus )?(?:court|brev|concis|clair|simpl|direct)\w*\b.*|(?:les |mes )?\w+ toujours (?:en|avec|"
    r"sans|par|au|a)\b.*|(?:avant d(?:e\s|')|apres |a chaque |pour chaque |pour (?:tous|toutes)|dans (?:les|mes|tes|"
    r"tous|toutes)\b|si (?:tu|vous|quelque chose|je)\b|quand (?:tu|vous|je)\b|des que (?:tu|"
    rf"je)\b)[^,.!?\n]{{2,60}},\s(?:ne\s|n')?(?:me\s)?{_DO}\b.*|(?:avant d(?:e\s|')|a chaque |"
    r"si tu )[^,.!?\n]{2,60},\s(?:dis|montre|demande|garde|signale)\b.*"
)

_RULES = families(
    {
        "rule.from_now_on": rf"{_PLEASE}(?:a partir (?:de maintenant|d'aujourd'hui|de ce jour)|desormais|dorenavant|"
        r"a l'avenir|par defaut|en regle generale|dans (?:tes|vos) (?:reponses|messages|mails))[,:]?\s+"
        r"(?!(?:je|j'|on|nous|mon|ma|mes|la|le|les|l'|notre|nos|il|elle)\b).{4,}",
        "rule.when": (
            r"(?:quand|lorsque|(?:a )?chaque fois que|des que|si)\s+(?:je\s|j'|tu\s|vous\s)(?:te\s+|t'|vous\s+|me\s+|"
            r"m'|en\s+|y\s+)?(?:demande|parle|ecri|envoie|envoy|pose|dis|cherche|mentionne|veux|resume|redige|repond|"
            r"propose|tradui|donne|explique|planifie|corrige|evoque|reserve|recommande|conseille|code|tape|"
            r"colle)\w*\b[^,.!?\n]{0,60},\s*.{4,}",
            r",\s*(?:je|j'|on|nous|il|elle|ca|c'est)\b|\bplait-il\b",
        ),
        "rule.always": (
            rf"{_PLEASE}{_DO}\s+(?:[^\s.!?]+\s+){{0,9}}?(?:toujours|jamais|systematiquement|a chaque fois|chaque fois|"
            rf"sans exception|a l'avenir|desormais|dorenavant|par defaut|uniquement)\b.*|{_PLEASE}(?:ne|n')\s?(?:me\s+|"
            rf"m'|nous\s+|le\s+|la\s+|les\s+)?{_DO}\s+(?:plus|jamais|pas)\s.{{3,}}|{_PLEASE}(?:toujours|"
            r"jamais)\s(?!(?:la|pas|vu|de la vie|dit|en retard|partante?|aussi|deux|une?|le meme|prete?s?|content\w*|"
            r"heureu\w+|present\w*|autant|plus|mieux|trop|moi|je|tu|il|elle|on|nous|ce|cette|des|du|la meme|au top|"
            rf"d'accord|ravie?)\b).{{4,}}|{_PLEASE}(?:evitez?|arretez? (?:de|d'|avec)|plus jamais|merci de (?:toujours|"
            r"ne (?:pas|plus|jamais)))\s?.{4,}|(?:pas d'|pas de |plus d'|plus de |aucun |zero )(?:emojis?|listes?|"
            r"jargon|anglicismes?|excuses|blabla|tutoiement|gras|tableaux?|markdown|formules?|"
            r"points? d'exclamation)\b.*|(?:tutoie|vouvoie|tutoyez|vouvoyez)-\w+.*|(?:sois|soyez|"
            r"reste)\s+(?:\w+\s+)?(?:bref|breve|concise?|directe?|precise?|poli|honnete|formel|francs?|franche|"
            r"synthetique)\b.*|je (?:veux|prefere|souhaite) que tu\s.{5,}",
            _ONCE,
        ),
        "rule.order": (_ORDER, rf"\?\s*$|{_ONCE}"),
        "rule.call_me": rf"{_PLEASE}(?:appelle-moi|appelez-moi|tu peux m'appeler|"
        rf"vous pouvez m'appeler)\s+(?:simplement\s+|juste\s+|plutot\s+)*(?P<value>{_ONE_NAME}).*",
        "rule.must": (
            r"(?:tous|toutes|chaque|aucune?|personne|rien|seule?s?)\s[^,;.!?\n]{2,60}?\s(?:doit|doivent|peut|peuvent|"
            r"ne (?:doit|doivent|peut|part|sort))\s.{3,}|(?:il faut|on doit|il ne faut|on ne (?:doit|deploie|pousse|"
            r"touche|publie|merge))\s+(?:toujours|jamais|pas|obligatoirement)\s.{3,}|(?:la|notre|"
            r"une) regle(?:\s\w+){0,3}\s?(?:est|c'est|:)\s?.{4,}|(?:il est )?(?:interdit|interdiction|obligatoire|"
            r"obligation) d(?:e\s|').{3,}",
            r"\b(?:tout va|je dois|on verra|enfants|gens|personnes|eleves|invites|employes|chiens|parents|dit)\b",
        ),
        "procedure": (
            r"pour\s+[^.!?\n]{3,60}?,\s*(?:il faut|il suffit|on|d'abord|lance|ouvre|appuie|execute|fais|commence|"
            r"tu)\b.{5,}|(?:d'abord|en premier)\b.{3,}\b(?:puis|ensuite|apres|enfin)\b.{3,}|(?:les etapes|la procedure|"
            r"la marche a suivre)\b[^.!?\n]{0,50}(?::|sont|est|,).{5,}",
            r"\b(?:peux-tu|aide-moi|j'aimerais|je voudrais)\b",
        ),
        "negation": (
            r"(?:je\s+|on\s+|nous\s+)(?:ne\s+|n')(?:\w+\s+|\w+'){1,4}?plus\b.*|(?:j'|je\s|on\s|"
            r"nous\s)\w+\s+plus\s+(?:a|au|chez|du|dans|en|avec|pour)\s.{2,}|(?:j'ai|on a|nous avons)\s+(?:arrete|cesse|"
            r"quitte|demissionne|vendu|abandonne|resilie|rendu|supprime)\b.*|(?:mon|ma|mes|notre|nos|le|la|"
            r"les)\s[^,;.!?\n]{2,40}?\s(?:ne\s+|n')\w+\s+plus\s.{2,}",
            r"\b(?:en peux plus|sais plus|souviens plus|comprends plus|arrive plus|envie|plus rien|trouve plus|"
            r"fonctionne|marche plus|repond plus|demarre|charge plus|batterie|compile|mise a jour|plus du tout|"
            r"plus tard)\b|\bplus\b[^.!?]{1,30}\bque\b",
        ),
        "decision": (
            r"(?:j'ai|on a|nous avons|on|nous|l'equipe a|le comite a|la direction a|c'est|il a ete|on s'est|je me suis|"
            r"nous nous sommes)\s+(?:\w+\s+){0,2}?(?:decide\w*|choisi|opte|tranche|retenu|convenu|vote|valide|acte|"
            r"accorde\w*|mis d'accord|renonce)\b.*|(?:on|nous|je)\s+(?:part|partons|pars|reste|restons|passe|passons|"
            r"garde|gardons|prend|prenons|abandonne|abandonnons|migre|migrons|bascule|basculons)\s+(?:sur|avec|a|au|"
            r"vers|le|la|les|l')\s?.{3,}|(?:decision|c'est decide|c'est acte|finalement)\s?(?:prise\s?)?[:,]\s(?:on|"
            r"nous|je|c'est|ce sera)\s.{3,}",
            r"\bpas encore\b|\b(?:a table|a autre chose|le train|le metro|le bus|mon temps|une douche)\b|"
            r"^on (?:garde|reste) (?:le contact|en contact)",
        ),
        "fact.name": (
            r"(?:je m'appelle|moi,? c'est|mon (?:nom|prenom)(?: complet)?(?: est|,? c'est)|"
            rf"je me nomme)\s+(?P<value>{_ONE_NAME}).*|je suis\s+(?P<value2>(?-i:[A-Z][a-z]+))(?=\s*[,.!]|$|\s+et\b).*",
            r"\bm'appelle (?:demain|ce soir|souvent|pas|jamais)\b",
        ),
        "fact.home": (
            rf"{_I}(?:n')?{_ADV}(?:habite|habitons|vis|vit|vivons|loge|reside|residons|suis (?:installe|base)\w*|"
            rf"sommes (?:installes|bases)|est (?:installes|bases))\s+{_ADV}(?:a|au|aux|en|dans|pres d[e'])\s?(?:le\s|"
            rf"la\s|l')?(?P<value>[\w'-]+(?:[ -](?-i:[A-Z0-9])[\w'-]*)*).*|{_I}(?:me suis|nous sommes|s'est|ai|a|avons|"
            r"viens d[e']|vient d[e'])?\s?(?:installe\w*|demenage\w*|emmenage\w*|demenager|"
            r"emmenager)\s+[^.!?]{0,20}?(?:a|au|aux|en|dans)\s(?:le\s|la\s|"
            r"l')?(?P<value2>[\w'-]+(?:[ -](?-i:[A-Z0-9])[\w'-]*)*).*",
            r"\ben (?:stress|vacances|ce moment meme)\b",
        ),
        "fact.from": (
            r"je (?:suis (?:originaire|nee?)|viens)\s+(?:de\s|d'|du\s|des\s|a\s|en\s|au\s)(?!\w+(?:er|ir|re|"
            r"oir)\b).{2,}|j'ai (?:grandi|passe mon enfance)\s.{3,}|je suis (?:francais|belge|suisse|quebecois|"
            r"canadien|breton|senegalais|marocain|algerien|tunisien|ivoirien)\w*\b.*",
            r"\bviens de (?:voir|finir|lire|recevoir)\b",
        ),
        "fact.age": (
            r"j(?:'|e\s)ai\s+(?:presque\s+|bientot\s+|maintenant\s+|deja\s+)*(?P<value>\d{1,3})\s+ans\b(?!\s+d').*|"
            r"je (?:vais avoir|fete(?:rai)? mes|viens d'avoir)\s+(?P<value2>\d{1,3})\s+ans.*",
            r"\bans (?:de metier|d'experience|de carriere)\b",
        ),
        "fact.birthday": rf"mon anniversaire (?:est|tombe|c'est)\s+(?:le\s+)?(?P<value>\d{{1,2}}(?:er)?\s+{_MONTH}).*|"
        rf"je suis nee?\s+le\s+(?P<value2>\d{{1,2}}(?:er)?\s+{_MONTH}(?:\s+\d{{4}})?).*",
        "health": r"(?:je\s|j')(?:ne\s+|n')?(?:suis|ai|souffre|prends|porte|fais|supporte|digere|tolere|peux|vis avec|"
        rf"reste)\b[^,.!?]{{0,40}}?\b{_ILL}\b.*|on m'a (?:diagnostique|opere|detecte|retire)\b.*|"
        r"je suis suivie? pour\s.*|je me suis (?:casse|fracture|dechire)\b.*",
        "health.theirs": rf"(?:mon|ma|mes|notre|nos)\s+(?P<whose>{_KIN})(?:,?\s+{_NAME},?)?\s+[^.!?\n]{{0,30}}?"
        rf"\b{_ILL}\b.*",
        "health.diet": (
            rf"{_I}{_NE}(?:mange|mangeons|bois|boit|buvons|fume|fumons|consomme)\s+{_ADV}(?:pas|jamais|plus|que|"
            r"uniquement|seulement|halal|casher|bio|vegetarien|sans)\s?.{2,}",
            r"\b(?:aujourd'hui|ce midi|ce soir|encore)\b",
        ),
        "preference.favourite": r"(?:mon|ma|mes)\s+(?P<thing>[\w -]{2,30}?)\s+(?:preferee?s?|favoris?|"
        r"favorites?)\s*(?:est|sont|,? c'est|reste)\s+(?P<value>[^,;.!?\n]{2,60}).*",
        "preference": (
            rf"{_I}{_NE}(?:les\s+|l'|y\s+)?{_ADV}(?:prefere|preferons|aime|aimons|adore|adorons|deteste|detestons|hais|"
            r"apprecie|evite|kiffe|raffole|privilegie)\b(?!\s+(?:ca|cette idee|l'idee|bien|beaucoup)?\s*[.!]?$).{2,}|"
            rf"{_I}{_NE}supporte\w*\s+(?:pas|plus|mal)\s.{{2,}}|j'ai (?:horreur|un faible|une passion|une preference|"
            r"du mal avec)\b.*|je suis (?:\w+ )?(?:fan|passionnee?|accro|amateur|amatrice|du matin|du soir|du genre|"
            r"branchee?|gourmande?|team)\b.*|rien ne vaut\s.{3,}|(?:le|la|les|l')\s?[^,;.!?]{2,30},?\s+(?:c'est pas|"
            r"tres peu pour moi|j'adore|je deteste|j'aime pas|je n'aime pas)\b.*|(?:plutot|"
            r"toujours)\s[^,.!?]{2,40}\sque\s.{2,}",
            r"\b(?:aime|adore|prefere)\s+(?:bien\s+)?(?:cette|ce|cet|ta|ton|tes|l'idee|la (?:premiere|deuxieme)|"
            r"le (?:premier|deuxieme)|ca)\b|\b(?:cette fois|aujourd'hui|pour ce|ce soir)\b",
        ),
        "person.name": rf"(?:mon|ma|notre)\s+(?P<whose>{_KIN})\s+(?:s'appelle|se nomme|"
        rf",? c'est)\s+(?P<value>{_ONE_NAME}).*",
        "person.is_my": (
            rf"(?P<name>{_NAME}),?\s+(?:est|c'est)\s+(?:mon|ma|mes|notre|nos|le nouveau|la nouvelle|le responsable|"
            rf"la responsable|celle qui|celui qui|le chef|la cheffe)\s.{{2,}}|(?P<name2>{_NAME})\s+(?:gere|dirige|"
            r"s'occupe|maintient|pilote|supervise|remplace|reprend)\s.{3,}|(?:(?:il|elle)s? s'appelle(?:nt)?|(?:il|"
            rf"elle) s'appelle|on l'a (?:appele|baptise)e?|je l'ai (?:appele|baptise)e?)\s+{_NAME}.*",
            r"^(?:Ce|Cela|Ceci|(?:Il|Elle)(?!s? s'appelle)|Ca|C'|Le|La|Les|Un|Une|On|Qui|Tu|Je|Quel)\b|\b(?:prefere|"
            r"favori|probleme|faute)",
        ),
        "person.my": (
            rf"(?:mon|ma|mes|notre|nos)\s+(?P<whose>{_KIN})\b(?:,?\s+{_NAME},?)?\s+(?:ne\s|n'|se\s|s'|"
            rf"y\s)?(?:[^\W\d_]+\s+)?.{{3,}}",
            r"\b(?:jure|pretend|soutient|assure|dit|disent|pense|croit|veut que|m'a (?:dit|demande|envoye|ecrit|"
            r"raconte)|m'appelle\b|est (?:en retard|la\b|malade|fache\w*|en colere)|m'attend|attend|arrive|"
            r"vient d'arriver|dort|pleure|te (?:salue|remercie)|m'enerve|insiste)\b|\b(?:aujourd'hui|ce matin|ce soir|"
            r"comment|pourquoi)\b",
        ),
        "person.have": r"(?:j'ai|on a|nous avons|j'attends|on attend|nous attendons|j'ai adopte|on a adopte|"
        r"nous avons adopte|j'ai eu|on a eu|on vient d'adopter|je viens d'adopter|on a recueilli)\s+(?:un|une|deux|"
        r"trois|quatre|cinq|\d+|des|notre|mon|ma)\s+(?:\w+\s+)?(?:enfants?|fils|filles?|garcons?|freres?|soeurs?|"
        r"chiens?|chats?|chatons?|chiots?|lapins?|perroquets?|poules?|chevaux|cheval|tortues?|hamsters?|"
        r"petits?-enfants?|jumeaux|jumelles|bebe|poissons?|cochons? d'inde|voiture|velos?|moto|maison|appartement|"
        r"appart|jardin|potager|camping-car|bateau|piano|guitare|van|trottinette|chienne|chatte|levrier)\b.*|"
        r"(?:je suis|on est|nous sommes)\s+(?:\w+\s+)?(?:mariee?s?|divorcee?s?|celibataires?|pacsee?s?|fiancee?s?|"
        r"veufs?|veuves?|en couple|separee?s?)\b.*|(?:je me|on se|nous nous)\s+(?:marie\w*|suis mariee?|sommes maries|"
        r"separe|pacse)\b.*",
        "fact.language": rf"{_I}{_NE}(?:parle|parlons|apprends|apprend|etudie|maitrise|"
        rf"comprends)\s+[^.!?\n]{{0,30}}?{_LANG}\b.*|je (?:ne )?sais pas (?!dire|expliquer|repondre|faire|choisir|quoi|"
        r"ou\b)\w+(?:er|ir|re)\b.{0,40}|ma langue maternelle\s.{3,}|je suis bilingue\b.*",
        "fact.job": (
            rf"{_I}{_NE}{_ADV}(?:travaille|travaillons|bosse|bossons|enseigne|etudie|etudions|dirige|dirigeons|gere|"
            r"exerce|tiens (?:un|une)|teletravaille|fais des etudes|prepare un (?:doctorat|master|bts))\b\s?.{3,}|"
            rf"je (?:suis|fais)\s+{_ADV}(?:(?:un|une|le|la)\s+)?(?:(?:ancien\w*|futur\w*|jeune|simple|professeur|"
            rf"travailleu\w+)\s+)?{_JOB}\b.*|(?:je|j'|nous|on)\s?(?:suis|sommes|est)\s+(?:a la retraite|au chomage|"
            r"en alternance|en conge \w+|a mon compte|en (?:licence|master|terminale|premiere|these|cdi|cdd|fac))\b.*|"
            r"j'ai (?:ete|travaille|bosse|etudie|ete promu\w*|ete embauche\w*|un poste|un cdi|monte ma boite|"
            r"cree ma boite|\d+ ans d'experience)\b.{3,}|je (?:viens d'etre|suis) (?:promu"
            r"|embauche|licencie)\w*\b.*",
            r"\b(?:travaille|bosse)\w*\s+(?:sur|a) (?:ce|cet|cette)\b|\b(?:ce soir|aujourd'hui|ce matin|d'accord)\b",
        ),
        "state.deadline": (
            rf"{_THING}\s+(?:n'est pas|n'etait pas)\s+(?:le\s+)?{_DATE},?\s+(?:mais|"
            rf"c'est)\s+(?:le\s+)?(?P<value2>{_DATE}).*|{_THING.replace('thing', 'thing2')}\s+(?:est|sera|c'est|"
            r"aura lieu|tombe|commence|debute|finit|se termine|expire|est (?:prevue?|fixee?|reportee?|decalee?|"
            r"avancee?|repoussee?|programmee?|maintenue?|passee?)|a ete (?:reporte|decale|avance|repousse|fixe|deplace|"
            r"programme)\w*|passe|sort|demarre|arrive|se fera|s'arrete)\s+(?:maintenant\s+|desormais\s+|"
            rf"finalement\s+)*(?:du\s+{_DATE}\s+)?(?:au\s+|a\s+|le\s+|pour\s+|en\s+|jusqu'au\s+|chaque\s+|"
            rf"tous les\s+)*(?P<value>{_DATE}).*",
            r"\b(?:film|magasin|boutique|musee)\b",
        ),
        "state.change": (
            rf"{_THING}\s+(?:n'est pas (?:de|a) {_NUM}{_UNIT} mais (?:de\s|a\s)|est|sont|coute|pese|dure|mesure|"
            r"s'eleve|fait|atteint|compte|(?:est|sont) (?:passe|monte|descendu|tombe)\w*|a (?:augmente|baisse|diminue|"
            r"grimpe|double)|passe|tourne|prend|contient)\s+(?:maintenant\s+|desormais\s+|"
            rf"actuellement\s+)*(?:de\s+{_NUM}{_UNIT}\s+(?=a\s))?(?:a\s+|de\s+|en\s+|jusqu'a\s+)?(?:environ\s+|"
            rf"pres de\s+|plus de\s+|presque\s+)?(?P<value>{_NUM}{_UNIT})(?:\s|[,.;!]|$).*",
            r"\b(?:inflation|mont|fleuve|riviere|planete|population|vol|billet|degres|retard|metres|tour eiffel|"
            r"soleil|lune|terre)\b",
        ),
        "state.count": (
            r"(?:on\s|nous\s|j'|je\s)(?:a|avons|ai|sommes|est|gagne|gagnons|paie|paye|payons|pese|mesure|chausse|fais|"
            r"vends|vendons|emploie|employons)\s+(?:maintenant\s+|deja\s+|environ\s+|du\s+|plus de\s+|"
            rf"pres de\s+)*(?:{_NUM}|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|douze|quinze|vingt|trente)\s*\w*.*",
            r"\b(?:minutes?|questions?|problemes?|doutes?|rendez-vous|heures? (?:pour|devant))\b",
        ),
        "fact.uses": (
            rf"{_I}{_NE}{_ADV}(?:utilise|utilisons|joue|jouons|cours|nage|cuisine|collectionne|roule|roulons|conduis|"
            r"code|programme|developpons|publie|publions|deploie|deployons|pratique|fais (?:du|de la|de l'|des|partie)|"
            r"chante|m'entraine|me leve|me couche|prends (?:le|la|du|un|toujours)|apprends|ecris (?:un|une)|construis|"
            r"renove|renovons|cultive|cultivons|eleve|elevons|organise|organisons|vends|livre|livrons|heberge|"
            r"hebergeons|stocke|stockons)\b\s?.{3,}",
            r"\b(?:en ce moment meme|ce soir|aujourd'hui|dissertation|lettre|un mail|expose|fais (?:des|une) (?:erreur|"
            r"courses)|erreur)\b",
        ),
        "fact.mine": (
            r"(?P<thing>(?:mon|ma|mes|notre|nos)\s+(?!probleme|question|code\b|idee|avis|erreur|mail\b|texte|ordi\w*|"
            r"script|dieu|reponse)[^,;.!?\n]{2,40}?)\s+(?:est|sont|a|ont|utilise\w*|tourne\w*|s'appelle\w*|"
            r"se trouve\w*|coute\w*|ferme\w*|ouvre\w*|commence\w*|dure\w*|se reunit|contient|fonctionne|c'est|fait|"
            r"date|finit|demarre|compte|vient|reste|sert|arrive\w*)\s+(?!cassee?|en panne|lente?|bloquee?|plantee?|"
            r"vide|finie?|prete?|la\b|super|bien\b|nulle?|foutue?).{2,}",
            r"\b(?:ne marche pas|plante|bug|erreur|vient de|compile|retard|batterie|a dit|dit que|m'a dit|a ecrit)\b",
        ),
        "fact.location": (
            rf"{_THING}\s+(?:est|sont|se trouve\w*|est rangee?|est garee?|est cachee?)\s+(?P<value>(?:dans|sous|"
            r"derriere|sur|a cote|au|chez|a)\s[^,;!?\n]{3,60}).*",
            r"\b(?:restaurant|hotel|cinema|film|en cours|au point|a l'heure|dans le train|a jour)\b",
        ),
        "fact.event": (
            r"(?:j'ai|on a|nous avons)\s+(?:un|une|le|la|mon|ma|notre|rendez-vous)\s?[^,;.!?\n]{2,40}\s(?:le|en|a|au|"
            rf"ce|la)?\s?{_DATE}.*|(?:j'ai|on a|nous avons|je viens d[e']|on vient d[e'])\s?(?:enfin\s+|"
            r"juste\s+)?(?:reussi|obtenu|gagne|achete|publie|lance|ouvert|signe|termine|vendu|embauche|recrute|perdu|"
            r"accouche|eu|recu|commence|passe|fete|acheter|signer|ouvrir|lancer|publier|obtenir|recruter)\s+(?:un|une|"
            r"le|la|l'|mon|ma|mes|notre|nos|deux|trois|les)\s?.{3,}|(?:je|on|nous)\s+(?:pars|part|partons|commence|"
            r"commencons|passe|passons|me marie|accouche|me fais operer)\s[^.!?]{0,50}(?:le|en|au|debut|fin|mi|"
            rf"a partir du)\s?(?:{_DATE}|{_MONTH}).*",
            r"\b(?:ce texte|un probleme|une question|un doute|un bug|une erreur|de lire|de voir|ce mail|"
            r"votre|ton|ta)\b",
        ),
        "correction.not": r"(?:ce n'est pas|c'est pas|ce n'etait pas)\s+[^,;.!?\n]{1,40},?\s+(?:c'est|mais)\s.{2,}|"
        r"c'est\s+[^,;.!?\n]{1,40},?\s+(?:pas|et non|non pas)\s.{2,}",
    },
    determiners="le la l' les mon ma mes notre nos un une",
)

_TELLING = (
    opening(
        r"(?:(?:alors|bon|ben|et|mais|sinon|du coup|au fait|en fait|maintenant|depuis|malheureusement|moi|"
        r"nous),?\s+){0,3}(?:j'|m'|(?:je|on|nous|me|moi|mon|ma|mes|notre|nos|chui|jsuis|j|jai)\s|chez (?:moi|nous)\b|"
        rf"(?:le|la|les)\s{_KIN}\b)"
    )
    + r"|^(?=(?:\S+\s+){3}).{2,60}?[\s,](?:j'|m'|(?:je|on|nous|me|moi|mon|ma|mes|notre|nos)\b)"
)
"""What opens with the speaker or what is theirs, or names them behind a time or a place."""
_SIGNS = {
    "telling": _TELLING,
    "definite": opening(r"(?:(?:le|la|les|au|aux|du|pour|a|en|dans)\s|l')"),
    "mine": word_of("je, j, moi, mon, ma, mes, me, m, nous, notre, nos, on, chez moi, chez nous, la mienne, le mien"),
    "kin": rf"\b(?:mon|ma|mes|notre|nos|la|le|les|un|une|deux|trois)\s{_KIN}\b",
    "health": rf"\b(?:{_ILL}|allergies?|traitement|operation|operee?|diagnostic\w*|ordonnance|mg|"
    r"groupe sanguin|halal|casher)\b",
    "work": rf"\b(?:{_JOB}|boulot|bureau|entreprise|boite|salaire|contrat|stage|fac|universite|lycee|ecole|collegues|"
    r"equipe|poste|teletravail|horaires|formation|memoire|these|diplome|promotion|magasin|atelier|cabinet|ferme)\b",
    "affair": word_of(
        r"""
        loyer, credit, echeance, date limite, budget, prix, abonnement, rendez-vous, rdv, reunion, repetition,
        mariage, examen, concours, entretien, demenagement, travaux, contrat, assurance, anniversaire, adresse,
        telephone, mail, taille, pointure, poids, voiture, moto, velo, ordinateur, portable, maison, appart,
        appartement, cle, cles, garage, cave, wifi, code, abonnes, clients, adherents, eleves, ventes, commandes,
        stock, horaire, match, chorale, club, association, paroisse, voyage, passeport, visa, vacances, fuseau,
        objectif, lancement, sortie, chaudiere, imprimante, chapitre, roman, piano, guitare, salle de sport, compte,
        numero, jardin, potager, terrasse, creche, cantine, groupe, orchestre, blog, chaine, podcast, marathon,
        natation, yoga, randonnee, photo, echecs, four, ecran, domaine, facture, pneus, vaccin, aquarium, ruches,
        vignes, hectares, panneaux solaires, epargne, pret, quartier, village, pronoms, surnom, fete, soutenance,
        livraison, permis, casier, badge, parking
        """,
        endings="|s|x",
    ),
    "project": word_of(
        r"""
        projet, backend, frontend, base de donnees, serveur, api, depot, repo, branche, deploiement, production, prod,
        staging, version, framework, appli, application, site, systeme, interlocuteur, microservices?, cluster,
        fournisseur, client, service, cloud, pipeline, tests, script, sprint, release, migration
        """,
        endings="|s",
    ),
    "label": r"^(?!erreur|note|traduc|question|exemple|texte|titre|option|objet|bonjour|salut|merci|ok\b|attention)"
    r"[^\s,.;:!?]{2,18}(?:\s[^\s,.;:!?]{1,14}){0,3}\s?:\s\S",
    "aside": word_of(r"""
        au fait, pour info, pour infos?, a savoir, sache que, sachez que, je te rappelle qu\w*, je precise,
        je te signale, pour contexte, contexte, petite precision, mise a jour, au passage, je te previens,
        pour que tu saches, pour memo, a noter, note, rappel
    """),
    "lasting": word_of(r"""
        toujours, jamais, depuis, chaque, tous les, toutes les, le lundi, le mardi, le mercredi, le jeudi, le vendredi,
        le samedi, le dimanche, normalement, d'habitude, en general, le matin, le soir, fois par, ans, regulierement,
        tout le temps, une semaine sur deux, temps libre, heures perdues, week-ends?, par mois
    """),
    "stative": r"^(?:[^,.;:!?]{0,40}[\s'])?(?:est|sont|a|ont|suis|ai|sommes|avons|habite|vis|vit|travaille|bosse|"
    r"utilise|utilisons|tourne|tournent|s'appelle|parle|joue|chante|mesure|pese|coute|dure|ouvre|ferme|commence|finit|"
    r"expire|roule|gagne|paie|paye|dors|cours|nage|appartient|se trouve|fait|fais|faisons|tient|garde|gardons|etudie|"
    r"suit|mange|bois|prends|prend|tient|compte|reste|met|vaut|contient|supporte|accepte|livre|sert|produit|recoit|"
    r"part|arrive|sort|marche|va|vient|dort|lit|ecrit|consomme|chauffe|vend|achete|depasse|atteint|monte|baisse|manque|"
    r"s'\w{2,20}|se \w{2,20}|il y a)\b",
    "event": word_of(r"""
        j'ai demenage, on a demenage, on s'est maries, je me suis marie\w*, on a achete, j'ai achete, on a vendu,
        j'ai vendu, j'ai commence, on a commence, j'ai fini, on a ouvert, j'ai ouvert, a ferme, est mort\w*,
        est decede\w*, est nee?, j'ai eu, on a eu, on a lance, on a embauche, on a signe, cette annee,
        l'annee prochaine, l'an dernier, en janvier, en fevrier, en mars, en avril, en mai, en juin, en juillet,
        en aout, en septembre, en octobre, en novembre, en decembre
    """),
    "milestone": word_of(r"""
        (?:je me|on s'|nous nous|on nous) ?(?:suis|est|sommes|ont)
        (?:cass|foul|tord|fractur|bless|mari|fianc|pacs|separ| inscrit|install|brul|rompu|dechir)\w*,
        (?:on|j'|nous)(?: |)(?:ai|a|avons) (?:adopte|recueilli|accueilli|eu (?:un|une)
        (?:bebe|fille|garcon|accident)|accouche|demenage|divorce),
        (?:on m'a|ils m'ont|m'a) (?:oper|embauch|vir|licenci| diagnostiqu|vol|retir|enlev|arrach)\w*,
        (?:je suis|j'ai ete) (?:embauche|licencie|promu|opere|recu|admis| hospitalise|pris)\w*,
        est (?:nee?s?|morte?s?|decedee?s?), j'ai (?:eu|decroche|obtenu|reussi) (?:mon|le|ma|un|une)
    """),
    "change": word_of(WORDS.changed.translate(_PLAIN)),
    "due": rf"(?:dois|doit|devons|doivent|faut)\b[^.;]{{2,60}}(?:\bavant|d'ici|\bpour)\s(?:le\s)?{_DATE}|\b(?:je vais|"
    rf"on va|nous allons|je dois|on doit)\s[^.;]{{2,60}}(?:\ben {_MONTH}|\ble \d{{1,2}} {_MONTH}|jusqu'(?:a|au|en) |"
    r"(?:annee|mois|semaine|ete|hiver) prochaine?|cet ete|cet hiver)",
    "role": r"\bc'est\s[^.,]{2,40}\squi\s(?:s'(?:en )?occupe|gere|dirige|tient|decide)\b|\b(?:celui|celle) qui (?:gere|"
    r"dirige|s'occupe|pilote|decide)\b|(?-i:[A-Z])\w{1,40}\s(?:est|c'est)\s(?:mon|ma|notre|la responsable|"
    rf"le responsable)|\bs'occupe (?:de|du|des)\b.*{_NAME}",
    "taste": word_of(r"""
        je prefere, j'aime, j'adore, je deteste, je n'aime, j'aime pas, je ne supporte, je supporte pas, j'ai horreur,
        ma preference, mon prefere, ma preferee, mes preferes, passionne\w*, fan de, pas fan, tres peu pour moi,
        mon truc, plutot que, je raffole, je suis plutot, m'ennuie, me detend, ca (?:ne )?passe pas, me degoute,
        me gave
    """),
    "decision": word_of(r"""
        on a decide, j'ai decide, nous avons decide, c'est decide, on a choisi, j'ai choisi, on a opte, on a tranche,
        on est d'accord pour, on s'est mis d'accord, on abandonne, on garde, on passe sur, on part sur, finalement on,
        on renonce, on a ecarte, on a vote, on a retenu, on laisse tomber le, on laisse tomber la
    """),
    "norm": word_of(r"""
        a partir de maintenant, desormais, dorenavant, a l'avenir, toujours en, toujours avec, jamais de,
        ne me (?:propose|parle| donne|envoie|mets|demande) (?:plus|jamais|pas), par defaut, sans exception, interdit,
        obligatoire, il faut toujours, evite, tutoie, vouvoie, je veux que tu, (?:a )?chaque fois que je,
        pas de \w+(?: [\w']+){0,2} dans (?:les|mes)
    """),
    "steps": r"\bd'abord\b.{3,120}\b(?:puis|ensuite|apres)\b"
    r"|\bpour \w+(?:er|ir|re)\b[^.]{2,80}\b(?:il faut|on|puis)\b",
    "corrects": r"\b(?:je me suis trompee?|correction|je corrige|rectification|je voulais dire|erreur de ma part)\b|"
    r"\b(?:c'est|est|sont|il y a|s'ecrit)\s[^.;]{1,40}(?:,\s(?:pas|et non)|\set (?:pas|non))\s",
    "number": r"\d|"
    + word_of("deux, trois, quatre, cinq, six, sept, huit, neuf, dix, douze, quinze, vingt, trente, cent, mille"),
    "date": rf"\b{_DATE}",
    "name": r"(?-i:(?<=[a-z,:)] )[A-Z]\w+)",
    "short": r"^[^\s:]+(?:\s[^\s:]+)?$",
    "asks": r"\?|^(?:que|quel\w*|comment|quand|ou|qui|pourquoi|combien|est-ce|qu'est-ce)\b",
    "request": rf"^\w{{3,20}}-(?:moi|le|la|les|lui|nous|toi)\b|^(?:{_PLEASE}{_DO}|aide-moi|dis-moi|fais-moi|raconte|"
    r"imagine|invente|cherche|trouve|calcule|genere|cree|compare|liste|continue|refais|attends|regarde|relis|redige|"
    r"prepare)\b|\b(?:je veux|je voudrais|j'aimerais|je cherche|j'ai besoin|peux-tu|tu peux|pourrais-tu|pouvez-vous|"
    r"vous pouvez|aide|je dois|il me faut|je vais|on va|il faut que je)\b",
    "unreal": word_of(r"""
        si j'avais, si j'etais, si on, si je, peut-etre, imagine\w*, supposons, mettons, \w+erais, \w+irais, serait,
        aurait, je crois que, il me semble, je suppose, j'hesite, je crois, on verra, c'est une blague, personnage,
        roman dont, j'ai reve, on dirait, un jour
    """),
    "hearsay": word_of(r"""
        dit que, dit qu, disent que, on dit, qu'il dit, qu'elle dit, a dit, parait-il, il parait, selon, d'apres,
        j'ai lu, j'ai entendu, affirme, article, journal, un ami, une amie, un pote, on m'a dit, m'a raconte,
        les infos, se vante\w* (?:de|d), ^(?:un mec|un type|quelqu'un|une fille|un gars) (?:du?|de la|au|qui)\b[^.]*,
        (?:indique|montre|revele|precise|pretend|soutient|jure|assure|raconte|repete|explique|disait) qu\w*
    """),
    "passing": word_of(r"""
        aujourd'hui, maintenant la, ce soir, ce matin, cet apres-midi, tout a l'heure, dans une heure, en route,
        j'arrive, dans le train, dans le bus, dans le metro, dans la queue, j'ecris un\w*, attends(?=\W*$),
        cette fois, pour l'instant, une minute, une seconde, je viens de, hier, hier soir, bientot la, en train de,
        est encore (?:dans|sur|la), retard, en reunion, je reviens, dans les bouchons
    """),
    "mood": word_of(r"""
        fatiguee?, crevee?, creve, epuisee?, faim, soif, sommeil, froid, chaud, pressee?, contente?, heureu\w+,
        triste, stressee?, enervee?, marre, malade, mal a la tete, change d'avis, zut, mince, le temps a,
        (?<!en )(?<!s')occupee?, (?:suis|es|est) prete?, bloquee?, perdue?, deprime\w*, impatiente?, envie
    """),
    "trouble": failing(
        r"""
        ordinateur, ordi, pc, portable, telephone, imprimante, wifi, site, appli, logiciel, ecran, clavier, voiture,
        machine, lave-linge, lave-vaisselle, chaudiere, four, frigo, box, tele, connexion, serveur, code
        """,
        "ne, n, refuse, fait un bruit, vient de planter, rame, a (?:encore )?(?:saute|plante|lache|bugue)",
    )
    + "|"
    + word_of(r"""
        erreur, bug, batterie, ne compile plus, plante, compile, ne marche pas, marche pas, ne fonctionne pas,
        casse\w*, en panne, je ne sais pas(?! \w+(?:er|ir|re)\b), je sais pas(?! \w+(?:er|ir|re)\b),
        je ne comprends pas, je comprends pas, j'ai oublie, je ne trouve pas, je n'arrive pas, j'arrive pas, probleme,
        question, doute
    """),
    "at hand": word_of(r"""
        ce (?!mois|projet|semestre|printemps|que l|que m)\w+, cet (?!ete|hiver|automne)\w+, cette
        (?!annee|entreprise|equipe)\w+, ca, ceci, cela, le texte, la phrase,
        j'ecris un\w*, je t'\w+, je te (?:rappelle|dis|reponds|tiens|laisse|recontacte|montre|passe), le paragraphe,
        l'option, la premiere, le titre, ton, ta, tes, votre, vos, ci-dessous, ci-joint
    """),
    "reaction": r"\bmille mercis\b|\btu me sauves\b|^(?:avant|auparavant),? (?:c'etait|il y en avait) [\d.,]+\b|"
    r"^(?:ok|d'accord|merci|super|parfait|genial|haha\w*|mdr|oui|non|bof|ah|oh|wow|bravo|bonjour|salut|"
    r"bonsoir|cool|top|ca marche|bonne|bon\b|tant pis|exactement|j'adore(?=[,.!]|$)|pas mal)\b(?!,?\s+(?:au fait|je|j'|"
    r"mon|ma|on|nous|le|la))|\bmerci\W*$|^lol\b|^mdr\b|^tu m'as\b|\b(?:pas|plus) ce que je (?:voulais|veux|"
    r"demandais)\b|\bmort(?:e|s)? de rire\b|\btu me sauves\b",
    "world": word_of(r"""
        l'eau, la terre, le soleil, la lune, capitale de, habitants, la france, le monde, les gens, l'histoire,
        en general, planetes?, siecle, l'univers, les animaux, les plantes, a ete invente\w*, le gouvernement,
        le ministre, culmine, se jette, le fleuve, est l[ea] plus \w+ \w+ (?:de|du|d), un fleuve, une montagne
    """),
}

_REQUEST = request_of(
    r"(?:ecris|redige|prepare|fais|donne|dis|aide|propose|conseille|suggere|corrige|reecris|raccourcis|"
    r"traduis|resume|trouve|cherche|explique|calcule|cree|liste|genere|invente|verifie|relis|arrange|organise|"
    r"planifie|prevois|dessine|compare|montre|raconte|refais|reserve|mets|rappelle|ajoute|enleve|deplace|"
    r"adapte|garde|reponds|reveille|rends|formule|etablis)(?:-(?:moi|nous|le|la|les|lui))*",
    r"toujours|jamais|chaque fois|a l'avenir|desormais|en tete|que",
)
PACK = Pack(
    lang="fr",
    rules=_RULES,
    rule_signs=RULE_SIGNS,
    weigh=weigher(_SIGNS),
    spelling=_PLAIN,
    others=r"(?!.*\b(?:je|j|me|m|moi|mon|ma|mes|nous|notre|nos|on)\b)(?:elles?|ils?)\s(?!s'appelle|y\s|faut\b|fait\b|pleut\b|"
    r"neige\b|reste\b|s'agit\b|est\s(?:\d|interdit|important|possible|impossible|temps|prevu|necessaire|convenu)\b)",
    leads=r"(?:(?:alors|bon|bah|ben|eh bien|ok|d'accord|salut|bonjour|bonsoir|coucou|hello|ah|oh|oui|ouais|merci|super|"
    r"au fait|d'ailleurs|en fait|en plus|aussi|et|mais|sinon|pour info|pour infos|pour ton info|pour votre info|"
    r"a savoir|sache que|sachez que|je precise que|je te signale que|je te rappelle que|pour contexte|contexte|"
    r"petite precision|mise a jour|update|point d'etape|petit point|note|a noter|rappel|franchement|honnetement|"
    r"malheureusement|heureusement|finalement|bref|voila|du coup|donc|au passage|je te previens(?: que)?|parce que|car|"
    r"comme|vu que|puisque|pour que tu saches|tu sais|en realite|il se trouve que|bonne nouvelle|grande nouvelle|"
    r"ca y est|enfin|maintenant|actuellement|personnellement)(?:\s*[,:.!…]+\s*|\s+)|[\s,:;–—-]+)",
    fronts=r"(?:(?:depuis|apres|avant|pendant|en|a|au|chez|pour|avec|dans|cote|niveau|le (?:matin|soir|week-end|lundi|"
    r"mardi|mercredi|jeudi|vendredi|samedi|dimanche)|tous les|chaque|cette annee|l'an dernier|l'annee (?:derniere|"
    r"prochaine)|la semaine prochaine|le mois prochain|quand j'etais)\b[^.;:!?\n]{0,60}?,\s+|(?:cette semaine|"
    r"ce mois-ci|le week-end|le soir|le matin|en semaine|l'ete|l'hiver)\s+(?=je\s|j'|on\s|nous\s))",
    corrections=r"(?:non attends|non|pardon|enfin non|j'ai confondu|desolee?|oups|correction|rectification|erratum|"
    r"je corrige|je me suis trompee?|je voulais dire|attends|plutot|en fait|erreur de ma part)\s*[,:;.!…]+\s*",
    explicit=r"(?:s'il (?:te|vous) plait,?\s+|stp,?\s+|et\s+|surtout,?\s+)*(?:souviens-toi(?: que| bien que|\s*[:,])|"
    r"rappelle-toi(?: que|\s*[:,])|retiens(?: bien)?(?: ceci| cela| ca)?(?: que|\s*[:,])|retenez(?: que|\s*[:,])|"
    r"n'oublie(?:z)? pas(?: que|\s*[:,])|note(?:z)?(?: bien)?(?: que|\s*[:,])|garde en (?:tete|memoire)(?: que|"
    r"\s*[:,])|memorise(?:z)?(?: que|\s*[:,])|enregistre(?: que|\s*[:,])|prends note(?: que|\s*[:,])|"
    r"pour memoire\s*[:,]|tu dois (?:savoir|retenir) que|je veux que tu (?:te souviennes|retiennes)(?: que|\s*[:,])|"
    r"a retenir\s*:)\s*",
    turns=r"\s?[,:]\s+",
    breaks=rf",\s+(?={_REQUEST})|(?<!\s)(?:\s*;\s+|\s+[–—-]\s+)|:\s+(?=(?:je|j'|on|nous|mon|ma|mes)\b)|,\s+(?:(?:et|"
    r"mais|donc|alors|or|puis|du coup)\s+)*(?:parce que|car|puisque|vu que|comme|alors que|meme si|"
    r"bien que)?\s*(?=(?:je|j'|on|nous|mon|ma|mes|notre|nos|tu|il|elle|ils|elles|ce|quel\w*|comment|pourquoi|combien|"
    r"est-ce|qu'|peux-tu|pourrais-tu|pouvez|peux|ne|n'|merci|stp|svp|s'il|souviens|retiens|note|que|qui)(?:\b|(?<=')))|"
    r"(?<!\s)\s+(?:et|mais|donc|car)\s+(?=(?:je|j'|on|nous|mon|ma|mes|il|elle|c'est|tu|peux-tu|comment|ne\b)(?:\b|"
    r"(?<=')))|(?:,|(?<!\s))\s+(?:parce que|parce qu'|car|puisque|vu que)\s*(?=(?:je|j'|on|nous|mon|ma|mes)(?:\b|"
    r"(?<=')))",
    asks=rf"{_REQUEST}|(?:mon|ma|mes|notre|nos) [^,.!?]{{1,30}}(?<!ne) (?:peut|peuvent|doit|doivent) (?!pas\b|plus\b|"
    r"jamais\b)(?![^,.!?]{0,60}\b(?:que|avant|seulement)\b)|(?:que\b|qu'|quel\w*|quoi|comment|quand (?:est|a|va|sont)|"
    r"ou (?:est|sont|puis|peut)|qui\b|pourquoi|combien|est-ce|peux-tu|pourrais-tu|pouvez|pourriez|tu (?:peux|pourrais|"
    r"sais|connais|penses|as)\b|vous (?:pouvez|savez)|as-tu|sais-tu|connais-tu|puis-je|dois-je|faut-il|y a-t-il|"
    r"aide-moi|dis-moi|donne-moi|explique-moi|montre-moi|je (?:veux|voudrais|cherche|me demande|souhaite(?:rais)?)\b|"
    r"j'aimerais|j'ai besoin|il me faut|je peux|on peut|aurais-tu|une idee)",
    supposes=r"(?:en (?:supposant|admettant)|des que (?:j'ai(?= \d)|j'aurai|j'obtiens|je (?:\w+rai|peux|trouve|"
    r"recois))|si (?!(?:je|j'|tu)\s?(?:te |t')?(?:demande|parle|ecris|pose|envoie))|s'il (?!te|vous)|imagine\w*|"
    r"suppos\w+|mettons|admettons|a supposer|au cas ou|meme si|dans (?:mon|ma|le|la|cette?) (?:reve|roman|histoire|"
    r"nouvelle|jeu|film)|et si|quand bien meme|j'espere|pourvu|un jour)\b",
    unreal=r"\b(?:demenage|m'installe|achete|vends|quitte|emmenage)\w*\b[^.!?]{1,60}\s(?:si|au cas ou|des que)\s?\w",
    denies=r"\b(?:pas|jamais|au lieu de|plut[oô]t que)\s(?:(?!mais\b)\w+\s){0,2}$",
    contrasts=r"\b(j(?:e\s|')(?:ne\s|n')?(?P<verb>(?:\w{1,3}')?\w+)\spas\s[^,;.!?]{1,40}?[,;]\s(?:mais\s)?)"
    r"(?=j(?:e\s|')(?P=verb)\b)"
    r"|\b(n'|ne\s)(?:est|sont|etait)(\spas\s[^,;.!?]{1,40}?[,;]\s(?:c'est|ce sont))(?=\s)"
    r"|(?:\b(n'|ne\s)(?:\w{1,3}')?\w+)?(\spas\s(?!seulement\b|que\b)(?:[^,;.!?]|[.,]\d){1,40}?,?\smais(?:\splutot)?)\s"
    + phrase_of(
        r"a|au|aux|en|dans|chez|de|du|pour|depuis|vers|pres|\d\S*|\w+di|(?-i:[A-Z])[\w'-]+",
        r"le|la|les|un|une|ma|mon|mes",
    ),
    pretends=r"\b(?:il [eé]tait une fois|jeu de r[oô]le|fais comme si|fais semblant|"
    r"[ée]cris(?:-moi)?\b[^.:!?\n]{0,60}?\b(?:histoire|conte|po[eè]me|nouvelle|roman|polar|dialogue|sc[eè]ne|lettre de|"
    r"premi[eè]re personne)|(?:^|(?<=[.:!?]\s))(?-i:[A-Z])\w+ (?:a|avait|ach[eè]te) (?:\d+|\w+) \w+ et (?:en "
    r")?(?:donne|mange|vend|perd|"
    r"offre)\b|dans mon roman|fictif|fictive|imagine (?:que|un|une)|tu es (?:un|une) (?:pirate|agent|personnage))\b",
    joins=frozenset({"et", "ou"}),
    tails=r"(?:parce que|car|puisque|vu que|comme|alors que|meme si|bien que|et il|et elle|mais|donc|du coup)?",
    presumes=r"(?:parce que|car|puisque|vu que|sachant que|comme)",
    reports=r"(?:a dit|dit|disait|a ecrit|ecrit|demande|selon [^,;.]{2,40}|d'apres [^,;.]{2,40})\s*[:,]?\s*$",
    hedges=r"\b(?:peut-etre|sans doute|probablement|eventuellement|je ne sais pas si|je sais pas si|pas sure?|j'hesite|"
    r"je pense a|je reflechis|il parait|soi-disant|je rigole|je plaisante|pour rire|\w*(?:[eiur]r|dr|ser|aur|"
    r"fer)(?:ais|ait|ions|aient)|on verra|je crois que|il me semble|si seulement|a ce qu'il parait|un ami a moi)\b",
    seeks=r"\b(?:cherche|trouve|recommande|propose|conseille|sugg[eè]re)(?:-moi|-nous|s)? (?:\w+ ){0,3}(?:film|"
    r"s[eé]rie|livre|resto|restaurant|musique|chanson|jeu|concert|id[eé]e)\w*\b",
    platitudes=r"\b(?:la vie|le bonheur|la chance|parfois|l'important)\b",
    spellings=r"\b(?:[jcnmts]|qu)'|\w[èêëîïœ]\w|\b(?:à|où|été)\b|[a-z]{2}(?:n|r|t|ll|ss)ent\b|eau\b|aux\b|ée\b|"
    r"\w{2}(?:eurs?|euse)\b|auve|\b(?:les|des|nuit)\b",
    cues=frozenset(
        """
        je j tu il elle on nous vous ils elles le la les l un une des du de d au aux et ou mais donc car ne pas plus
        jamais que qui quoi où ce cet cette ces mon ma mes ton ta tes son sa ses notre nos votre vos est sont suis es
        êtes ai as a avons avez ont été être avoir fait fais faire dans sur sous avec sans pour par chez très trop
        bien aussi toujours depuis quand comment pourquoi quel quelle c qu n y en si merci bonjour salut oui non ça
        moi toi lui leur habite travaille aime préfère peux veux j'ai c'est parle appelle allergique date réunion
        loyer souviens réponds demain aujourd hui ans année se même tout tous toute deux trois quatre cinq avoir avais
        était chien chat voiture maison mère frère travail semaine mois jour fume joue jouons vends achète mets
        prenons allons venir vivons préféré fume cours lundi mardi mercredi jeudi vendredi samedi dimanche janvier
        février juin juillet août septembre octobre novembre décembre prochain prochaine prochains démarre commence
        utilise utilisons bois mange prends fait voici combien raconte fille fils sœur frère mère père équipe numéro
        chez déménagé prefere deteste detestons ecris reponds tres desormais annee ete
        """.split()
    ),
)
