"""Lists of Spanish words and patterns, by the names in `cortex.languages.lists`."""

from __future__ import annotations

LISTS = {
    "approves": (
        r"\W*(?:(?:eso|esto|todo) )?(?:me )?(?:suena|parece|queda) (?:(?:muy|realmente) )?(?:bien|genial|"
        r"perfecto|razonable|útil|un buen plan)\b"
    ),
    "answers the assistant": (
        r"(?:(?:muchas )?gracias|(?:me )?suena|perfecto|genial|vale|entendido|de acuerdo|claro|bien|muy bien|"
        r"sí|excelente|estupendo|ok|buena idea|tiene sentido)\b"
    ),
    "months": "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre",
    "weekdays": "lunes|martes|miércoles|jueves|viernes|sábado|domingo",
    "of a month": "de",
    "percent": "por ciento",
    "durations": "minutos?|horas?|días?|semanas?|meses|años?",
    "definite": "el la mi",
    "indefinite": "un una",
    "joining": "y o",
    "speaker": "yo nosotros",
    "speaker's": "mi mis",
    "breaking": "pero porque aunque",
    "abbreviations": r"sra|p\.ej",
    "clause ends": "y|pero|porque",
    "openers": "actualmente además antes ahora después según",
    "small numbers": "un dos tres cuatro cinco",
    "passwords": "contraseña|contrasena",
    "password of": "para|de|del",
    "password is": "es|era",
    "password is now": "ahora",
    "keys": "clave|llave",
    "seed phrases": "frase semilla",
    "past the owner": r"\b(?:al|el|los) usuarios?\b|\basistentes? de ia\b",
    "machines": r"\b(?:ia|modelos? de lenguaje)\b",
    "helpers": "asistentes?|agentes?",
    "helpers are ai": "ia",
    "who reads this": "que",
    "addresses": "para|al?",
    "all of them": "el|los",
    "this project": (
        r"\b(?:est[ea]|nuestr[oa]) (?:proyecto|repo\w*|código|base de código|paquete|módulo|servicio|"
        r"rama)\b"
    ),
    "months of a name": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "days of a name": "lunes martes miercoles jueves viernes domingo",
    "before a month": "a de del",
    "articles of any case": "el los las un una la",
    "titles of people": "senor senora senorita sr sra srta don dona",
    "particles of a name": "de del la",
    "conditional": "si",
    "choosing": "o",
    "before a lone month": "en",
    "pin is": "es",
}
