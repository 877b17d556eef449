"""Spanish."""

from __future__ import annotations

from cortex.languages.es.rule_signs import RULE_SIGNS
from cortex.languages.es.words import WORDS
from cortex.languages.families import QUESTION, bare, families, request_of
from cortex.languages.pack import Pack, Rule, RuleMatch, Slot
from cortex.languages.signs import any_of, failing, opening, weigher, without_accents, word_of

_ADV = (
    r"(?:(?:ya|también|siempre|ahora|actualmente|normalmente|generalmente|realmente|mucho|casi|no|nunca|"
    r"solo|sólo|aún|todavía|por fin|finalmente|al final|acabamos de|acabo de)\s+)*"
)
_KIN = (
    r"(?:herman[oa]|madre|padre|mamá|papá|mujer|espos[oa]|marido|novi[oa]|prometid[oa]|pareja|hij[oa]|bebé|abuel[oa]|"
    r"tí[oa]|prim[oa]|sobrin[oa]|suegr[oa]|cuñad[oa]|amig[oa]|compañer[oa](?: de piso| de trabajo)?|vecin[oa]|jef[ea]|"
    r"profesor[a]?|maestr[oa]|médic[oa]|doctor[a]?|dentista|casero|casera|terapeuta|entrenador[a]?|perr[oa]|gat[oa]|"
    r"mascota|familia|padres|niet[oa]|hij[oa]s|tutor[a]?|director[a]?|abogad[oa]|veterinari[oa]|nen[ea]|peque|chic[oa]|"
    r"suegros|abuelos|ahijad[oa]|yerno|nuera|padrastro|madrastra|hijastr[oa]|padrino|madrina|soci[oa]|ex|expareja|"
    r"exmarido|exmujer|niñer[oa]|canguro|fisio|psicólog[oa]|dermatólog[oa]|perrit[oa]|gatit[oa]|hermanit[oa]|"
    r"herman[oa]s|amig[oa]s|mellizo[s]?|melliza[s]?|gemel[oa]s?)"
)
_MONTH = r"(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)"
_DATE = (
    rf"(?:(?:el\s+|al\s+)?\d{{1,2}}(?:\s+de\s+{_MONTH}(?:\s+de\s+\d{{4}})?|/\d{{1,2}}(?:/\d{{2,4}})?)|(?:el\s+|al\s+|"
    rf"los\s+)?(?:lunes|martes|miércoles|jueves|viernes|sábados?|domingos?)(?:\s+\d{{1,2}})?(?:\s+de\s+{_MONTH})?|"
    rf"{_MONTH}(?:\s+de\s+\d{{4}})?|(?:finales|principios|mediados) de {_MONTH}|(?:la próxima semana|el próximo mes|"
    r"el año que viene|el mes que viene)|20\d\d|\d{1,2}:\d\d|las \w+)"
)
_DAY = (
    rf"(?:\d{{1,2}}\s+de\s+{_MONTH}|(?:en|de|a|hasta) {_MONTH}|(?:finales|principios|mediados) de|"
    r"(?:este|el próximo) (?:verano|otoño|invierno|mes|año|curso)|(?:esta|la próxima) primavera|"
    r"(?:año|mes|semana|verano|lunes|martes|miércoles|jueves|viernes|sábado|domingo|curso) que viene|en 20\d\d)"
)
"""When something is going to be, if it is not today."""
_NAME = r"(?-i:[A-ZÁÉÍÓÚÑ][\wáéíóúñü'-]*(?:\s+(?:[A-ZÁÉÍÓÚÑ][\wáéíóúñü'-]*|de|del|la|y(?=\s[A-Z])))*)"
_THING = r"(?P<thing>(?:el|la|los|las|mi|mis|nuestr[oa]s?)\s+[^,;.!?¿¡\n]{2,50}?)"
_ASK = r"\?\s*$|¿"


_DETERMINERS = frozenset("el la los las mi mis nuestro nuestra nuestros nuestras".split())


def _thing(match: RuleMatch, attribute: str) -> Slot:
    value = match["value"].removeprefix("el ").removeprefix("al ")
    return Slot(bare(match["thing"], _DETERMINERS), attribute, value)


_DO = (
    r"(?:res[eé]rva(?:me)?|usa|utiliza|pon(?:me)?|incluye|añade|rec[uú][eé]rdame|recuérdame|dime|d[aá]me|da|"
    r"contesta(?:me)?|contéstame|respóndeme|responde(?:me)?|escr[ií]be(?:me)?|habla(?:me)?|háblame|trata(?:me)?|"
    r"trátame|av[ií]same|pregúntame|enséñame(?:lo|la)?|enséñamel[oa]|muéstrame(?:l[oa])?|traduce|resume|sé|mantén|"
    r"evita|deja|cita|asume|sup[oó]n|haz|guarda|ordena|explica(?:me)?|expl[ií]came|prop[oó]n(?:me)?|recomienda(?:me)?|"
    r"recomiéndame|busca(?:me)?|búscame|manda|env[ií]a|envíame|consulta(?:me)?|consúltame|confirma|comprueba|revisa|"
    r"llama|redondea|calcula|limita|firma|elige|compra|pide|dímelo|indica|menciona|señala|respeta|considera|ten|"
    r"no \w+[ea]s)"
)
_LASTING = (
    r"(?:s[oó]lo|solamente|únicamente|siempre|nunca|jamás|cada|tod[oa]s?|cualquier|nada|ning[uú]n\w*|"
    r"sin (?:preguntar\w*|avisar\w*|consultar\w*|mi)|por defecto|en adelante|en general|a partir de|como mucho|"
    r"como máximo|en vez de|en lugar de|cuando|antes de|después de|en mis|conmigo)"
)
_ORDER = (
    r"s[oó]lo (?!quedan?\b|falta|un\b|una\b|dos\b|\d|quiero|es\b|hay\b)\w+s?(?: \w+)? (?:en|para|con|de)\b.*"
    r"|(?:unidades|respuestas|fechas|precios|frases|fuentes|temperaturas|medidas) (?:\w+ )?\w+, por favor\W*$"
    r"|(?:usa|utiliza) [^.!?\n]{3,40} para (?:las|los|mis|tod[oa]s?|cualquier)\b.*|"
    rf"(?:por favor,?\s+)?{_DO}\b[^.!?\n]{{0,80}}?\b{_LASTING}\b.*"
    r"|(?:por favor,?\s+)?(?:da por (?:hecho|sentado)|ten en cuenta|ten presente|sé (?:breve|directo|directa|sincero|"
    r"sincera|conciso|claro|honesto|amable|crítico))\b.*"
    r"|(?:por favor,?\s+)?no (?:me |nos )?\w+[ea]s (?!el\b|la\b|los\b|las\b|lo\b|es[eao]|est[eao]|nada de|tan\b|"
    r"más\b)\w+s\b.*"
    r"|(?:quiero|prefiero|necesito|me gustaría|quisiera|espero|preferiría) que (?:no )?(?:me |te |lo |siempre |tus |"
    r"seas\b|(?=\w+[ea]s\b)).{3,}"
    r"|(?:respuestas|explicaciones|resúmenes|mensajes|frases|textos) (?:muy |más )?(?:cort|brev|concis|clar|sencill|"
    r"direct|formal)\w*\b.*|(?:sin|nada de|ni|cero) (?:emojis?|emoticonos|rodeos|disculpas|relleno|jerga|listas|"
    r"tecnicismos|spoilers)\b.*"
    r"|(?:los |las |mis )?\w+(?: \w+){0,2},? siempre (?:en|con|por|sin|a|al|de)\b.*"
    rf"|(?:cuando|si|cada vez que|siempre que|antes de|después de) [^,.!?\n]{{3,60}}, (?:por favor,? )?(?:{_DO}|"
    r"que sean?|que)\b.*"
    r"|(?:las |los |mis |tus )?(?:respuestas|resúmenes|explicaciones|listas|correos|informes|"
    r"textos),? (?:siempre )?(?:en|con|de|sin) (?:[^\s,.!?]+ ){0,4}(?:como (?:mucho|máximo)|máximo|[^\s,.!?]*(?:cort|"
    r"brev)[^\s,.!?]*)[.!]?\s*$"
    r"|(?:antes que|antes de|en vez de|en lugar de|mejor que) \w+r(?:te|me|lo|"
    r"la)?\b[^,.!?\n]{0,40}, (?:mejor )?(?:dime|dilo|pregúntame|avísame|confiesa|reconoce|admite|consulta)\b.*"
    r"|(?:los|las|mis) \w+s(?: (?:de|del|en|para) [^,.!?\n]{2,30})?,? (?:siempre )?(?:ponl|dámel|pásamel|escríbel|"
    r"mándamel|explícamel|hazl|hazmel|tradúcel)[oa]s (?:siempre |tod[oa]s )?(?:en|con|sin|así|por|de|al)\b.*"
    rf"|(?:en|para|con) (?:las|los|mis|tod[oa]s|cada)\b [^,.!?\n]{{2,40}}, (?:por favor,? )?{_DO}\b.*"
)
_ONCE = (
    r"(?:(?:me |te |nos |lo |la |no )?(?:llegues|salgas|termines|acabes|puedas|quieras|vengas|tengas|veas|estés|"
    r"vuelvas|vayas|eres|tienes|puedes|quieres|estás|vas|vienes|sales|llegas|vives|comes|trabajas|duermes|viajas|"
    r"conoces|sepas|sabes|haces|pasas|dejas|pierdes|piensas|creces|mueres|envejeces|te \w+))"
)
"""What follows "cuando" where the rest is asked for once, or said of anybody."""
_NO_ORDER = (
    r"\b(?:hoy|mañana|ayer|esta vez|est[eao]s?|es[eao]s?|ahora mismo|aquí|otra vez|luego|el (?:lunes|martes|miércoles|"
    r"jueves|viernes|sábado|domingo) (?:que|a las)|te preocupes|avísame cuando (?:llegues|salgas|termines|acabes|"
    r"estés)|te rindas|digas nunca|pasa nada|dice|dicen|decía|mi (?:jefe|madre|padre|abuela)|receta dice|era|fue|estoy|"
    r"tomo|voy)\b|,\s(?:tengo|tenemos|soy|somos|vivo|mi presupuesto)\b|^si (?:yo |no )?(?:tuviera|fuera|pudiera)"
)

