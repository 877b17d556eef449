"""What Spanish says around somebody else's words."""

from __future__ import annotations

from cortex.languages.ownership import OwnershipWords

OWNERSHIP = OwnershipWords(
    asks=r"""
    (traduce|traduzca|traducir|tradúceme|traduceme|traducime)
    (corrige|corrija|corregir|corrígeme|revisa|revise|revisar)
    (resume|resuma|resumir|resúmeme|acorta|acorte|acortar|abrevia)
    (reescribe|reescriba|reescribir|reformula|reformule|reformular|parafrasea|parafrasear)
    (responde|responda|responder|contesta|conteste|contestar) (a|al)
    (qué|cómo) (le |les )?(contesto|respondo|debería responder) (a|al)
    (quiero|necesito) (decir|escribir) (esto|lo siguiente)
    (escribe|escriba|redacta|redacte|redactar|escribir|dame|prepara) …respuesta (a|al|para)
    (cómo se dice|como se dice|cómo digo|cómo se escribe|qué significa|que significa|qué quiere decir)
    (es|está|suena|son) (correct[oa]s?|bien|gramatical\w*|natural)( escrit[oa])? (est[aeo]s?|la siguiente
    |el siguiente|lo siguiente)
    (está|es|suena) (esto|est[ae] \w+) …(bien|correct[oa]|natural)
    """,
    leads="""
    (por favor|y|ahora|luego|hola|ok|vale|entonces|oye)
    (me |lo )?(puedes|podrías|puede|podría|podés|quieres|quiero que|necesito que|necesito)( me| por favor)?
    ayúdame a
    """,
    these=r"""
    (esto|est[ae] \w+|est[aeo]|lo siguiente|(el|la) siguiente( \w+)?|l[oa]s siguientes( \w+)?)
    """,
    above=r"""
    (lo (de )?(arriba|anterior)|(el|la) \w+ (anterior|de arriba)|esto|est[ae] (texto|frase|párrafo|mensaje|oración))
    """,
    nouns="""
    (texto|frase|oración|párrafo|mensaje|correo|e-?mail|mail|carta|artículo|comentario|reseña|borrador|ensayo|cita
    |fragmento|palabra|línea|poema|documento|página|informe|nota|entrevista|conversación de|publicación|receta
    |manual|respuesta)s?
    """,
    links="(al|a|en|para|por|del|de|y|que|con|sin)",
    not_texts="""
    (lo que (te|le|hemos|dije|hablamos)|nuestra|conversación|charla|hasta ahora|siempre|cada vez)
    """,
    states=r"""
    (yo|vivo|soy|estoy|trabajo|me llamo|mi nombre es|tengo|nosotros|somos|mi \w+ (es|se llama|vive|trabaja)|hola
    |a partir de ahora)
    """,
    closes="(por favor|gracias|puedes|podrías|qué opinas|qué te parece|está bien|hazlo|que sea)",
    languages="""
    (inglés|alemán|francés|español|castellano|italiano|portugués|neerlandés|ruso|polaco|turco|chino|japonés|coreano
    |árabe|sueco|latín|catalán)
    """,
    works="""
    (traducción|resumen de (esto|este|esta|un|una|lo)|ortografía|gramática|corrección de|puntos clave|qué está mal
    |reenviado|le contesto a|contesto a)
    """,
    people="""
    (hermana|hermano|madre|padre|mamá|papá|abuel[oa]|hij[oa]|mujer|marido|espos[oa]|novi[oa]|ex|tía|tío|prim[oa]
    |amig[oa]|jef[ea]|colega|compañer[oa]|vecin[oa]|caser[oa]|profesor(a)?|cliente|alguien|él|ella|autor(a)?
    |usuari[oa])
    """,
    own_frames="""
    ((buenas|malas|grandes) noticias|noticias?|novedad(es)?|anuncio|recuerda|importante|nota|aviso|por cierto
    |corrección|sobre mí|en resumen|para que (sepas|conste)|como te dije
    |así|para|pd|pregunta|respuesta|problema|motivo|dile)
    """,
    received="""
    (aquí está|aquí tienes|aquí va|este es|esta es|esto es|mira|mira lo que|lee|te paso|te copio|adjunto)( …(el|la
    |lo|un|una|este|esta))?
    (recibí|he recibido|me llegó|me ha llegado|encontré)( …(este|esta|un|una|el|la))?
    """,
    wrote="""
    (dice|dijo|escribe|escribió|ha escrito|respondió|contestó|publicó|comentó|mandó|envió|ha enviado|pregunta
    |preguntó)( (esto|hoy|ayer|en|el|grupo|lo siguiente)){0,4}
    """,
    selves="(yo|te|ya)",
    salutes="(estimad[oa]s?|apreciad[oa]s?|querid[oa]s?|distinguid[oa]s?)",
    greets="(hola|buen[oa]s (días|tardes|noches)|buen día)",
    signs_off="""
    (un )?(saludos?|cordial saludo|abrazo)( cordial(es)?| afectuos[oa]s?)?
    (atentamente|cordialmente|sinceramente|un (fuerte )?abrazo|muchas gracias y saludos|reciba un cordial saludo)
    """,
    dialogue="""
    (p|r|pregunta|respuesta|entrevistador(a)?|entrevistad[oa]|cliente|agente|médic[oa]|paciente|profesor(a)?
    |alumn[oa]|yo|tú|él|ella|usuario|moderador(a)?|jefe|jefa|mamá|papá)
    """,
    fields=r"""
    (nombre|apellidos?|edad|ciudad|país|dirección|calle|trabajo|profesión|empresa|teléfono|móvil|correo|cumpleaños
    |altura|peso|alergias?|aficiones|idiomas?|familia|hijos|mascotas?|fecha|hora|tema|asunto|nota|importante
    |objetivo|objetivos|plan|problema|solución|paso ?\d*|ingredientes|preparación|precio|ejemplo|lunes|martes
    |miércoles|jueves|viernes|sábado|domingo|hoy|mañana|ayer|desayuno|almuerzo|comida|cena|ventajas?|desventajas?
    |quién|qué|cuándo|dónde|por qué|cómo|tarea|consejo|corrección|regla|reglas)
    """,
    plays=r"""
    (juguemos|vamos a jugar|hagamos|vamos a hacer|quiero jugar|quiero hacer|empecemos)( …)?(juego de rol|a ser|a que
    |rol|de rol)
    juego de rol ?[:.]
    (finge|finjamos|imagina|imaginemos|haz como si|supón|haz de cuenta) (que )?(eres|soy|estamos|estoy|somos|fueras
    |fuera|tú|yo)
    (ahora eres|eres ahora|tú eres|tú serás) …(y )?yo (soy|seré)
    (ahora eres|eres ahora|a partir de ahora eres) (un|una|el|la|mi|@)
    mi (personaje|protagonista|héroe|heroína|avatar|narrador(a)?)( \w+)? (dice|habla|piensa|se llama|es|cuenta|vive)
    (el|la) (personaje|protagonista|narrador(a)?) (dice|habla|piensa)
    (escribe|habla|responde|contesta) (\w+ ){0,4}(con la voz de|al estilo de|como si fueras|en el papel de
    |desde la perspectiva)
    como (un|una) (pirata|rey|reina|caballero|mago|bruja|vampiro|personaje)\w* ?:
    (para|en) mi (novela|cuento|historia|guion|libro|obra|campaña) ?[,:]
    (escribe|cuenta|inventa|crea)(me)? (un|una) (\w+ ){0,3}(cuento|historia|poema|escena|monólogo|diálogo|canción
    |relato)
    (monólogo|diálogo|escena|texto) (para|de) (mi|un|una|el|la) (personaje|novela|cuento|obra)
    érase una vez
    """,
    plays_on="""
    (juguemos|vamos a jugar|hagamos|vamos a hacer|quiero jugar|quiero hacer|empecemos)( …)?(juego de rol|rol)
    tú (eres|serás) …y yo (soy|seré)
    """,
    plays_no_more="""
    (fin|termina|terminemos|para|paremos|dejemos|acabemos) …(juego|rol|personaje|historia)
    (fuera de personaje|otro tema|cambiando de tema|volviendo a la realidad|en serio|ya en serio)
    """,
    guests_no_more="(soy yo (otra vez|de nuevo)|ya estoy de vuelta|he vuelto|vuelvo a ser yo|otra vez yo)",
    announces="""
    ((el|mi) (próximo|siguiente) mensaje|lo que te (mando|envío|pegue|pego) (ahora|luego|después)|te (mando|pego
    |paso) (ahora|luego))
    """,
    is_assistant="""
    como (un )?(modelo de lenguaje|ia|inteligencia artificial|asistente virtual|asistente de ia)
    soy (un|una|tu|su) (ia|inteligencia artificial|modelo de lenguaje|asistente virtual|asistente de ia
    |asistente digital)
    (en qué|cómo) (más )?(puedo|te puedo|le puedo) ayudar(te|le)?
    (hay|puedo|necesitas) …algo más (en (lo )?que|que)
    """,
    assistant_opens="""
    (claro|por supuesto|desde luego|con gusto|buena pregunta|entendido|perfecto)
    aquí (tienes|está|están) (un|una|el|la|los|las|tu|tus|algunas|algunos)
    """,
    assistant_closes="""
    (avísame|dime|házmelo saber|no dudes en)
    si (necesitas|quieres|tienes|deseas)
    (quieres que|te gustaría que|deseas que)
    aquí (tienes|está|están) (un|una|tu|tus|algunas|algunos)
    """,
    unfinished="de|la|el|los|las|al|en|un|una|mi|su",
    into="al|en|para",
    please="por favor",
    my="mi",
    our=r"mis|nuestr\w{1,2}",
    i="yo",
    tells_of_self="tengo|estoy|traduzco|corrijo|reviso|debo|hago|voy|escribo",
    first_person="yo|mi|mis|vivo|soy|trabajo|tengo|me llamo|somos",
    speech="tú",
    opens_with_i="yo|soy|vivo|tengo|trabajo|estoy|llevo|prefiero",
    opens_with_mine="yo",
    before_mine=r"sobre|[\w'-]{1,16} de",
    me="yo|mí|mi",
    to_me="mí|nos",
    recipient="para|al|a la|a mi",
    origin="del|de",
    third_person="él|ella|le|su",
    they="ellos|ellas",
    you=r"tu|te|ti|usted\w?|vuestr\w{1,3}|os",
    own="mí[oa]s?|propi[oa]s?|yo mism[oa]",
    i_wrote="he escrito|escribí yo",
    authors=(
        r"(?:lo )?escribí|he escrito|(?:voy a|quiero|pienso) (?:mandar|enviar|decir|leer|publicar|poner|colgar)\w{0,4}"
    ),
    for_mine="(?:para|a|en) mis?",
    introduces="[Ss]oy",
    titles="la |el ",
    names_self="me llamo",
    interjections="bueno|pues",
    closings="saludos|abrazo|atentamente",
    orders="siempre|nunca|jamás",
    this="esto",
    what="lo que",
    assistants="asistente",
    for_you="para ti",
    pieces="párrafo|fragmento|cita",
    asides="por cierto|apunta que|para que sepas|a propósito",
    opens_aside="por cierto|además|recuerda|gracias",
    frame_leads="y|el|la",
    below="abajo",
    got="encontré|recibí|leí",
    duty="tengo que|debo",
    said_so="dice|dijo|escribió",
    cast=r"personaje|protagonista|narrador\w?|juego de rol|vivo|soy|trabajo|habito",
    question_and_answer="P|R",
    forwarded="mensaje (?:reenviado|original)",
    mail_on="el",
    mail_wrote="escribió",
    mail_from="de",
    mail_subject="asunto",
    mail_headers="para|fecha|enviado",
    clause_begins="[Yy]o |[Mm]i ",
    declares=r"(?:mi|la|el)\b[^?]{0,60}\b(?:es|está|era)",
    question_opens="qué|cómo|quién",
    request_opens="puedes|podrías",
    copulas="es|suena",
    genitive=r"\bde ?[A-ZÀ-Þ]\w",
)
