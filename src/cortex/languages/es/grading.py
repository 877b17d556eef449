"""By which words Spanish shows how much a memory matters."""

GRADING = {
    "rule": r"\b(?:a partir de ahora|de ahora en adelante|siempre|nunca|jamás|prohibido|obligatorio|norma|política|no "
    r"(?:envíes|uses|pongas|llames|hagas|escribas))\b|^\W*(?:por favor,?\s+)?(?:usa|escribe|responde|contesta|evita)\b",
    "preference": r"\b(?:prefier[eo]|favorit[oa]s?|me (?:gusta|encanta)\w*|odio|detesto|no soporto)\b",
    "constraint": r"\b(?:alérgic[oa]s?|alergia|intoleran\w+|celíac[oa]|diabétic[oa]|diabetes|epilep\w+|embarazada|"
    r"vegan[oa]|vegetarian[oa]|no (?:puedo|como|bebo|puede) (?:comer|beber|carne|alcohol))\b",
    "asked": r"\b(?:recuerda|acuérdate|no (?:te )?olvides|ten en cuenta|apunta|anota|toma nota|guarda esto|para que "
    r"conste)\b",
    "decision": r"\b(?:hemos decidido|decidimos|decidido|acordamos|acordado|elegimos|optamos|nos quedamos con|"
    r"decisión)\b",
    "procedure": r"\b(?:los pasos|procedimiento|receta)\b|\bprimero\b.{1,200}\b(?:luego|después)\b|"
    r"^\W*para\s+\w+.{0,60}[,:]\s*\S",
    "task": r"\b(?:pendiente|tengo que|tenemos que|hay que|falta|vence|plazo|antes de(?:l)?|fecha límite)\b",
    "incident": r"\b(?:incidente|fall[óo]|se cayó|caída|se rompió|averí\w+|se perdió|error)\b",
    "cause": r"\b(?:porque|debido a|causa|por culpa de|se arregló|arreglado|solucion\w+|resuelto)\b",
    "acknowledgement": r"^\W*(?:(?:ok|vale|gracias|muchas gracias|perfecto|genial|de acuerdo|entendido|sí|si|no|claro|"
    r"bien|hola|buenos días|de nada)\b[\s,.!]*)+$",
    "secret": r"\b(?:contraseña|clave|pin|código de (?:verificación|seguridad|acceso))\b.{0,20}\d",
    "progress": r"\b(?:sigo|procesando|va por el|en curso|casi (?:listo|terminado)|de momento|descargando|trabajando "
    r"en)\b",
    "appointment": r"\b(?:cita|reunión|llamada|vuelo|tren|comida|cena|entrevista|clase|visita)\b",
    "soon": r"\b(?:hoy|mañana|esta (?:tarde|noche)|el (?:lunes|martes|miércoles|jueves|viernes|sábado|domingo))\b",
    "at_time": r"\b(?:a las? \d{1,2}|\d{1,2}:\d\d)\b",
    "recurring": r"\b(?:cada|todos los|todas las|los (?:lunes|martes|miércoles|jueves|viernes))\b",
    "vague": r"^\W*(?:eso|esto|ese|aquello|no sé|alguien|el otro|la otra|es|era)\b|\?\s*$|\b(?:quizás?|tal vez|a lo "
    r"mejor|no sé|creo que)\b",
    "lasting": r"\b(?:mis?|nuestr[oa]s?|soy|tengo|vivo|trabajo|me llamo|se llama|vive|cumpleaños)\b",
}
