"""Spanish: its words."""

from __future__ import annotations

from cortex.languages.words import Questions, RelationWords, Similarity, Words, phrase

WORDS = Words(
    lang="es",
    order=60,
    stop_words="""
al algo cual cuales cuando cuanto cuantos cuantas como de del desde donde durante el ella ellos en entre es esa ese
eso esta este esto estan estas estos fue fueron habia hasta la las le les lo los mas mi mis muy nos nosotros para pero
por porque que quien quienes se segun ser si sobre su sus tambien te tiene tu tus un una uno unos y ya yo
    """,
    changed=r"""
        ahora (?!mismo)[^.]*, ya no, ya (?:vamos|somos|son|tenemos|es|está|llevamos), ha subido, han subido,
        subimos, subió, ha bajado, bajó, bajamos, ha pasado a, pasó a, pasa a, ha pasado a ser, pasa a ser,
        se ha movido, se aplaza, se adelanta, se retrasa, ha cambiado, ha quedado en, queda en, quedan,
        se ha ampliado, se amplía, cambió a, hasta el, dejé, ya tenemos, al final son, a partir del?,
        vuelve a ser, vendí, vendimos, he vendido, me mudé, nos mudamos
    """,
    corrected="corrección, corrijo, rectifico, quise decir, perdón, estaba mal",
    manner=r"\b(?:tutéame|trátame|llámame|breve\w*|corto|cortas|métric\w+)\b",
    conditions=(
        r"(?:^| )(?:cuando|siempre que|cada vez que|si) (?:yo )?(?:te |me )?(?:pida|pregunte|hable|diga|mencione|mande|"
        r"escriba|busque)s? (?:por |sobre |de |acerca de )?(?P<about>[^,.!?]{2,80})",
    ),
    kinds={
        "rule.lasting": r"\b(?:a partir de ahora|de ahora en adelante)\b",
        "rule.opens": r"^\W*(?:por favor,?\s+)?(?:siempre|nunca|jamás)\b",
        "rule.strong": r"\b(?:siempre|nunca|debe[ns]?|cada vez|prohibido)\b",
        "rule.weak": r"\b(?:regla|norma)\b",
        "procedure.steps": r"\b(?:los pasos|procedimiento)\b",
        "procedure.order": r"\bprimero\b.{1,500}\b(?:luego|después)\b",
        "procedure.goal": r"^\W*para\s+\w+.{0,60}[,:]\s*\S",
        "procedure.acts": r"\b(?:ejecuta|pulsa)\b.{0,500}\b(?:y|luego)\b",
        "preference.states": r"\b(?:prefiere|prefiero|favorit[oa])\b",
        "preference.likes": r"\b(?:me gusta\w*|me encanta\w*|odio|detesto|adora)\b",
        "preference.habit": r"\b(?:suele|suelo)\b",
        "decision.taken": r"\b(?:hemos decidido|decidimos|decidido|acordamos|acordado|elegimos|optamos)\b",
        "decision.switched": r"\b(?:nos quedamos con|cambiamos a)\b",
        "decision.approved": r"\ben lugar de\b",
        "entity.called": r"\bse llama\b",
        "entity.is_ours": r"(?-i:[A-Z][\w-]{1,60}) es (?:mi|nuestr[oa])\b",
        "episode.when": r"\b(?:ayer|la semana pasada|el año pasado|hace \w+ (?:días|semanas|meses|años))\b",
        "episode.verbs": r"\b(?:fui|fuimos|conocí|pasó)\b",
        "fact.about": r"\b(?:me llamo|viv[eo] en|trabaj[ao] (?:en|de|como)|nac[ií]|cumpleaños)\b",
        "fact.is": r"\b(?:es|son|está|tiene|tengo|soy)\b",
    },
    reporting="usuario usuaria prefiere quiere vive trabaja llama",
    injection=(
        phrase(
            "override", 1.0,
            r"\b(?:ignor[ae]\w*|olvid[ae]\w*|descart[ae]\w*|haz caso omiso|omit[ea]\w*)\b[^.\n]{0,40}(?:instruc+iones|"
            r"indicaciones|reglas|órdenes|directrices)\b[^.\n]{0,12}(?:anteriores|previ[ao]s|del sistema)",
        ),
        phrase(
            "order", 0.5,
            r"\b(?:a partir de ahora|de ahora en adelante|en adelante|siempre que (?:te |alguien |el usuario )|"
            r"cada vez que (?:te |alguien |el usuario |pregunt)|desde ahora|cuando (?:el|la|alguien) \w+ pregunt\w+)\b",
        ),
        phrase(
            "concealment", 0.5,
            r"\bno (?:le )?(?:digas|diga|informes|menciones|reveles|avises)\b[^.\n]{0,30}(?:usuari|nadie|cliente|esto)",
        ),
    ),
    similarity=Similarity(
        never=r"\b(?:nunca|jamás|jamas)\b",
        ended=r"\bya no\b|\bdej[éeó] de\b",
        ended_cues="ya deje dejo de",
        concord="nunca jamás jamas sin tampoco",
        opposites=(("odi|detesto", r"\b(?:odio|odia|detesto)\b", " no gusta "),),
        months=(
            "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
            "noviembre", "diciembre",
        ),
        weekdays=("lunes", "martes", "miércoles", "jueves", "viernes", "sábado sábados", "domingo domingos"),
        numbers={
            0: "cero", 2: "dos", 3: "tres", 4: "cuatro", 5: "cinco", 7: "siete", 8: "ocho", 9: "nueve", 10: "diez",
            11: "once", 12: "doce", 20: "veinte",
        },
        units={
            "km": "kilómetros", "h": "horas hora", "min": "minutos", "day": "días", "week": "semanas",
            "month": "meses", "year": "años",
        },
        persons={"first": "yo mi mis nosotros nuestra nuestro", "he": "él", "she": "ella", "they": "ellos ellas"},
        me="yo",
        relations="hermana hermano madre padre esposa esposo amigo jefe hijo hija",
        limits={
            "past": "era tenía",
            "only": "solo sólo excepto salvo",
            "perhaps": "quizás",
            "wanted": "quiero quisiera",
            "if": "cuando mientras aunque",
            "seldom": "veces",
            "nearly": "casi",
        },
        limit_patterns={"perhaps": r"\btal vez\b"},
        limit_cues="vez",
        limiting="primer primera segundo segunda tercer tercera ayer hoy mañana",
        filling=r"\b(?:en realidad|por cierto|de verdad)\b",
        filling_cues="realidad cierto verdad",
        fillers="muchísimo mucho siempre realmente también actualmente ahora llama llamo soy estoy tengo hay los",
        directions="que antes después desde hasta",
        articles="el la los las",
    ),
    questions=Questions(
        earlier=r"\b(?:antes|primero|originalmente)\b",
        past=r"\b(?:era|eran|fue)\b",
        several=r"\b(?:cambiado|historia|entre|en total)\b",
        number=r"\bcuánt[oa]s?\b",
        date=r"\bcuándo\b",
        name=r"\bdónde\b|\bquién\b",
        fact=r"\b(?:qué|cuál(?:es)?)\b",
        rules=r"\b(?:reglas|instrucciones)\b",
        recommendation=r"\b(?:recomi\w+|sugi\w+|sugerencias?)\b",
        polar=r"(?:y )?(?:quieres|quiere|tienes|tiene|es|está|estás|eres|hay|has|ha|debo|debería|vas|va|te gusta)\b",
        oneself=r"\b(?:yo|mi|mis)\b",
        refers=r"\b(?:él|ella|ellos|ellas|eso|esto|ese|esa|aquello|allí|ahí)\b",
        unanswered=r"\bno (?:lo )?sé(?=\W*$|,| (?:cuándo|dónde|quién|cuál)\b)|\bni idea\b"
        r"|\bno tengo (?:esa|ninguna|más) información\b",
        units={"duration": "días semanas meses"},
    ),
    relations=RelationWords(
        changes="""
        ahora ya subido subió bajado bajó cambiado cambié movido aplazado ampliado extendido actualizado
        aumentado reducido pasó últimamente nuevo
        """,
        progress="""
        alcanzado alcancé llegado llegué completado terminado crecido mejorado hasta llevamos llevo
        """,
        goals="meta objetivo quiero queremos espero planeo pienso debería quisiera necesito quizás ojalá",
        undone="necesito voy",
        never="nunca jamás",
        not_="no",
        not_yet="todavía aún",
        events="ayer anoche hoy",
        states="es son soy tengo tiene pago paga cuesta cuestan pesa peso gano",
        several="""
        hermana hermano hijo hija tía tío prima primo sobrina sobrino nieta nieto amiga amigo colega vecina vecino
        compañera compañero perro perra gato gata caballo
        """,
        generic="hacer bien más día semana mes año trabajo tiempo hoy siempre también ayuda proyecto mucho",
    ),
)  # fmt: skip
