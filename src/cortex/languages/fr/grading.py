"""By which words French shows how much a memory matters."""

GRADING = {
    "rule": r"\b(?:désormais|dorénavant|à partir de maintenant|à l'avenir|toujours|jamais|interdit|obligatoire|règle|"
    r"consigne|politique)\b|^\W*(?:ne \w+ (?:jamais|pas|plus)|utilise|écris|réponds|évite)\b",
    "preference": r"\b(?:préf[èé]r\w+|favori\w*|j'aime|j'adore|je déteste|n'aime pas|je veux)\b",
    "constraint": r"\b(?:allergi\w+|intoléran\w+|cœliaque|coeliaque|diabét\w+|diabète|épilep\w+|enceinte|végane?|"
    r"végétarien\w*|ne (?:mange|bois|peux|peut) pas)\b",
    "asked": r"\b(?:souviens-toi|rappelle-toi|retiens|n'oublie\w* pas|note bien|note que|garde en (?:tête|mémoire)|"
    r"pour mémoire|prends note)\b",
    "decision": r"\b(?:décidé|choisi|opté|tranché|décision|convenu)\b",
    "procedure": r"\b(?:les étapes|la procédure|marche à suivre|recette)\b|\bd'abord\b.{1,200}\b(?:puis|ensuite)\b|"
    r"^\W*pour\s+\w+.{0,60}[,:]\s*\S|\b(?:ouvrir|cliquer|appuyer)\b.{0,100}\bpuis\b",
    "task": r"\b(?:à faire|il faut (?:encore)?|reste à|je dois|nous devons|échéance|avant (?:le|la|fin)|en attente|"
    r"date limite)\b",
    "incident": r"\b(?:incident|panne|en panne|a planté|tombé\w*|échoué|perdu|fuite|bogue|bug)\b",
    "cause": r"\b(?:parce que|à cause de|cause|dû à|corrigé|résolu|réparé|remplacé)\b",
    "acknowledgement": r"^\W*(?:(?:ok|d'accord|merci|beaucoup|bien|parfait|super|oui|non|compris|entendu|bonjour|"
    r"salut|de rien|ça marche|très)\b[\s,.!]*)+$",
    "secret": r"\b(?:mot de passe|code (?:de vérification|de sécurité|secret|pin))\b.{0,20}\d",
    "progress": r"\b(?:en cours|je continue|presque (?:fini|terminé)|pour l'instant|téléchargement|à moitié|je "
    r"travaille sur)\b",
    "appointment": r"\b(?:rendez-vous|réunion|appel|vol|train|déjeuner|dîner|entretien|cours|visite)\b",
    "soon": r"\b(?:aujourd'hui|demain|ce soir|cet après-midi|(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|"
    r"dimanche))\b",
    "at_time": r"\b(?:à \d{1,2} ?h|\d{1,2} ?h(?: ?\d\d)?|\d{1,2}:\d\d|à midi)\b",
    "recurring": r"\b(?:chaque|tous les|toutes les)\b",
    "vague": r"^\W*(?:ça|cela|c'est|c'était|il (?!faut)|elle|on (?:a vu|a mangé|est)|quelqu'un|l'autre|celui|celle)\b|"
    r"\?\s*$|\b(?:peut-être|je crois|je ne sais pas|sans doute)\b",
    "lasting": r"\b(?:mon|ma|mes|notre|nos|je (?:suis|travaille|m'appelle)|j'(?:habite|ai)|s'appelle|habite|travaille|"
    r"anniversaire)\b",
}