_RULES = families(
    {
        "rule.from_now_on": (
            r"(?:a partir de (?:ahora|hoy|ya)|de (?:ahora|hoy) en adelante|desde ahora|en adelante|en el futuro|"
            r"por norma(?: general)?|como norma|por defecto|de aquí en adelante)[,:]?\s+.{3,}",
            r"en el futuro (?:quiero|me gustaría|voy|será)",
        ),
        "rule.when": (
            r"(?:cuando|siempre que|cada vez que|si)\s+(?:yo\s+)?(?:te\s+|me\s+)(?:pida|pregunte|hable|diga|"
            r"mencione|mande|mandes|pido|pregunto|mando|envío|paso|escribo|escribas?|envíes?|envíe|respondas|contestes|"
            r"des|hagas|expliques|propongas|"
            r"recomiendes)\b.{3,}|(?:cuando|siempre que|cada vez que)\s+te\s+\w+[ae]\b[^.!?\n]{0,80}?,\s.{3,}|"
            rf"(?:siempre que|cada vez que|cuando)\s+(?!{_ONCE}\b)(?:me |nos |te |lo |no )?\w{{2,}}[ae]s\b"
            r"[^,.!?\n]{0,80},\s+(?!¿|\w+(?:ré|rás|remos|amos|emos)\b)\w.{3,}",
            r"\b(?:hoy|mañana|esta (?:tarde|noche|mañana|semana)|luego)\b",
        ),
        "rule.always": (
            r"(?:por favor,?\s+)?(?:siempre|nunca|jamás)\s+(?!\w+(?:o|oy|[aei]mos|é|í|ía|aba|ías|ió)\b|tan\b|un\b|"
            r"una\b|con\b|se\b|nos\b|el\b|la\b|mi\b|igual|así|hay\b|gracias|te rindas|pierdas|dejes de (?:soñar|creer)|"
            r"he\b|había|me\b|te he|lo he|es\b|está|fue|hay|ha\b|supe|pensé|quise|sé\b|vi\b|olvidaré|mejor|"
            r"digas nunca)[\wáéíóúñ]+.{3,}|(?:por favor,?\s+)?no\s+(?:vuelvas a|uses|utilices|pongas|me llames|"
            r"me trates|añadas|hagas|borres|incluyas|envíes|escribas|toques|publiques)\b.*\b(?:nunca|jamás|más|"
            r"sin (?:preguntar|avisar|confirmar)|otra vez|en mis|en los|cuando)\b.*|(?:deja|dejad|evita) de \w+.{3,}|"
            r"evita \w+.{3,}|no vuelvas a .{3,}|(?:por favor,?\s+)?(?:vos,? )?(?:cont[eé]stame|resp[oó]ndeme|"
            r"h[aá]blame|escr[ií]beme|tut[eé]ame|tr[aá]tame)\b.*",
            r"\bsiempre (?:te|que|y cuando)\b|esta vez|^(?:por favor,?\s+)?escríbeme (?:un|una)\b",
        ),
        "rule.call_me": (
            rf"(?:por favor,?\s+)?(?:ll[aá]mame|puedes llamarme|prefiero que me llames)\s+(?P<value>{_NAME}).*",
            r"\bllámame (?:a|al|cuando|si)\b",
            {"question": ""},
        ),
        "rule.order": (_ORDER, _NO_ORDER, {"question": QUESTION}),
        "rule.must": (
            r"(?:tod[oa]s?|cada|cualquier|ning[uú]n[oa]?|nada|nadie|(?:la|nuestra|una) (?:regla|norma|"
            r"política)(?: de \w+)?(?: es|:))\b[^,;.!?\n]{1,60}?\s?(?:debe[n]?|tiene[n]? que|hay que|puede[n]?|"
            r"va[n]?|es|se)\s.{3,}",
            r"\btodo (?:está|es|va|bien)\b|\bnada (?:es|va)\b|\bcada (?:vez más|uno)\b|"
            r"\b(?:niñ[oa]s|personas|gente|alumn[oa]s|invitad[oa]s|emplead[oa]s|perros|dice|padres)\b",
        ),
        "procedure": (
            r"para\s+\w+(?:ar|er|ir|arlo|arla)\b[^.!?\n]{0,50}[,:]?\s*(?:primero|hay que|tienes que|debes|se debe|"
            r"hacemos|ejecuta\w*|corre|haz|abre|pulsa|mantén|usamos|basta con|es necesario)\b.{4,}|(?:los pasos|"
            r"el proceso|el procedimiento|la receta)(?:\s(?:para|de)\s[^.!?\n:]{2,40})?\s?(?:son|es|:).{4,}|"
            r"así (?:es como )?(?:se|(?:lo |la |los |las |me )?\w+(?:o|amos|emos|imos))\b.{4,}|"
            r"primero\b.{3,}\b(?:luego|después|entonces)\b.{3,}",
            r"\b(?:ayúdame|dime|necesito que)\b",
        ),
        "negation": r"ya no\s+(?!s[eé]\b|puedo más|hace falta|importa|quiero más|necesito).{3,}|(?:he|"
        r"hemos)\s+(?:dejado (?:de|el|la|mi)|abandonado|cancelado (?:mi|la|el))\s.{3,}|dej(?:[ée]|amos) (?:de|el|la|"
        r"mi)\s.{3,}",
        "decision": (
            r"(?:(?:al final|finalmente|por fin|ya)\s+)?(?:he|hemos|han|el equipo ha|se ha|la empresa "
            r"ha)\s+(?:decidido|acordado|elegido|optado por|escogido|quedado en|resuelto|cambiado (?:a|"
            r"de))\s.{2,}|(?:(?:al final|finalmente|por fin|ya)\s+)?(?:decid(?:imos|í)|acordamos|elegimos|elegí|"
            r"optamos por|opté por|nos quedamos con|me quedo con|nos pasamos a|nos cambiamos a|quedamos en|vamos "
            r"a usar|usaremos|vamos con|migramos a|escogimos|el equipo (?:decidió|eligió))\s+(?!es[oea]|est[oea]|"
            r"la (?:primera|segunda)).{2,}|(?:la\s+)?decisión(?: final)?(?: es|:)\s.{3,}|está decidido[,:]\s.{3,}",
            r"aún no|\bopción\b|\bpara est[ea]\b",
        ),
        "fact.name": (
            rf"(?:me llamo|mi nombre es|soy)\s+(?P<value>{_NAME})(?=\s*(?:[,.!]|$|\sy\b)).*",
            r"^soy\s+(?:de|el|la|un)\b",
            {"question": ""},
        ),
        "fact.home": rf"(?:yo\s+)?{_ADV}(?:vivo|vivimos|resido|estoy viviendo|me (?:he mudado|mudé|mudo|he trasladado|"
        rf"trasladé)|nos (?:hemos mudado|mudamos|trasladamos))\s+{_ADV}(?:en|a|cerca de)\s+(?P<value>{_NAME}).*",
        "fact.from": rf"(?:soy de|nací en|nací el|me crié en|crecí en|vengo de)\s+{_NAME}.*",
        "fact.job": (
            rf"(?:yo\s+)?{_ADV}(?:trabajo|estudio|doy clases|curso|enseño|dirijo|llevo (?:una?|el|la|\w+ años)|"
            rf"tengo una? (?:empresa|tienda|negocio|panadería|restaurante|bar|estudio|consulta|taller)|estudié|"
            rf"trabajé|me gradué|he trabajado|soy autónom[oa]|estoy jubilad[oa]|estoy en paro)\b\s?.{{2,}}|"
            rf"soy\s+(?:(?:una?|el|la)\s+)?[\wáéíóúñ]*(?:ero|era|ista|or|ora|ico|ica|ogo|oga|ente|iente|iatra|ado|"
            rf"ada|tra|tro|ante|ecta|ecto|eta|iz)\b(?!\s+(?:que|de que|a la|al)\b).*",
            r"\b(?:seguro|segura|consciente|claro|primer[oa]|mejor|nuevo|nueva|único|rar[oa])\b",
        ),
        "fact.age": (
            r"(?:tengo|acabo de cumplir|cumplo|cumplí|he cumplido)\s+(?P<value>\d{1,2}|\w+ y \w+|veinti\w+|"
            r"treinta|cuarenta|cincuenta|sesenta)\s*(?:años|añitos)?\b(?!\s*(?:minutos|horas|días|preguntas|"
            r"problemas|euros|libros|clientes|hijos|de experiencia)).*",
            r"tengo \d+ (?!años)",
        ),
        "fact.birthday": r"mi cumpleaños (?:es|cae) (?:el\s+|en\s+)?(?P<value>[^,;.!?\n]{3,30}).*",
        "health": rf"{_ADV}(?:soy\s+(?:alérgic[oa]|intolerante|diabétic[oa]|asmátic[oa]|celíac[oa]|vegan[oa]|"
        r"vegetarian[oa]|zurd[oa]|daltónic[oa]|hipertens[oa]|disléxic[oa]|sord[oa]|pescetarian[oa])|"
        r"tengo\s+(?:una?\s+)?(?:alergia|asma|diabetes|intolerancia|migrañas|hipertensión|epilepsia|celiaquía|ansiedad|"
        r"tdah|artritis|insomnio|tensión alta)|padezco|sufro de|me (?:han )?diagnosticaron|me han diagnosticado|"
        r"estoy embarazada|tomo\s+\w+\s+(?:para|cada|todos)).*|(?:yo\s+)?no\s+pued[oe]\s+(?:comer|beber|tomar)\s+.{3,}",
        "health.theirs": (
            rf"(?:mi|nuestr[oa])\s+(?P<whose>{_KIN})(?:\s+{_NAME})?\s+(?:es|tiene|padece|sufre|está|no "
            rf"puede)\s+(?:una?\s+)?(?:alérgic|intolerante|diabétic|asmátic|celíac|vegan|vegetarian|alergia|asma|"
            rf"diabetes|embarazada|comer|tomar).*",
            "",
            {"question": ""},
        ),
        "health.diet": (
            r"(?:yo\s+)?(?:no|nunca)\s+(?:como|bebo|tomo|fumo|pruebo)\s+(?!nada (?:hoy|ahora)|que\b).{3,}",
            "",
            {"confidence": 0.88},
        ),
        "preference.favourite": r"mi\s+(?P<thing>[\wáéíóúñ ]{2,30}?)\s+(?:favorit[oa]|preferid[oa])\s+(?:es|son|sigue "
        r"siendo)\s+(?P<value>[^,;.!?\n]{2,60}).*",
        "preference": (
            rf"(?:yo\s+)?(?:a mí\s+)?{_ADV}(?:prefiero|preferimos|me (?:gusta|gustan|encanta|encantan|fascina|"
            rf"fascinan|apasiona|interesa|chifla|molesta|molestan|agobia|aburre|aburren)|odio|detesto|adoro|no "
            rf"soporto|no aguanto|me da asco|me dan asco|soy (?:muy |más )?(?:de|fan de|aficionad[oa] a|amante de)|"
            rf"suelo|evito)\s+(?!est[oea]\b|es[oea]\b|la (?:primera|segunda|opción)|el (?:primero|segundo)|que me "
            rf"ayudes|mucho\b[.!]?$|tu\b|cómo\b|la idea|saber).{{2,}}",
            r"\b(?:esta vez|hoy|esta noche|ahora mismo|para esta)\b|^me gusta[.!]*$|soy de\s",
        ),
        "person.name": rf"(?:mi|nuestr[oa])\s+(?P<whose>{_KIN})\s+(?:se llama|es|ahora "
        rf"es)\s+(?:ahora\s+)?(?P<value>{_NAME}).*",
        "person.is_my": (
            rf"(?P<name>{_NAME})\s+(?:es|son)\s+(?:mi|mis|nuestr[oa]s?|la nueva|el nuevo|l[ao] responsable|"
            rf"quien)\s.{{2,}}|(?P<name2>{_NAME})\s+(?:lleva|dirige|se encarga de|gestiona|mantiene)\s.{{3,}}",
            r"^(?:Est[eoa]|Es[eoa]|El|La|Eso|Lo)\b|favorit|problema|culpa",
        ),
        "person.my": (
            rf"(?:mi|mis|nuestr[oa]s?)\s+(?P<whose>{_KIN})(?:,?\s+{_NAME},?)?\s+(?:ya\s+|también\s+|no\s+|se\s+|"
            rf"ahora\s+|solo\s+|siempre\s+|nunca\s+)*(?:es|son|está|tiene|tienen|vive|viven|trabaja|estudia|cumple|"
            rf"cumplió|nació|juega|toca|habla|prefiere|odia|adora|le gusta|mudó|casa|casó|jubila|jubiló|murió|va|"
            rf"come|llama|empieza|empezó|necesita|lleva|sale|enseña|viene)\b.{{2,}}",
            r"\b(?:dice|dijo|cree|piensa|quiere que|me pidió|está (?:enfadad|aquí|esperando))\b",
        ),
        "person.have": r"(?:tengo|tenemos|hemos adoptado|adoptamos|he adoptado|adopté)\s+(?:una?|dos|tres|cuatro|cinco|"
        r"\d+|un par de|mell\w+|gemel\w+)\s+(?:\w+\s+)?(?:hij[oa]s?|perr[oa]s?|gat[oa]s?|herman[oa]s?|niet[oa]s?|"
        r"conejos?|niñ[oa]s?|sobrin[oa]s?|tortugas?|peces|loros?|caballos?|galg[oa]s?|coche|moto|piso|casa|bici\w*|"
        r"furgoneta|jardín|huerto)\b.*|(?:estoy|estamos)\s+(?:casad[oa]s?|divorciad[oa]s?|solter[oa]s?|prometid[oa]s?|"
        r"embarazad[oa]s?|jubilad[oa]s?)\b.*|me (?:caso|casé|he casado|divorcié|jubilo|jubilé|ascendieron|"
        r"han ascendido|gradué)\b.*",
        "fact.language": rf"{_ADV}(?:hablo|hablamos|estoy aprendiendo|estudio|aprendo|mi (?:lengua materna|"
        r"idioma materno) es|domino)\s+(?:un poco de\s+)?(?:inglés|francés|alemán|italiano|portugués|catalán|gallego|"
        r"euskera|vasco|chino|japonés|árabe|ruso|español|castellano|coreano|sueco|holandés|polaco|griego)\b.*",
        "state.deadline": (
            rf"{_THING}\s+(?:es|será|son|cae|está (?:previst[oa]|programad[oa]|fijad[oa]) para|termina|vence|"
            rf"empieza|acaba|caduca|llega|sale|(?:se|ha sido|fue|han)\s*(?:ha\s+)?(?:pasad[oa]|pasó|movid[oa]|"
            rf"movió|aplazad[oa]|aplazó|retras\w+|cambi\w+|adelant\w+|traslad\w+|fij\w+|posp\w+|prorrog\w+|"
            rf"ampli\w+))\s+(?:ahora\s+)?(?:al?\s+|para\s+|hasta\s+|en\s+|"
            rf"de\s+[^,;.!?]{{2,20}}\s+a\s+)?(?P<value>(?:el\s+|al\s+)?{_DATE}).*",
            r"\b(?:vuelo|película|reserva|concierto|tren)\b",
        ),
        "state.change": (
            rf"{_THING}\s+(?:ya\s+|ahora\s+)?(?:ha\s+|han\s+|se ha\s+|es\s+|es de\s+|está\s+|son\s+|cuesta\s+|"
            rf"pesa\s+|tarda\s+|dura\s+)?(?:subid[oa]|bajad[oa]|subió|bajó|aumentad[oa]|aumentó|mejorad[oa]|mejoró|"
            rf"reducid[oa]|redujo|crecid[oa]|creció|pasad[oa]|pasó|llegad[oa]|alcanzad[oa]|en|de|"
            rf"a)?\s*(?:de\s+[^,;.!?]{{1,20}}\s+)?(?:a|en|hasta|de|al)?\s*(?:unos\s+|"
            rf"casi\s+)?(?P<value>[$€£]?\d[\d.,]*\s?(?:%|€|euros|ms|segundos|minutos|horas|días|kg|kilos|km|GB|MB|"
            rf"por ciento|usuarios|personas|palabras|páginas|clientes|mil|millones)?)(?:\s|[,.;!]|$).*",
            r"\b(?:vuelo|película|billete|mesa|población|grados|agua|muralla|río|ebro|tajo|monte|montaña|planeta)\b",
        ),
        "state.count": (
            r"(?:ya\s+|ahora\s+)?(?:tenemos|somos|he (?:completado|terminado|leído|escrito|ahorrado|corrido|resuelto|"
            r"hecho|perdido)|hemos (?:completado|terminado|vendido|conseguido|contratado|cerrado|firmado)|peso|mido|"
            r"calzo (?:un|el)?|gano|pago)\s+(?:ya\s+|ahora\s+|unos\s+|casi\s+|más de\s+)?[$€£]?(?:\d[\d.,]*|dos|tres|"
            r"cuatro|cinco|seis|siete|ocho|nueve|diez|doce|quince|veinte)\s*\w*.*",
            r"\b(?:minutos|preguntas|problemas|entradas|mesa|dudas)\b",
        ),
        "fact.mine": (
            r"(?P<thing>(?:mi|mis|nuestr[oa]s?)\s+(?!problema|pregunta|duda|código|idea|culpa|cabeza|"
            r"vida)[^,;.!?\n]{2,40}?)\s+(?:es|son|está|están|tiene|tienen|usa|corre en|funciona con|se llama|vive|"
            r"se ejecuta|utiliza|cierra|abre|empieza|dura|cuesta|va|se reúne)\s+(?!rot[oa]|mal\b|lent\w+|muy\b|"
            r"fallando|que\b|bien\b|list[oa]|aquí|cansad[oa]).{3,}",
            r"\bno funciona|falla|error",
        ),
        "fact.uses": (
            r"(?:yo\s+)?(?:uso|usamos|utilizamos|utilizo|conduzco|toco|juego al?|entreno|cocino|corro|nado|colecciono|"
            r"programo en|desarrollamos en|publicamos|nos reunimos|desplegamos|grabamos)\s+(?!est[oea]\b|"
            r"es[oea]\b).{3,}|(?:estoy|estamos)\s+(?:escribiendo|construyendo|desarrollando|organizando|preparando|"
            r"reformando|aprendiendo|montando)\s+(?:una?|mi|nuestr[oa]|el|la)\s.{3,}",
            r"\b(?:ahora mismo|error|artículo|redacción|ensayo|dame|trabajo sobre|carta|correo)\b",
        ),
        "fact.location": (
            rf"{_THING}\s+(?:está|están|vive|se guarda|se encuentra|queda)\s+(?P<value>(?:en|debajo|detrás|encima|"
            rf"dentro|junto|sobre|bajo)\s+[^,;!?\n]{{3,60}}).*",
            r"\b(?:restaurante|hotel|cine|película|en marcha|en proceso|en curso)\b",
        ),
        "fact.event": (
            rf"(?:tengo|tenemos)\s+(?:una?|el|la|mi)\s+[^,;.!?\n]{{2,40}}\s+(?:el|en|a|este|la)\s+{_DATE}.*|(?:he|"
            rf"hemos)\s+(?:aprobado|conseguido|ganado|comprado|publicado|lanzado|abierto|empezado|firmado|"
            rf"terminado)\s+(?:una?|el|la|mi|nuestr[oa])\s.{{3,}}",
            r"\b(?:reserva|vuelo|mesa|duda|pregunta)\b",
        ),
        "correction.not": (
            r"(?:no es|no son|no era)\s+[^,;.!?\n]{1,40},?\s+(?:es|son|sino|era)\s.{2,}|(?:es|son|quise decir|"
            r"quería decir)\s+[^,;.!?\n]{1,40},\s+no\s.{2,}",
            r"\bno es (?:que|necesario|nada|para)\b",
        ),
    },
    question=_ASK,
    thing=_thing,
)

