"""Lists of Portuguese words and patterns, by the names in `cortex.languages.lists`."""

from __future__ import annotations

LISTS = {
    "approves": (
        r"\W*(?:(?:isso|isto|tudo) )?(?:me )?(?:parece|soa) (?:(?:muito|realmente) )?(?:bem|bom|ótimo|"
        r"perfeito|razoável|útil|um bom plano)\b"
    ),
    "answers the assistant": (
        r"(?:(?:muito )?obrigad[oa]|perfeito|ótimo|entendi|(?:isso )?parece|certo|sim|legal|boa ideia|beleza|"
        r"ok|faz sentido)\b"
    ),
    "clause ends": "e|mas",
    "passwords": "senha",
    "password is": "é",
    "past the owner": r"\b(?:o|ao) usuário\b",
    "this project": (
        r"\b(?:n?est[ea]|n?ess[ea]|nosso|nossa) (?:proje(?:c?to)|repo\w*|código|pacote|módulo|serviço|"
        r"branch)\b"
    ),
    "particles of a name": "da de dos das",
}
