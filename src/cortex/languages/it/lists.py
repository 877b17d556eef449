"""Lists of Italian words and patterns, by the names in `cortex.languages.lists`."""

from __future__ import annotations

LISTS = {
    "approves": (
        r"\W*(?:(?:questo|quello|tutto) )?(?:mi )?(?:sembra|suona|pare) (?:(?:molto|davvero) )?(?:bene|ottimo|"
        r"perfetto|ragionevole|utile|un buon piano)\b"
    ),
    "answers the assistant": (
        r"(?:grazie|perfetto|va bene|ottimo|capito|d'accordo|sì|bene|fantastico|buona idea|ok|ha senso)\b"
    ),
    "clause ends": "e|ma",
    "past the owner": r"\bl'utente\b",
    "helpers": "assistenti?",
    "addresses": "per",
    "this project": r"\b(?:quest[oa]|nostr[oa]) (?:progetto|repo\w*|codice|pacchetto|modulo|servizio|ramo)\b",
    "months of a name": (
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"
    ),
    "before a month": "a di del",
    "articles of any case": "il lo la un una uno",
    "titles of people": "signor signora dott",
    "particles of a name": "da di della",
    "choosing": "o",
}