_ENDINGS = "|s|es"
_NO_VERB = any_of(r"""
    cuando, cuanto, cierto, claro, mucho, poco, todo, eso, esto, como, pero, otro, pronto, luego, primero, segundo,
    tercero, cuarto, quinto, mismo, año, cuatro, cinco, ocho, ciento, no, solo, sólo, bueno, perfecto, estupendo,
    creo, pienso, espero, imagino, agradezco, necesito, quiero, busco, dudo, supongo, siento, veo, entiendo,
    recuerdo, digo, vuelvo, llego, intento, dentro, aquello, lo, yo, aquí, allí, así, ahí, sí, sé, leí, oí, pensé, qué,
    porqué, café
""")
_PRETERITE = (
    "dej|empec|compr|cambi|mud|cas|jubil|gradu|apunt|trabaj|estudi|aprob|adopt|logr|saqu|llegu|encontr|termin|firm|"
    "mont|contrat|nac|viv|crec|sufr|abr|vend|perd|conoc|decid|eleg|acab|gan|pagu|reserv|tom|oper|pas|llev|us|volv|sal"
)
"""Verbs whose -é or -í is often written without its accent; other words in -e are no verbs of the speaker."""
_I_DO = (
    r"(?:sé(?=\s\w+[aei]r\b)|soy|somos|estoy|estamos|tengo|tenemos|tenía|era|éramos|he|hemos|voy|vamos|doy|hay|fui|"
    rf"tuve|hice|puse|vine|(?!{_NO_VERB}\b)[a-zñáéíóú]{{2,20}}(?:o|\u00e9|\u00ed)|(?:{_PRETERITE})[éí]|"
    r"[a-zñáéíóú]{2,20}(?:amos|emos|imos|ábamos|íamos))\b"
)
"""A verb in the first person. Where a statement opens with a word in -o or -é, it is a verb more often than not."""
_TELLING = (
    opening(
        r"(?:(?:pues|bueno|y|pero|además|también|ahora|ya|actualmente|por desgracia|en realidad)[,:]?\s+){0,3}"
        r"(?:(?:desde|hace|en|a|al|los|las|el|la|de|del|después|antes|este|cada|todos|todas|por|para|con|durante)"
        r"\s[^.;:!?]{2,40}?,?\s)?"
        r"(?:(?:yo|nosotros|no|ya|solo|sólo|también|todavía|aún|siempre|nunca|me|nos|lo|la|se|casi)\s+){0,4}"
        rf"(?:{_I_DO}|(?:mis?|nuestr[oa]s?)\s|(?:me|nos)\s\w|(?:yo|nosotr[oa]s)\s(?:sin|con|a|en|de|por|para|el|la|"
        rf"los|las)\s|como (?:persona|madre|padre|buen[oa]?)\s|en casa\b|(?:el|la|los|las)\s{_KIN}\b)"
    )
    + r"|^(?=(?:\S+\s+){3}).{2,60}?\s(?:me|nos|tengo|tenemos|hemos|[a-zñ]{3,20}amos|conmigo|yo)\b"
)
"""What opens with a verb of the speaker, or with what is theirs."""
_SIGNS = {
    "telling": _TELLING,
    "definite": opening(r"(?:el|la|los|las|del|al|en|para)\s"),
    "mine": word_of(r"""
        yo, me, mí, mi, mis, nos, nosotr[oa]s, nuestr[oa]s?, conmigo, en casa, en el trabajo, míos?, mías?, soy,
        somos, tengo, tenemos, estoy, estamos, vivo, vivimos, llevo, llevamos, hago, hacemos, voy, vamos,
        [a-zñ]{3,20}amos, [a-zñ]{2,20}imos, hemos, he, trabajo, curro, estudio, uso, conduzco, toco, juego,
        entreno, corro, nado, cocino, hablo, teletrabajo, tomo, bebo, como (?!si), fumo, ceno, desayuno,
        madrugo, colecciono, duermo, cobro, pago, gano, peso, mido, calzo, crío, cultivo, doy, enseño, dirijo,
        coordino, canto, odio, prefiero, suelo, evito, detesto, dejé, empecé, cambié, compré, nací, crecí,
        me[zj]oré, puedo, necesité, monté, abrí, vendí, perdí, aprobé, saqué, terminé, vine, mudé, viajo, leo,
        escribo, programo, pinto, bailo, escalo, sé \w+[aei]r
    """),
    "kin": rf"\b(?:mi|mis|nuestr[oa]s?|el|la|los|las|una?|dos|tres)\s(?:{_KIN}|niñ[oa]s|peque|peques|crí[oa]s?|"
    rf"hij[oa]s)\b|"
    + word_of(r"""
        la mayor, el mayor, la pequeña, el pequeño, mellizos, gemel[oa]s, suegros, críos, nuestros niños, galg[oa]s
    """)
    + r"(?=.*\b(?:mi|mis|en casa|tengo|tenemos|estudia|vive|es|tiene|va|sigue|adoptad[oa]s?)\b)",
    "health": word_of(
        r"""
        alergia, alérgic[oa], intoleran\w+, celíac[oa], celiaquía, diabétic[oa], diabetes, asma, asmátic[oa],
        vegan[oa], vegetarian[oa], zurd[oa], daltónic[oa], embarazada, marcapasos, operad[oa], operaron, operan,
        migrañas?, hipertens\w+, tensión alta, pastillas?, mg, sintrom, insulina, silla de ruedas, audífonos?,
        sord[oa], escoliosis, hernia, lesión, lesionad[oa], lesioné, diagnostic\w+, rodilla, ansiedad, tdah,
        epilepsia, lactosa, gluten, halal, tiroides, colesterol, vértigo, anemia, sonámbul[oa], trasplant\w+,
        no veo bien, no oigo, \w{3,}(?:itis|osis|emia|algia|patía|lexia|fobia), cáncer, tumor, infarto, ictus, esguince,
        fractur\w+, escayola, muletas, férula, prótesis, brackets, lentillas, rehabilitación, quimio, cirugía,
        alcohólic[oa], muelas?, riñón, riñones, dieta, sin sal, tensión
        """,
        endings=_ENDINGS,
    ),
    "work": word_of(
        r"""
        trabajo, trabaja, trabajamos, curro, curra, empresa, oficina, enfermer[oa], profe, profesor[a]?, maestr[oa],
        médic[oa], abogad[oa], ingenier[oa], autónom[oa], freelance, por libre, jubilad[oa], en paro, becari[oa],
        máster, carrera, grado, oposiciones, oposito, doctorado, tesis, facultad, universidad, instituto, colegio,
        primero de, segundo de, tercero de, cuarto de, prácticas, turno, turnos, jornada, contrato, gestoría, taller,
        tienda, restaurante, consulta, granja, colmenas, finca, huerto, panadería, clase, clases, estudia,
        teletrabajo, sueldo, guardias?, ascend\w+, despid\w+, despedid[oa]
        """,
        endings=_ENDINGS,
    ),
    "affair": word_of(
        r"""
        alquiler, hipoteca, plazo, fecha, fecha límite, entrega, presupuesto, sueldo, precio, cuota, cita, reunión,
        ensayo, boda, examen, oposición, entrevista, mudanza, reforma, obra, contrato, seguro, itv, matrícula,
        cumpleaños, aniversario, dirección, teléfono, correo, talla, peso, coche, moto, furgo\w*, bici\w*, portátil,
        ordenador, móvil, casa, piso, llave, llaves, garaje, trastero, wifi, suscriptores, clientes, soci[oa]s,
        alumn[oa]s, ventas, pedidos, stock, almacén, horario, misas?, partidos?, liga, coro, club, asociación,
        parroquia, viaje, pasaporte, visado, vacaciones, zona horaria, meta, objetivo, deadline, lanzamiento, estreno,
        contador, caldera, grupo sanguíneo, carné, carnet, impresora, router, seguidores, visitas, descargas, tesis,
        capítulo, piano, guitarra, gimnasio, cuenta, número, local, tarifa, suscripción, nevera, lavadora, tele,
        cámara, bodega, barco, caravana, jardín, terraza, perrera, guardería, cole, comedor, extraescolares, equipo,
        banda, orquesta, blog, canal, podcast, novela, cartuchos?, entrenador[a]?, turno, guardia, beca, tutor[a]?,
        asignaturas?, notas?, selectividad, oposiciones, inglés, violín, batería, maratón, natación, yoga, montaña,
        senderismo, acampada, pesca, fotografía, maquetas?, ajedrez, horno, lavavajillas, auriculares, teclado,
        monitor, pantalla, dominio, puerto, código postal, portal, planta, ascensor, comunidad de vecinos, gas, luz,
        factura, facturas, rueda, ruedas, taller, millas, iglesia, cofradía, voluntariado, vacuna, vacunas, acuario,
        loro, hámster, gallinas, ovejas, cabras, olivos, viña, viñedo, hectáreas, columna, directo, compañía,
        proveedor, margen, devoluciones, conversión, usuarios, acciones, socio, socia, financiación, iban, delegada,
        capitán, coral, tienda, bar, obrador, taxi, camión, calefacción, placas solares, alarma de casa, nómina,
        ahorros, préstamo, fianza, comunidad, vecindario, barrio, pueblo, asamblea, gira, rodaje, pronombres,
        apellidos?, apodo, idioma, \d[\d.,]* (?:euros|dólares|pesos|soles), \d[\d.,]*k
        """,
        endings=_ENDINGS,
    ),
    "project": word_of(
        r"""
        proyecto, backend, frontend, base de datos, servidor, api, repo, repositorio, rama, despliegue,
        producción, staging, versión, framework, equipo, la app, aplicación, la web, sistema (?!solar),
        contacto, interlocutor[a]?, microservicio\w*, cluster, clúster, proveedor, el cliente, departamento,
        la nube, pipeline, tests, script
        """,
        endings=_ENDINGS,
    ),
    "label": r"^(?!error|aviso|traduc|pregunta|duda|ejemplo|texto|título|opción|warning|asunto|hola|oye|gracias|vale)"
    r"[^\s,.;:!?¿¡]{2,18}(?:\s[^\s,.;:!?¿¡]{1,14}){0,3}:\s\S",
    "aside": word_of(r"""
        por cierto, para que (?:lo )?sepas, que sepas que, te recuerdo, ten en cuenta, conviene que sepas,
        no sé si te dije, por si acaso, por si sirve, por si te sirve, como contexto, contexto, dato, te aviso,
        te cuento, te comento, que conste, actualización, novedades, para tu información, aprovecho, nota,
        se me olvidaba, se me olvidó decirte, aviso, ojo, a modo de contexto, te informo, para que te hagas una idea
    """),
    "lasting": word_of(r"""
        siempre, nunca, desde, desde hace, hace (?:\w+ )?años, años, cada, todos los, todas las, los lunes,
        los martes, los miércoles, los jueves, los viernes, los sábados, los domingos, normalmente,
        casi siempre, por las mañanas, por las noches, por las tardes, a diario, sí y otro no, cada dos,
        veces (?:por|a la), de toda la vida, de pequeñ[oa], de niñ[oa], desde niñ[oa], entre semana,
        habitualmente, jamás, de siempre, una vez al, ratos libres, tiempo libre, fines de semana
    """),
    "stative": r"^(?:[^,.;:!?¿]{0,40}\s)?(?:es|son|está|están|tiene|tienen|soy|somos|tengo|tenemos|vivo|vivimos|vive|"
    r"viven|llevo|llevamos|lleva|hago|hacemos|trabajo|trabaja|curro|estudio|estudia|uso|usamos|usa|usan|corre|funciona|"
    r"va|van|vamos|se llama|toma|come|habla|hablo|toco|juega|canta|mide|pesa|cuesta|dura|abre|cierra|empieza|termina|"
    r"vence|está hecho|padece|teletrabajo|sufre|conduzco|cobro|pago|calzo|mido|peso|nado|corro|doy|cría|criamos|"
    r"cultivamos|esperamos|puedo|puede|queda|guardo|guardamos|pertenece|sé|entreno|madrugo|duermo|suele|suelo|"
    r"estoy haciendo|ensayamos|se [a-z]{2,12}[ae]n?|soporta|aguanta|cuenta|tarda|recibe|vende|ocupa|gasta|contiene|"
    r"falta|faltan|supera|me quitaron)\b",
    "event": word_of(r"""
        he ido, hemos ido, he estado, hemos estado, estuve, estuvimos, me mudé, me vine, me casé, me jubilé,
        me operaron, me operan, nos mudamos, nos casamos, nací, crecí, me crié, adoptamos, adopté, compré, compramos,
        hemos comprado, he comprado, vendí, vendimos, hemos vendido, dejé, dejamos, he dejado, empecé, empezamos,
        he empezado, me ascendieron, me han ascendido, me despidieron, aprobé, he aprobado, terminé, me gradué,
        me saqué, abrimos, hemos abierto, fundamos, murió, falleció, nació, contratamos, hemos contratado, lanzamos,
        me cambié, nos cambiamos, he cambiado, este año, el año que viene, en marzo, en abril, en mayo, en junio,
        en enero, en febrero, en julio, en agosto, en septiembre, en octubre, en noviembre, en diciembre
    """),
    "milestone": r"\b(?:me|nos)\s(?!dij|cont|pregunt|pid|ped|mand|envi|llam|traj|hici|dej|gust|encant|parec|qued|di)"
    r"\w{2,20}(?:aron|ieron)\b|\bme (?:romp|part|tor[cz]|fractur|cas|divorci|jubil|gradu|sa(?:c|qu)|lesion|oper|"
    r"mud|apunt|matricul|compr|separ)\w{0,3}[éí]\b|\b(?:me he|nos hemos|me han|nos han) (?!dicho|contado|preguntado|"
    r"pedido|mandado|enviado|llamado|gustado|quedado|salvado|parecido|encantado|hecho)\w{2,20}(?:ado|ido)\b|"
    + word_of(r"""
        adopt(?:é|amos|ado), acog(?:í|imos|ido), nos prometimos, nos casamos, nos mudamos, nac(?:ió|ieron),
        muri(?:ó|eron), falleci(?:ó|eron), aprob(?:é|ó|ado), firm(?:é|amos|ado), compr(?:é|amos) (?:una?|el|la) \w+,
        vend(?:í|imos) (?:el|la|mi|nuestr[oa]), di(?:o|mos) a luz, nos separamos, estren(?:é|amos)
    """),
    "change": word_of(WORDS.changed),
    "due": rf"(?:tengo|tenemos|tiene|hay|debo|debemos)\b[^.;]{{2,60}}\b(?:antes d\w+|para|hasta)\s(?:el\s)?{_DATE}|"
    rf"\b(?:voy|vamos|va|van) a \w+[aei]r\w{{0,3}}\b[^.;]{{0,60}}?\b{_DAY}",
    "role": r"\b(?:quien|la que|el que)\s(?:lleva|se encarga|gestiona|dirige|manda|decide|coordina)\b|"
    r"(?-i:[A-ZÁÉÍÓÚÑ])\w{1,40}\s(?:es|son)\s(?:la que|el que|quien|mi|nuestr[oa]|la responsable|el responsable)|"
    rf"\bse (?:encarga|ocupa)\s(?:{_NAME})",
    "taste": word_of(r"""
        prefiero, preferimos, me gustan?, no me gustan?, me encantan?, me chiflan?, me flipan?, me molan?, odio,
        detesto, adoro, no soporto, no aguanto, no tolero, soy (?:más |muy )?(?:de|fan|poco de|amante),
        me da(?:n)? (?:\w+ )?(?:pereza|asco|grima|repelús|alergia), me pongo malo con, no me hacen? (?:\w+ )?gracia,
        ni en pintura, ni olerlo, ni verl[oa], ni loc[oa], ni regalad[oa], qué rico no, me pierden?, me aburren?,
        me relajan?, mil veces, antes que, mejor que, no me va, no me van, paso de, tiro (?:a|más), me tira más,
        me horrorizan?, me saca de quicio, me sientan? (?:mal|bien), favorit[oa]s?
    """),
    "decision": word_of(r"""
        hemos decidido, he decidido, decidimos, decidí, se ha decidido, acordamos, hemos acordado, quedamos en,
        hemos quedado en, nos hemos decantado, nos decantamos, me decanto, optamos, hemos optado, elegimos,
        hemos elegido, nos quedamos con, descartamos, renunciamos(?: a)?, renuncio, hemos renunciado,
        hemos descartado, al final (?:la|lo|el|nos|vamos|será|hacemos|usamos)[^.]*, está decidido,
        definitivamente, se vota, se votó, apostamos por, por unanimidad, nos cargamos, se cae del,
        nos pasamos a, migramos, hemos migrado, tiramos con, vamos a tirar
    """),
    "norm": word_of(r"""
        a partir de ahora, de ahora en adelante, de hoy en adelante, desde ahora, en adelante, siempre con,
        siempre sin, siempre en, siempre que me, cada vez que, nunca me, jamás me, no me l[oa]s? toques,
        no me toques, no me (?:mandes|propongas|escribas|llames|hables|pongas|sugieras|recomiendes),
        no me (?:trates|des|envíes|avises|programes|molestes), no pongas, no uses, no incluyas, prohibido,
        está prohibido, obligatorio, hay que, por norma, por sistema, por defecto, sin excepción, nada de,
        ni se te ocurra, cuando me (?:escribas|mandes|respondas|hables| propongas|expliques),
        antes de (?:borrar|enviar|publicar|tocar|cambiar)[^.]*, en los correos que, se tutea, evita, trátame,
        tutéame, háblame, respóndeme, contéstame, siempre me, tiene[n]? que
    """),
    "steps": r"\bprimero\b.{3,}\b(?:luego|después|al final|entonces)\b|\bpara\s\w+(?:ar|er|"
    r"ir)\b[^.]{2,}\b(?:se|hay que|luego|y después)\b"
    r"|\b(?:luego|después) se\s|^(?:para\s\w+[aei]r|así|(?:el|la|los|las)\s[^:,]{2,30}\sl[aeo]s?\s\w+(?:o|mos))\b"
    r"[^:.]{0,60}:\s(?:[^,.:]{2,60},\s){1,8}[^,.:]{2,60}\sy\s",
    "corrects": r"(?:me (?:he )?(?:equivoqué|equivocado|liado|confundí|confundido)|corrección|corrijo|"
    r"rectifico|quise decir|perdón|estaba mal|lo dije mal|lo de antes)\b"
    r"|\b(?:es|son|era|eran)\s[^.;]{1,40},\s(?:no|que no)\s",
    "number": r"\d|"
    + word_of(r"""
        dos, tres, cuatro, cinco, seis, siete, ocho, nueve, diez, once, doce, quince, veinte, treinta, cuarenta,
        cincuenta, cien, mil
    """),
    "date": rf"\b(?:{_DATE}|día \d+)",
    "name": r"(?-i:(?<=[a-záéíóúñ,:)] )[A-ZÁÉÍÓÚÑ][\wáéíóúñ]+)",
    "short": r"^[^\s:]+(?:\s[^\s:]+)?$",
    "asks": r"[?¿]|^(?:qué|cómo|cuál|cuándo|dónde|quién|por qué|cuánto)\b",
    "request": r"^te\b|\béch(?:al|am)e|^(?:pon|haz|di|da|ve|ten|sal)(?:le|lo|la|les|los|las|me|nos|melo)\b|"
    r"^\w*[áéíóú]\w*(?:me|le|lo|la|les|los|nos)\b|^juguemos|^(?:por favor,?\s)?(?:y\s|pues\s|vale,\s|oye,\s)?(?:pon|"
    r"haz|hazlo|hazme|dame|dime|busca|búscame|escribe|escríbeme|cuéntame|traduce|resume|resúmeme|explica|explícame|"
    r"cámbialo|cambia|corrige|reserva|resérvame|manda|envía|crea|genera|invéntate|inventa|imagina|abre|cierra|quita|"
    r"añade|calcula|ayúdame|recomiéndame|sugiere|sugiéreme|compara|lista|enséñame|muéstrame|prueba|mira|espera|revisa|"
    r"repite|sigue|continúa|acorta|alarga|llama|recuérdame|déjalo|ponme|prepara|redacta|vamos a ver|a ver)\b|"
    r"\b(?:quiero|quería|quisiera|querría|necesito|me gustaría|me vendría|busco(?! siempre)|puedes|podrías|ayuda con|"
    r"échame una mano|me ayudas|me haces|tengo que|(?:voy|vamos) a (?!tirar)\w+[aei]r(?:me|nos|l[aeo]s?)?)\b",
    "unreal": word_of(r"""
        si (?:tuviera|fuera|pudiera|me tocara|viviera|\w+[aei]ra|\w+áramos|\w+iéramos), ojalá, quizás?, tal vez,
        a lo mejor, puede que, imagina\w*, supongamos, pongamos, supón, sería, tendría, compraría, viviría, llamaría,
        me iría, creo que, me parece, supongo, un suponer, es broma, personaje, (?:un|el|este) cuento, novela, soñé,
        parece que, igual me, dudando, dudo, ya veremos, suponiendo, fuera, tendrías?, (?:yo )?que tú, en tu lugar,
        me da que, imagín\w+, (?!secret|not|comis|m)\w{1,16}[ai]ría(?:s|n|mos)?,
        (?:deb|pod|har|ser|ver|volv|com|beb|hab|tend|pond|vend|sab|quer)r?ía(?:s|n|mos)?
    """),
    "hearsay": word_of(r"""
        dice, dicen, decía, decían, explic(?:a|ó|aba) que, coment(?:a|ó|aba) que, sostiene,
        (?:señala|indica|apunta|revela|insiste|jura) (?:en )?que, presumen? de,
        ^(?:uno|una|un tipo|un tío|alguien|un señor|una señora|un compañero|una compañera) (?:del?|en|que)\b[^.]*,
        dijo(?! basta), dijeron, cuentan, según, se dice, comentan, he leído, leí, oí, he oído, afirma, asegura,
        periódico, noticias?, artículo, opina, cree, un amigo, una amiga, un conocido, por lo visto, al parecer,
        me contaron, me ha contado, me han contado, me han dicho, me ha dicho, me ha pedido, me han pedido, me contó,
        pregunta, me pidió, escribió
    """),
    "passing": word_of(r"""
        (?<!por )hoy (?!por hoy|en día)\w*, hoy(?=\W*$), hoy(?=[,;:]), ahora mismo, esta noche, esta tarde,
        esta mañana, luego te, ahora te, en un rato, enseguida,
        (?<!que )estoy (?:escribiendo|haciendo|mirando|leyendo|intentando|viendo|escuchando|comiendo),
        estoy (?:cenando|esperando|probando|calentando|fregando|duchándome|paseando|aparcando|planchando),
        espera(?=\W*$), en la cola, estoy en (?:el|la|un|una), voy en (?:el|la|un), en el metro, en el bus,
        en el autobús, en el tren, esta vez, por ahora, un momento, un segundo, ayer, anoche, de camino, llegando,
        saliendo, ya voy, vuelvo
    """),
    "mood": word_of(r"""
        cansad[oa], agotad[oa], hambre, sueño, sed, frío, calor, prisa, aburrid[oa], content[oa], feliz, triste,
        nervios[oa], harto, harta, enfadad[oa], list[oa], liad[oa], ocupad[oa], resfriad[oa], emocionad[oa], duele,
        duelen, menudo, qué (?:bien|mal|malo|risa|pena), segur[oa], de acuerdo, encantad[oa], perdid[oa], atascad[oa],
        bloquead[oa], vaya(?=\W*$), mejor tiempo, ganas, cambiado de (?:idea|opinión), cambié de (?:idea|opinión)
    """),
    "trouble": failing(
        r"""
        ordenador, pc, portátil, móvil, teléfono, impresora, wifi, web, app, programa, pantalla, teclado,
        coche, lavadora, lavavajillas, caldera, horno, nevera, router, tele, conexión, servidor, código
        """,
        "no, pierde, hace un ruido, se apaga, se cuelga, va (?:muy |super|súper)?lent\\w+, tarda (?:mucho|muchísimo)",
    )
    + "|"
    + word_of(r"""
        no me (?:arranca|enciende|carga|funciona|va el|va la), error, falla, fallo, fallando, no funciona,
        no arranca, no carga, colgado, colgó, roto, rota,
        estropead[oa], no me deja, no sé(?!\s\w+[aei]r\b), no entiendo, no me acuerdo, no recuerdo, olvidé, he olvidado,
        no encuentro, no consigo, se cayó, se ha caído, duda, dudas, pregunta, problema, no se pudo, no me sale,
        he perdido el hilo, en negro, se me ha (?:quedado|colgado|bloqueado|borrado|ido|colado|escapado), otra vez
    """),
    "at hand": word_of(r"""
        este (?!año|mes|curso|verano|otoño|invierno|proyecto|fin|lunes|martes|miércoles|jueves|viernes|sábado)\w+,
        esta (?!empresa|temporada|primavera|casa|app|semana|noche|tarde|mañana)\w+, esto, eso, ese, esa, aquello,
        la opción, opción, la primera, la segunda, párrafo, el texto, me has, te has, has \w+[ai]do, la frase,
        el código, este caso, lo que (?:dices|buscaba|has|me), tu, tus, el título (?!de), el cartel,
        así (?!que|es como), usa la, usa el
    """),
    "reaction": r"\bme salvas\b|\bmil gracias\b|^antes (?:era|eran|había) [\d.,]+\b|"
    r"^¡?(?:vale|gracias|genial|perfecto|jaja\w*|ok|claro|sí(?=[,.!]|$)|no(?=[,.!]|$)|qué|madre mía|uf|"
    r"guau|bueno|muy bien|me encanta(?=[,.!]|$)|me gusta(?=[,.!]|$)|(?:no )?me convence|me (?:ha|has|han) (?:servido|"
    r"ayudado|encantado|gustado|salvado|aclarado|quedado)|estupendo|bien|hola|adiós|nada|tranquil[oa]|exacto|increíble|"
    r"de nada|hasta)\b(?!,?\s+(?:por cierto|soy|vivo|tengo|mi|me llamo|trabajo|nos|somos|el|la|ya|estoy|hay))|"
    r"\bgracias\W*$",
    "world": word_of(r"""
        el agua, la tierra, el sol, la luna, desemboca, capital de, habitantes, el monte, el río, el mundo, la gente,
        los seres, históricamente, en general, planetas?, sistema solar, grados, siglo, el universo, la historia,
        se inventó, el gobierno, el ministro, la ministra, las plantas, los animales, planeta, hemisferio, continente,
        está a \d+, km de, kilómetros, es (?:el|la) más \w+ de
    """),
}

