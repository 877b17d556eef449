"""How Portuguese limits what is said: to a stretch of time, or to a project."""

from __future__ import annotations

from cortex.languages.limits import LimitWords

_NUMBERS = {
    "um": 1, "uma": 1, "dois": 2, "duas": 2, "três": 3, "quatro": 4, "cinco": 5, "seis": 6, "dez": 10
}  # fmt: skip

LIMITS = LimitWords(
    day=r"\b(?:hoje|(?:esta|essa) (?:noite|manh[aã]|tarde))\b",
    week=(
        r"\b(?:(?:n?esta|n?essa) semana|(?:n?este|n?esse) fim de semana|esses dias"
        r"|(?<!de )(?<!da )(?<!esta )amanh[aã])\b"
    ),
    month=r"\b(?:(?:n?este|n?esse) m[eê]s|semana que vem|(?:na )?pr[oó]xima semana)\b",
    now=r"\b(?:agora mesmo|por enquanto|neste momento|no momento|por agora)\b",
    until=(r"\bat[eé]\s(?:a\s|o\s|à\s|ao\s)?(?:pr[oó]xim[oa]\s)?{}",),
    within=r"\b(?:pel[oa]s|n[oa]s|durante [oa]s)\spr[oó]xim[oa]s\s{}",
    days={"amanhã": 1, "amanha": 1, "hoje à noite": 0, "depois de amanhã": 2},
    weekdays=(
        "segunda-feira, segunda", "terça-feira, terça", "quarta-feira, quarta", "quinta-feira, quinta",
        "sexta-feira, sexta", "sábado", "domingo",
    ),
    months=(
        "janeiro", "fevereiro", "março, marco", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro",
        "novembro", "dezembro",
    ),
    of=r"º?\s(?:de\s)?",
    spans={
        "week": r"(?:fim|final) (?:da|desta) semana",
        "month": r"(?:fim|final) d(?:o|este) m[eê]s",
        "year": r"(?:fim|final) d(?:o|este) ano",
    },
    numbers=_NUMBERS,
    units={"dia": 1, "dias": 1, "semana": 7, "semanas": 7, "mês": 31, "meses": 31},
    before=(
        r"(?:(?:por favor|mas|e|também|então|oi|olá|ok)[,\s]+){0,3}(?P<only>(?:(?:só|somente|apenas) )?(?:por|para|pra)"
        r" |(?:só|somente|apenas) (?:por |para |pra )?)?"
    ),
    after=r"(?P<alone> (?:só|apenas|somente))?\s*[,:;–—-]?\s",
    lasting="a partir de agora, ",
    orders=(
        r"^(?:por favor,? )?(?:n[aã]o (?:me )?(?:marque|agende|use|reserve|envie|mande|fale|escreva|\w+(?:es|as))\b"
        r"|(?:responda|responde|fale|fala|escreva|escreve|use|usa|utilize|reserve|evite|mantenha)\b)"
    ),
    scope=(
        r"(?:por favor,? )?(?:para|no|na|durante|dentro do|em) (?:o |a |nosso |meu |este )?(?:projeto|projecto|repo"
        r"|reposit[oó]rio|equipe|time|cliente)(?: (?P<about>(?!use\b|usa\b|n[aã]o\b|sempre\b|nunca\b"
        r"|respond)[\w&-]{2,40}(?: (?-i:[A-Z])[\w&-]{1,40})?))?[,:]?\s"
    ),
    stays=(
        r"\b(?:a partir de|desde (?:ontem|hoje|que|amanh[aã]|esta|este|o (?:m[eê]s|ano)|\d)|cada|todo|toda|todos os"
        r"|todas as|sempre|n[aã]o \w+ mais|para sempre|daqui a|em (?:um|uma"
        r"|dois|duas|três|\d{1,3}) (?:semanas?|m[eê]s(?:es)?|anos?)|(?:m[eê]s|ano) que vem|pr[oó]ximo (?:m[eê]s|ano)"
        r"|este ano|neste ver[aã]o)\b|\b(?:19|20)\d\d\b"
        r"|\b(?:janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro)\b"
    ),
    happened=(
        r"\b(?!(?:sei|lei|rei|eu|meu|teu|seu|c[eé]u|museu|europeu|sou|vou|estou|dou|ou)\b)(?!\w{1,20}(?:ar|er|ir)ei\b)"
        r"\w{2,20}(?:ei|ou|eu|iu)\b|\b(?:tirei|virei|parei|comprei|preparei|fui|foi|fiz|fez|tive|teve|estive|esteve|vim"
        r"|veio|disse|saí|caí|fomos|fizemos|tivemos|estivemos|era|eram|estava|estavam|\w{2,20}(?:aram|eram|iram))\b"
    ),
    life_events=(
        r"\b(?:morreu|faleceu|nasceu|perdi (?:meu|o|o meu) (?:emprego|trabalho)|(?:fui|foi) (?:demitid[oa]|despedid[oa]"
        r"|promovid[oa]|diagnosticad[oa]|contratad[oa])|demitid[oa]|casei|me caso|casamos|noivei|divorciei|separei"
        r"|gr[aá]vida|aborto|funeral|enterro|casamento|diagn[oó]stico|mudei|me mudo|mudamos|aposentei|reformei"
        r"|me formei"
        r"|infarto|enfarte|avc|anivers[aá]rio|novo (?:emprego|trabalho))\b"
    ),
)  # fmt: skip
