"""How Spanish limits what is said: to a stretch of time, or to a project."""

from __future__ import annotations

from cortex.languages.limits import LimitWords

_NUMBERS = {"un": 1, "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "diez": 10}

LIMITS = LimitWords(
    day=r"\b(?:hoy|esta (?:noche|tarde|mañana))\b",
    week=r"\b(?:(?:toda )?esta semana|este fin de semana|estos días|(?<!la )(?<!esta )(?<!por )mañana)\b",
    month=r"\b(?:este mes|la próxima semana|la semana que viene)\b",
    now=r"\b(?:ahora mismo|de momento|por ahora|por el momento)\b",
    until=(r"\bhasta\s(?:el\s|la\s)?(?:próximo\s|este\s)?{}",),
    within=r"\b(?:durante|en|por|para)\s(?:los|las|el|la)\s(?:próxim[oa]s?)\s{}",
    days={"mañana": 1, "esta noche": 0, "pasado mañana": 2},
    weekdays=("lunes", "martes", "miércoles, miercoles", "jueves", "viernes", "sábado, sabado", "domingo"),
    months=(
        "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre, setiembre", "octubre",
        "noviembre", "diciembre",
    ),
    of=r"º?\s(?:de\s)?(?:del\s)?",
    spans={
        "week": r"(?:fin(?:al)? de (?:la |esta )?semana|que acabe la semana)",
        "month": r"(?:fin(?:al)?(?:es)? de(?:l| este)? mes)",
        "year": r"(?:fin(?:al)?(?:es)? de(?:l| este)? año)",
    },
    numbers=_NUMBERS,
    units={"día": 1, "días": 1, "semana": 7, "semanas": 7, "mes": 31, "meses": 31},
    before=(
        r"(?:(?:por favor|pero|y|también|así que|oye|hola|vale)[,\s]+){0,3}(?P<only>(?:(?:solo|sólo"
        r"|solamente) )?(?:por|para) |(?:solo|sólo|solamente) (?:por |para )?)?"
    ),
    after=r"(?P<alone> (?:solo|sólo|solamente|nada más))?\s*[,:;–—-]?\s",
    lasting="a partir de ahora, ",
    orders=(
        r"^(?:por favor,? )?(?:no (?:me |nos |le |lo |la )?\w+(?:es|as)\b|(?:responde|contesta|habla|escribe|usa"
        r"|utiliza"
        r"|reserva|evita|respóndeme|contéstame|háblame|escríbeme|solo usa)\b)"
    ),
    scope=(
        r"(?:por favor,? )?(?:para|en|durante|dentro de) (?:el|la|nuestro|mi|este) (?:proyecto|repo|repositorio|equipo"
        r"|cliente)(?: (?:de )?(?P<about>(?!siempre\b|nunca\b|no\b|usa\b|solo\b)[\w&-]{2,40}(?: (?-i:[A-ZÁÉÍÓÚÑ])"
        r"[\w&-]{1,40})?))?[,:]?\s"
    ),
    stays=(
        r"\b(?:a partir de|desde (?:hace|hoy|ayer|que|mañana|esta|este|el (?:lunes|martes|\d|mes|año))|cada|todos los"
        r"|todas las|siempre|ya no|para siempre|en (?:un|una|dos|tres|cuatro|cinco"
        r"|seis|\d{1,3}) (?:semanas?|mes(?:es)?|años?)|dentro de (?:un|una|dos|tres|\d{1,3}) \w+|(?:el )?(?:próximo"
        r"|mes|año) (?:mes|año|verano|que viene)|este (?:año|verano|invierno))\b|\b(?:19|20)\d\d\b"
        r"|\b(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)\b"
    ),
    happened=(
        r"\b(?:he|has|ha|hemos|habéis|han)\s(?:ya\s|recién\s)?\w{2,20}(?:ado|ido|echo|isto|icho|uesto|rito|ierto|oto"
        r"|uelto"
        r"|uerto)\b|\b(?!(?:café|bebé|comité|aquí|allí|así|ahí|qué|porqué|sé|mí|sí|té)\b)(?!\w{1,20}(?:ar|er|ir)é\b)"
        r"\w{2,20}(?:é|í|ó)\b|\b(?:tiré|miré|retiré|preparé|paré|compré|logré|fui|fue|hice|hizo|tuve|tuvo|estuve|estuvo"
        r"|vine|vino|puse|dije|dijo|fuimos|hicimos|tuvimos|estuvimos|\w{2,20}(?:aron|ieron|eron|imos|aste|iste))\b"
    ),
    state=r"\b(?:vivimos|salimos|asistimos|decidimos ir|preferimos|pedimos|sentimos|subimos|escribimos|dormimos)\b",
    life_events=(
        r"\b(?:murió|falleció|ha muerto|ha fallecido|nació|ha nacido|perdí (?:mi|el) (?:trabajo|empleo)"
        r"|he perdido (?:mi"
        r"|el) (?:trabajo|empleo)|me (?:despidieron|han despedido|ascendieron|han ascendido)|despedid[oa]|nos casamos"
        r"|me cas[éo]|me he casado|me divorcié|embarazada|funeral|boda|diagnosticaron|diagnosticado|me jubil[éo]"
        r"|me gradu[éo]|nos mudamos|me mud[éo]|rompimos|infarto|cumpleaños|aniversario|nuevo trabajo)\b"
    ),
)  # fmt: skip