_weigh_spelled = weigher(_SIGNS)
_weigh_bare = weigher({name: without_accents(pattern, "áéíóú") for name, pattern in _SIGNS.items()})


def _weigh(text: str) -> Rule | None:
    """What is written without a single accent is read as if each might be missing."""
    return (_weigh_bare if text.isascii() else _weigh_spelled)(text)


_REQUEST = request_of(
    r"escr[ií]be(?:me)?|hazme|haz|dame|dime|ay[uú]dame|prep[aá]ra(?:me)?|prop[oó]n(?:me)?|recomi[eé]nda(?:me)?|"
    r"sugi[eé]re(?:me)?|corrige|corr[ií]ge(?:lo|la|me)|reescr[ií]be(?:lo|la)?|acorta|traduce|resume|b[uú]sca(?:me)|"
    r"encuentra|expl[ií]ca(?:me)|calcula|genera|inv[eé]nta(?:te)?|dibuja|compara|mu[eé]stra(?:me)|cu[eé]nta(?:me)|"
    r"rehaz|res[eé]rva(?:me)|ponme|cambia(?= (?:el|la|los|las|este|esta)\b)|recu[eé]rdame|añade|quita|redacta|"
    r"red[aá]ctame",
    r"siempre|nunca|jamás|cada vez",
)
PACK = Pack(
    lang="es",
    rules=_RULES,
    rule_signs=RULE_SIGNS,
    weigh=_weigh,
    others=r"(?!.*\b(?:yo|me|mí|mis?|conmigo|nos|nuestr[oa]s?)\b)"
    r"(?:(?:él|ell[oa]s?)\s(?!se llama)|(?:no\s)?(?:vive|trabaja|estudia|bebe|come|prefiere|nació|se mudó|se ha mudado|"
    r"es alérgic[oa]|tiene\s(?:\d+|dos|tres|una?)\s(?:hij\w+|herman\w+|años))\b)",
    leads=r"(?:(?:bueno|pues|vale|ok|hola|oye|mira|por cierto|además|también|y|pero|eso sí|que conste(?: que)?|"
    r"para que (?:lo )?sepas|te cuento|como contexto|contexto|nota|sí|gracias|buenas|buenos días|buenas tardes|"
    r"en realidad|la verdad(?: es que)?|resulta que|ah|uf|al final(?=\s+(?:la|el|mi|nuestr))|sinceramente|"
    r"te aviso(?: de que)?|actualización|porque|como|ya que)(?:\s*[,:.!]+\s*|\s+)|[\s,:;–—-]+)",
    corrections=r"(?:(?:perdona, )?lo dije mal|me (?:expresé|expliqué|he expresado|he explicado) mal|no|perdón|perdona|"
    r"corrección|corrijo|me equivoqué|me he equivocado|mejor dicho|quiero decir|en realidad|espera|rectifico|"
    r"error mío)\s*[,:;.!]+\s*",
    explicit=r"(?:por favor,?\s+|y\s+|oye,?\s+)*(?:(?:apúntate|anótate|apúntame|anota) (?:esto|una cosa)\s*[:,]|"
    r"recuerda(?: que|\s*[:,])|acuérdate de que|no olvides que|no te olvides de que|ten en cuenta que|ten presente que|"
    r"apunta(?: que|\s*[:,])|anota(?: que|\s*[:,])|toma nota(?: de que|\s*[:,])|nota\s*:|guarda esto\s*[:,]|"
    r"memoriza(?: que|\s*[:,])|para que conste\s*[,:]|quiero que recuerdes que)\s*",
    turns=r"\s?[,:]\s+",
    splices=True,
    breaks=rf",\s+(?={_REQUEST})|:\s+(?=(?:yo|mis?|nuestr[oa]s?|tengo|tenemos|soy|somos|vivo)\b)|"
    r"(?<!\s)(?:\s*;\s+|\s+[–—-]\s+)|,\s+(?:(?:y|pero|así que|o|e)\s+)*(?:porque|ya que|aunque|como|"
    r"pues)?\s*(?=(?:yo|me|mi|mis|nuestr[oa]s?|tengo|vivo|trabajo|prefiero|soy|estoy|he|hemos|puedes|"
    r"podrías|qué|cómo|cuál|dónde|cuándo|quería|quiero|necesito|por favor|¿|siempre|nunca|no|es|será|nos|"
    r"te|dime|ayúdame|la|el|que conste)\b|¿)|(?<!\s)\s+(?:y|pero|así que)\s+(?=(?:trabajo|vivo|tengo|prefiero|"
    r"soy|estoy|mi\s|quería|quiero|me\s|no\s|nunca|siempre|puedes|hace un)\b)|(?<!\s)\s+(?=¿)|"
    rf"(?<!\s)\s+(?:para|con|a)\s+(?=(?:mis?|nuestr[oa]s?)\s{_KIN}\b[^,.;!?]{{0,20}},?\sque\s)",
    asks=rf"{_REQUEST}|¿|(?:qué|cómo|cuál|cuándo|dónde|quién|por qué|cuánto|puedes|podrías|me puedes|quieres|sabes|"
    r"quería saber|quisiera|necesito (?:que|saber|un|una|ayuda)|dime|ayúdame|dame|hazme|resérvame|búscame|me gustaría|"
    r"quiero (?:un|una|saber|reservar|que me))\b",
    supposes=r"(?:suponiendo|pongamos|en (?:el )?caso de|en cuanto (?:tenga|pueda|consiga|termine|acabe|encuentre)|"
    r"imagín\w+|si(?!\s+(?:te|me) (?:pida|mando))|imagina|supón|supongamos|ojalá|aunque fuera|en (?:la|esta) (?:novela|"
    r"película|historia))\b",
    unreal=r"\b(?:me mud\w+|nos mud\w+|compr(?:o|amos)|vend(?:o|emos)|dejo|dejamos|me cas\w+)\b[^.!?]{1,60}\s"
    r"(?:si|en cuanto|en caso de que)\s|\b\w+ría(?:mos)?\b[^.!?]{1,80}\s(?:si|cuando|en cuanto)\s",
    denies=r"\b(?:no|nunca|jamás|tampoco|en vez de|en lugar de)\s(?:(?!sino\b)\w+\s){0,3}$",
    contrasts=r"\b(no\s(?P<verb>(?:(?:me|se|nos)\s)?\w+)\s[^,;.!?]{1,40}?[,;]\s(?:pero\s|sino que\s)?(?:yo\s)?)"
    r"(?=(?P=verb)\s)"
    r"|\b(no\s)(?:(?:me|se|nos)\s)?(?!s[oó]lo\b|solamente\b)\w+\s((?:[^,;.!?]|\.\d){1,40}?,?\ssino\s(?!que\b|también))",
    pretends=r"\b(?:(?:érase|había) una vez|juego de rol|haz como si|finge que|escribe (?:un|una) (?:cuento|historia|"
    r"poema|relato|carta de)|en la novela|ficticio|ficticia|actúa como)\b",
    joins=frozenset({"y", "o"}),
    tails=r"(?:porque|ya que|aunque|pues|como|y|pero|así que)?$",
    presumes=r"(?:porque|ya que|dado que|aunque)",
    reports=r"(?:dijo|dice|escribió|preguntó|según [^,;.]{2,40})\s*[:,]?$",
    hedges=r"\b(?:quizás?|tal vez|a lo mejor|puede que|igual (?:me|nos|voy|vamos|es que|un día|mañana|algún)|"
    r"no sé si|creo que tal vez|estoy pensando en|"
    r"probablemente|podría ser|en broma|según (?:dicen|me)|por lo visto|al parecer|dicen que|un amigo mío)\b",
    spellings=r"[ñ¿¡]|ción\b|^\W*si (?:(?:yo|no|me|te|nos|lo|la) )?\w+(?<![aeo]n)o\b|"
    r"\b(?:el|los|y|tenemos|hemos|hacemos|estoy)\b",
    cues=frozenset(
        """
        a llamo hablo mudamos vivimos prefiero gusta quiero toco odio soy somos tenemos el la los las un una de del al
        y que en es por para con no mi mis me se lo su sus como pero más muy ya está estoy soy tengo yo nos nuestro
        nuestra hemos he siempre nunca cuando qué cómo este esta esto porque también gracias hola vivo trabajo alergia
        alergias fecha entrega plazo presupuesto talla cumpleaños nota dirección teléfono horario reunión cita dato
        aviso teletrabajo curro estudio ahora desde años grupo con hasta entre va van hay ha han le les nada todo
        todos cada hoy puedo puedes hace uso llevo hago voy creo necesito tomo bebo suelo vamos estamos eres fue sobre
        pregúntame dime dímelo dame ponme avísame recuérdame conmigo algo cualquier sin sólo antes seguro respuestas
        hecho tenía otra otro unos unas solo aquí dos tres cuatro semana mes año hijo hija hermano hermana nuestros
        nuestras día días sé sabes vos tú acá tenés sos laburo trabajamos usamos hacemos quedamos
        """.split()
    ),
)
