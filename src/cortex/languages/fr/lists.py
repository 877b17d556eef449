"""Lists of French words and patterns, by the names in `cortex.languages.lists`."""

from __future__ import annotations

LISTS = {
    "approves": (
        r"\W*(?:(?:ça|cela|c'est|tout) )?(?:me )?(?:semble|paraît|va|a l'air|sonne) (?:(?:très|"
        r"vraiment) )?(?:bien|bon|super|parfait|raisonnable|utile|être un bon plan)\b"
    ),
    "answers the assistant": (
        r"(?:merci|ça (?:marche|me va|semble|a l'air|aide)|parfait|super|d'accord|compris|entendu|oui|génial|"
        r"très bien|bonne idée|ok)\b"
    ),
    "clause ends": "et|mais",
    "small numbers": "un une deux trois quatre cinq",
    "passwords": "mot de passe",
    "password of": "pour|du",
    "password is": "est",
    "past the owner": r"\bl'utilisateur\b",
    "who reads this": "qui",
    "addresses": "aux?|pour|à",
    "all of them": "les",
    "this project": r"\b(?:ce|cette|cet|notre) (?:projet|dépôt|repo\w*|base de code|paquet|module|service|branche)\b",
    "months of a name": "janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre",
    "days of a name": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "before a month": "en de du au mi fin",
    "articles of any case": "le la un une",
    "titles of people": "m mme mlle monsieur madame",
    "particles of a name": "de du la le",
    "conditional": "si",
    "before a lone month": "en",
}
