"""Signs that a Spanish sentence tells the assistant what to hold to from then on."""

from __future__ import annotations

from cortex.languages.signs import word_of

_ME = r"(?:me|nos|lo|la|los|las|le|les|te|se|melo|mela|melos|melas|noslo)?"
_VERBS = (
    r"(?:acort|acuérd|acord|ajust|añad|anot|apunt|averigu|avis|avís|ayud|bas|busc|calcul|cambi|cit|comienz|comenz|"
    r"compar|"
    r"comprueb|confirm|consider|contest|contést|convierte|convert|corrig|corríg|cuid|dej|dé|di|dig|da|detall|dirí|"
    r"divid|"
    r"emplead|emplea|emple|empiez|enséñ|enseñ|envi|escrib|escríb|escog|esper|evit|evít|exprés|expres|explic|explíc|"
    r"fij|"
    r"formate|guard|habl|hábl|haz|hag|ignor|inclu|incluy|indic|indíc|inform|limit|limít|llam|llám|mand|mantén|"
    r"manteng|marc|"
    r"mencion|muestr|muéstr|mir|mostr|olvíd|olvid|omit|orden|par|pas|pás|pid|pon|pón|pong|prefier|pregunt|pregúnt|"
    r"present|"
    r"prioriz|propón|propong|propon|prueb|quit|quít|razon|recomiend|recomiénd|recomend|recuerd|recuérd|redact|"
    r"redonde|"
    r"respet|respond|respónd|resum|resúm|reserv|revis|sáltat|salt|sé|sea|separ|señal|sig|simplific|sugier|sugiér|"
    r"súger|ten|"
    r"tom|traduc|tradúc|trat|trát|tutea|tuté|tutee|tutéam|us|utiliz|ve|verific|voseam|vosé|únic)"
    r"(?:a|e|as|es|ad|ed|an|en|á|é|í)?" + _ME
)
_LEAD = (
    r"^[¡¿\"(]?(?:(?:y|pero|oye|ah|por cierto|por favor|porfa|vale|ok|bueno|bien|gracias|mira|che|además|también|"
    r"entonces|"
    r"una cosa|otra cosa|de paso|eso sí|perfecto|genial|a ver|ojo|sí|no,),?:?\s){0,3}"
)
_LASTING = (
    r"(?:siempre|nunca(?: más)?|jamás|(?:a partir|desde) (?:de )?(?:ahora|hoy|ya)|desde (?:ya|ahora|hoy)|"
    r"(?:de|en) (?:ahora|hoy|aquí|acá) en (?:adelante|más)|en (?:el futuro|adelante|lo sucesivo)|por defecto|"
    r"de ahora en adelante|cada vez|las próximas|la próxima|por norma|por regla|en general|sin excepción|no vuelvas)"
)
_MANNER = word_of(r"""
    respuestas?, responde\w*, contesta\w*, español, castellano, inglés, catalán, gallego, euskera, francés, idioma,
    emojis?, emoticon\w*, signos?, exclamaci\w+, viñetas, listas?, tablas?, frases?, párrafos?, títulos?,
    encabezados?,
    resumen, introducci\w+, fuentes?, enlaces?, citas?, ejemplos?, brev\w+, cort\w+, concis\w+, larg\w+, direct\w+,
    sincer\w+, preguntas?, pregúntame, explica\w*, comentarios?, código, variables?, formato, fechas?, horas?,
    número\w*, cifras?, importes?, precios?, iva, pesos?, euros?, dólares, métric\w+, metros, kilómetros, gramos,
    celsius, unidades, decimal\w*, coma, recetas?, sugerencias, recomend\w+, consejos?, disculpas?, halagos?, tono,
    palabras?, textos?, correos?, mensajes?, borrador\w*, jerga, tecnicismos, anglicismos, nombres?, markdown, pasos?,
    negritas?, cursivas?, mayúsculas?, minúsculas?, guiones, voz (?:activa|pasiva), presente, nivel
""")
_THIS = (
    r"\b(?:est[eaos]s?|es[eao]s?|(?<!de )aquí|el (?:texto|párrafo|título|correo|último|primer|segundo)|la (?:última|"
    r"primera|"
    r"segunda|lista|tabla|carta|frase)|un|una|dos|tres|cinco|diez)\b|"
    r"^(?:haz|pon|quita|cambia|pasa|corrige|resume|resúme|acorta|traduce|hazme|quíta|cámbia|pónlo|resúm|"
    r"tradúc)\w*(?:lo|la|los|las)\b"
)
_ONCE = word_of(r"""
        hoy, mañana, esta vez, por esta vez, ahora mismo, un momento, otra vez, de nuevo, luego, después, ya, anda,
        venga,
        solo hoy, por ahora, excepcionalmente, rápido
    """)
_REQUEST = _LEAD + r"(?:puedes|podés|podrías|podría|te importa\w*|serías|sería posible|harías)\b"
_THEN = (
    rf"[,:;]\s(?:y\s|pues\s|entonces\s|por favor,?\s|siempre\s|primero\s){{0,2}}(?:{_VERBS}|no\s(?:me\s)?\w+|"
    r"nunca|nada de|sin|que\s\w+|quiero)\b"
)
_CONDITION = _LEAD + r"(?:cuando|cada vez que|siempre que|si|en cuanto|antes de|al|mientras)\s"
_SO = (
    r",\s(?:así que|por eso|por tanto|o sea que|conque)\s(?:\w+\s)?(?:nada|no|nunca|siempre|solo|\w+(?:me|lo|la)|"
    r"evita|pon|usa)\b"
)
_I_DO = (
    _LEAD + r"(?:(?:yo|siempre|nunca|jamás|cada \w+|a partir de \w+|ya no)\s(?:\w+\s){0,2})?(?!quiero|prefiero|"
    r"necesito|espero|solo\b|sólo\b|como\b|todo\b|cuando\b|cuanto\b|dejo\b|no\b|lo\b|ojo\b)(?:me |te |lo )?\w{2,}o\s"
)

RULE_SIGNS = {
    # That it lasts.
    "always": word_of(
        r"siempre, cada vez, en todo momento, sin excepción(?:es)?, todas las veces, en todos? l\w+, cada"
    ),
    "never": word_of(
        r"nunca, nunca más, jamás, ya no, bajo ningún concepto, prohibid\w+, nada de, ni hoy ni nunca, no vuelvas"
    ),
    "from now on": word_of(r"""
        (?:a partir|desde) de (?:ahora|hoy|ya), desde (?:ya|ahora|hoy), de (?:ahora|hoy|aquí|acá) en (?:adelante|más),
        en el futuro, en adelante, en lo sucesivo, las próximas(?: veces)?, la próxima vez, no vuelvas, para siempre,
        en lo que queda
    """),
    "by default": word_of(r"""
        por defecto, por norma, por regla general, en general, como norma, por sistema, de serie,
        de forma predeterminada,
        en tod\w+, para tod\w+, todo, todas, todos, vale para, norma
    """),
    "only": word_of(r"""
        solo, sólo, solamente, únicamente, como máximo, máximo, mínimo, sin, en vez de, en lugar de, mejor, antes que,
        exclusivamente, nada más, primero, antes de
    """),
    "only how long": r"^(?:y )?(?:eso |esto )?(?:vale |va |es )?(?:siempre|nunca|jamás|para (?:todo|siempre|tod[ao]s "
    r"l[ao]s \w+)|cada vez|"
    r"en (?:todos los chats|el futuro|general)|por (?:defecto|norma)|(?:a partir de|desde) (?:ahora|hoy)|de ahora en "
    r"adelante|"
    r"(?:sin|ninguna) excepci\w+|como norma|las próximas veces)(?:,? por favor)?[.! ]*$",
    # On what condition.
    "condition": _CONDITION,
    "condition of the user": r"\b(?:cuando|si|cada vez que|siempre que|en cuanto)\s(?:yo\s)?(?:te|os|le)\s\w+|"
    r"\b(?:cuando|si|cada "
    r"vez que|siempre que)\s(?:yo\s)?\w+[oea]\b",
    "condition of the assistant": r"\b(?:cuando|si|cada vez que|siempre que|antes de|"
    r"al)\s(?:no\s)?(?:me\s)?(?:que\s)?(?:\w+(?:es|as)\b|"
    r"\w+(?:ar|er|ir)\b|haya\b)",
    "condition alone": rf"^(?!.*{_THEN})(?={_CONDITION})",
    "kind": _LEAD
    + r"(?:para|en|con|a|lo de|de|sobre|respecto a|tratándose de)\s(?:mí|mis|los|las|el|la|lo|todo\w?|cualquier|"
    r"cuanto)?\s?[^,.:!?]{3,40}(?:,|:)\s",
    # What kind of order it is.
    "order": _LEAD + _VERBS + r"\b",
    "order after a clause": _THEN,
    "infinitive order": _LEAD + r"(?:no\s)?\w{2,}(?:ar|er|ir)(?:me|se|lo|la)?\s",
    "please": word_of("por favor, porfa, te lo pido, te pido, te ruego"),
    "forbids": _LEAD
    + r"(?:(?:no|nunca|jamás)\s(?:(?:me|nos|te|le|lo|la|los|las|se)\s){0,2}\w+(?:es|as|en|an|éis|áis|e|a)\b|deja\w* "
    r"(?:ya )?de|evit\w+|basta|nada de|ni un\w?\s|para ya|ahórrate|olvíd\w+|prohibido|cero\s|menos\s|fuera\s|sin\s)",
    "forbids in a word": _LEAD
    + r"(?:nada de|cero|ningún|ninguna|ni un\w?|basta de|menos|fuera)\s(?:\w+\s?){1,4}[.!]*$",
    "no thing": r"\b(?:nada de|ningún|ninguna|ni un\w?|sin|cero|menos|basta de)\s(?!duda|más|embargo|falta|querer|"
    r"problema|"
    r"parar|broma)\w+",
    "wants of the assistant": r"\b(?:quiero|quisiera|prefiero|preferiría|gustaría|espero|agradecería|ojalá|"
    r"pido)\b(?: que)?(?: no)?(?: me| nos| lo| la| te)?"
    r"\s\w+(?:as|es|aras|ieras|eras|ases)\b",
    "wish": r"\b(?:quiero|quisiera|querría|prefiero|preferiría|me gustaría|espero|necesito|agradecería|ojalá|te pido|"
    r"me gusta|"
    r"me vendría bien)\b[^.?!]{0,30}\bque\b|\bquiero (?:las?|los|el|tus|todo\w?)\b|\bojalá\b",
    "you should": r"\b(?:debes|deberías|tienes que|tenés que|has de|puedes|podés|no hace falta que|no es necesario "
    r"que|no tienes "
    r"que|no necesito que|se acabó)\b",
    "request": _REQUEST,
    "request for good": rf"^(?=.*\b{_LASTING}\b)(?=.*\b(?:puedes|podés|podrías|podría|importa\w*|querrías)\b).*\?",
    "things must": _LEAD
    + r"(?:tod[oa]s?|cualquier|cada|ningún|ninguna|nadie|las?|los|el|mis)\s[^,.?!]{2,50}\s(?:deben?|tienen? que|van|"
    r"va|llevan?|han de)\s",
    "so": _SO,
    "requires": word_of(
        "debe, deben, tiene que, tienen que, va, van, lleva, llevan, vaya, vayan, lleve, lleven, basta con"
    ),
    # What it is about.
    "manner": _MANNER,
    "opens with manner": rf"{_LEAD}(?:(?:solo|sólo|sistema|mis|las|los|el|la|tus|nada de|todas?|todos?|siempre|más|"
    rf"menos|lo de|del)\s){{0,3}}{_MANNER}",
    "manner alone": rf"^(?!.*\b(?:yo|es|era|está|son|tengo|soy)\b)(?!.*{_THIS})(?!.*{_ONCE}).*{_MANNER}",
    "address": r"\b(?:tuté\w+|tutea\w*|voseam\w*|tráta\w+|trátame|trates?|llám\w+|llama\w*me|de usted|de tú|de vos|"
    r"de tu|mi nombre|"
    r"apodo|pronombres?)\b",
    "me": r"\b(?:me|mí|mi|mis|nos|nuestr\w+|conmigo)\b|\w+(?:ame|eme|ime|áme|éme|íme|dme|zme|nme)\b",
    "you": r"\b(?:tú|te|ti|tu|tus|usted|vos|contigo|su|sus)\b|\b\w{3,}(?:ás|és|aras|eras|ases)\b",
    "without me or you": r"^(?!.*\b(?:yo|me|mí|mi|mis|nos|tú|te|ti|tu|tus|usted|vos)\b|.*\w[aeiouáéí]me\b)",
    # That it is of one thing or of one time.
    "once": rf"^(?!.*\b{_LASTING}\b).*{_ONCE}",
    "this one": _THIS,
    # That it is no order at all.
    "I do": rf"^(?!.*{_SO})(?={_I_DO})",
    "habit": r"\b(?:siempre|nunca|jamás|cada \w+)\s(?:(?:me|nos|lo|la)\s)?(?:(?!todo\b|como\b|cuando\b)\w{2,}o|"
    r"\w+[aei]mos|he|hemos)"
    r"\b|\b(?:(?!todo\b|como\b|correo\b)\w{3,}o|\w+[aei]mos|soy|voy)\s(?:siempre|nunca|jamás)\b",
    "to others": r"\b(?:dile|diles|escríbele|avísale|pregúntale|cuéntale|dígale)\b|^(?:niñ\w+|hij\w+|chic\w+|"
    r"muchach\w+|señor\w*|amig\w+)\b|\bal? (?:mi |tu )?(?:herman|jef|cliente|vecin|alumn)\w+ que\b",
    "I will": r"\b(?:voy a|vamos a|dejo|empiezo|pienso|he decidido|me pongo|\w+aré|\w+eré|\w+iré)\b",
    "others": word_of(r"""
        mi (?:madre|padre|abuel[oa]|jef[ea]|herman[oa]|mujer|marido|profe\w*|vecin[oa]|amig[oa]), él, ella, ellos,
        la gente,
        cartel, uno, hay que, se (?:debe|puede|dice), todo el mundo, alguien, letrero
    """),
    "reports": word_of(r"""
        dice\w*, decía\w*, dijo, dije, dijeron, dicen, pone, ponía, cuenta, según, exige, insiste, pidió, mandó,
        manda,
        recomendó, quería, repite, grita
    """),
    "asks": rf"^(?!{_REQUEST})(?!.*\b(?:vale|ok|sí|de acuerdo)\s?\?).*\?\s*$",
    "question word": _LEAD
    + r"(?:qué|cómo|cuándo|dónde|por qué|quién|cuál\w*|cuánt\w+|es verdad|es cierto|hay que|se puede|"
    r"sabes|conoces|de quién)\b",
    "thanks": word_of(
        r"gracias, genial, perfecto, estupendo, buenísimo, ja\w+, de nada, un placer, fallas, crack, majo"
    ),
    "exclaims": rf"^(?!.*{_MANNER}).*[!！]",
    "past": r"\b\w+(?:ó|aron|ieron|aba|aban|ía|ían|é|í|ado|ido)\b",
    "cooking": word_of(r"""
        remueve\w*, espese, masa, horno, sartén, olla, hervir, hierve, fuego, cocer, sal, aceite, harina, huevos?,
        agua,
        salsa, arroz, batería, aparato, tornillos?, lavar, batir, mezcla\w*, deja reposar
    """),
    "saying": word_of(r"""
        digas nunca, te rindas, rindas, sueños?, corazón, tarde que nunca, ni de broma, ni loco, ni en sueños,
        para siempre,
        ánimo, venga, tú puedes, en la vida
    """),
    "a thing and how": r"^[^,.!?:]{2,40}(?:,|:|\sen|\scon|\ssin|\ssiempre|\ssolo)\s(?!(?:pero|que|porque|cuando|y|yo|"
    r"no)\b)"
    r"[^,.!?]{2,40}[.!]?$",
    "short": r"^\S+(?:\s\S+){0,2}$",
    "under 9 words": r"^\S+(?:\s\S+){3,7}$",
    "long": r"^\S+(?:\s\S+){18}",
}
