"""What Spanish says where somebody else's words are handed over."""

from __future__ import annotations

from cortex.languages.handover import HandOverWords

HANDOVER = HandOverWords(
    work="""
    correg* correccion* resumen_de parafras* redaccion tono formal formales informal coloquial educado
    cortes natural naturales fluido forzado conciso corto corta mas_corto mas_corta mas_breve breve
    mas_largo mas_claro puntos_clave vinetas suena suenan tiempo_verbal verbal subjuntivo estilo pulir pule
    mejora mejorar mejoralo repas* revis* edita editar profesional sencillo sujeto concordancia
    ideas_principales transcrib* anonimiz* primera_persona pasado compri* amplia* alarga* desarrolla*
    retoca* adapta* perfecciona* embellec* aclara* bien_escrito se_lee se_entiende idea_central esquema
    en_pocas_palabras en_resumen acta levanta convertir pasalo ponlo dilo amable amables tacto diplomatico
    elegante vivo lenguaje_sencillo demasiado_largo demasiado_larga reduc* lista_de ojo vistazo echas echale
    mirarlo leerlo
    """,
    tone="amable amables tacto educado educada cortes suave diplomatico dilo digo",
    rework="""
    traduc* traduzc* resum* reescrib* reformul* corrig* acort* simplific* abrevia* sintesis sintetiz*
    idea_principal de_que_va de_que_trata convierte tercera_persona nativo
    """,
    code="funcion codigo clase consulta formula script prueba metodo",
    flaw="""
    errores faltas fallos errata erratas ortografia ortografico gramatica gramatical tilde tildes coma comas
    puntuacion
    """,
    unit="palabras caracteres frases lineas parrafos vinetas puntos",
    tongue="ingles frances aleman espanol italiano portugues ruso chino japones polaco holandes catalan arabe",
    learn="aprender aprendo ensename explica explicame estudio consejos consejo trucos",
    judge="""
    opinas piensas crees parece opinion valora valorar valores evalua puntua comentarios estafa fiable
    verdad cierto falso real significa quiere_decir quiere responder respondo contesto contestar contesta
    responde digo decir decirle entender entiendo contratar entrevistar nota bien mal convincente ayuda
    ayudame explica mira lee analiza que_le como_le que_hago que_tal vale pena phishing spam creible raro
    que_pone que_quiere contratamos llamamos ponle preguntas tengo_que_hacer fiar preocup*
    """,
    fraud="estafa fiable fiar timo phishing spam falso fraude serio",
    hire="""
    contratar contratarias contratas contratamos candidato candidata aspirante entrevistar entrevistarias
    puesto vacante cargo encaja idoneo idonea oferta rechazar
    """,
    text="""
    texto textos frase oracion parrafo mensaje mensajes correo correos mail email e-mail carta nota
    respuesta articulo publicacion post comentario resena critica pie_de_foto bio biografia borrador ensayo
    redaccion cita extracto fragmento poema discurso documento informe acta declaracion descripcion anuncio
    perfil resumen presentacion introduccion hilo ticket queja reclamacion solicitud carta_de_presentacion
    curriculum cv chat conversacion sms whatsapp audio invitacion diario entrada blog foro linkedin
    instagram facebook reddit grupo deberes ejercicio transcripcion entrevista version letra tuit oferta
    escrito parrafos postal tarjeta cartel aviso folleto nota_de comunicado llamada grabacion pagina web
    boletin circular reunion guia contrato clausula octavilla sermon charla ponencia norma normas algo
    internet podcast video episodio programa
    """,
    this="esto este esta estos estas eso esa ese aqui",
    point="""
    siguiente siguientes abajo arriba adjunto aqui_va aqui_tienes a_continuacion ponlo dejalo hazlo
    traducelo corrigelo resumelo mejoralo reescribelo
    """,
    the="el la los las",
    a="un una unos",
    link="""
    por favor porfa puedes podrias me nos lo la al en a para de y o que un una el los las mas menos muy dos
    tres rapido ahora gracias hay alguna algun algo hazme dame pasame pon ponme ayudame es bien como le te
    se tiene
    """,
    come="""
    recibi recibido llego llegado encontre encontrado vi lei copie copiado pegado reenvio reenviado escribio
    escrito escribir mando mandado envio enviado publico publicado entrego entregado dejo dejado contesto
    dijo dice dicto puso ha_puesto paso pasado de_una de_un de_mi me_acaba salio recorte sacado
    """,
    publish="""
    imprima imprimir imprime publicar publique publica entregar entregue colgar cuelgue subir suba leer_en
    mandar ponerlo usarlo
    """,
    people="""
    hermana hermano madre padre mama papa abuela abuelo hijo hija esposa esposo marido mujer pareja novia
    novio ex tia tio prima primo amiga amigo jefe jefa companero companera vecina vecino casero casera
    profesor profesora profe alumno alumna cliente clienta inquilino inquilina reclutador reclutadora
    candidato candidata aspirante alguien tipo el_chico ella le su sus medico vendedor vendedora desconocido
    autor autora paciente sobrina sobrino suegra cunado cunada usuario usuaria compi colega becario becaria
    estudiante lo_quiere la_quiere suya suegro yerno nuera
    """,
    story="""
    novela cuento historia relato escena guion sketch monologo dialogo personaje protagonista narrador
    narradora heroe heroina villano capitulo rol juego_de_rol fanfic campana cancion letra rap poema comic
    aventura estrofa estribillo teatro thriller partida juego improvis*
    """,
    hero="""
    dragon caballero bruja mago rey reina baron duque pirata capitan vampiro elfo princesa principe
    detective enano tabernero camarero mayordomo emperador comandante
    """,
    opening="""
    arranque empieza empezar comienza comienzo inicio principio primera_frase primera_linea primer_parrafo
    primera_persona fragmento borrador capitulo estrofa monologo dialogo prologo dice habla voz opinas
    parece valores extracto escena sigue
    """,
    goes_on="""
    sigue continua continuar continuacion siguiente_capitulo siguiente_escena sigue_tu prosigue seguir_la
    sigue_con
    """,
    play="""
    tu_eres tu_haces_de tu_seras eres_el eres_la eres_un eres_una juguemos vamos_a_jugar jugamos finge
    haz_de actua hagamos tu_papel interpretas interpreto obra tu_el tu_la escribamos inventemos
    """,
    part="yo_soy yo_el yo_la yo_hago yo_sere yo_un yo_una",
    second="tu",
    create="escribe escribeme redacta redactame crea genera prepara compon inventa imagina piensa",
    answer="respuesta responde contesta contestacion responder contesto respondo contestar",
    that="que si cuando porque",
    own="recuerda anota apunta imagina escucha",
    later="luego manana despues mas_tarde algun_dia a_veces me_dedico",
    recipe="receta recetas manual instrucciones prospecto etiqueta envase letrero caja cartel pantalla pegatina",
    i="yo soy vivo trabajo tengo me mi mis nosotros nuestra nuestro estoy naci somos",
    say="""
    yo soy vivo trabajo tengo me_llamo me_mude me_mudo mi mis naci estoy estudio somos nosotros hola
    estimado estimada querido querida buenas llevo
    """,
    you="""
    tu_resumen tu_respuesta gracias nuestra_conversacion hasta_ahora tu_ultima ultimo lo_que_te lo_que_dije
    correccion estuvo fue recuerda recuerdame para_ti el_resumen la_respuesta la_traduccion
    """,
    talk="""
    por_cierto ademas pd contexto necesito quiero quisiera creo pienso no_se tengo_que debo me_gustaria
    por_favor gracias es_para es_un que_sea hazlo puedes podrias recuerda perdon ah ojo y_yo
    """,
    greet="hola estimado estimada estimados querido querida buenas buenos_dias buenas_tardes",
    relation="""
    marido mujer esposo esposa hermano hermana hijo hija madre padre mama papa companero companera amigo
    amiga jefe novio novia primo prima tia tio vecino vecina abuela abuelo nieto nieta pareja cunado cunada
    suegra sobrino sobrina cuidadora
    """,
    their="su de",
    intro="soy habla escribe aqui le_habla les_habla",
    name="me_llamo mi_nombre",
    typing="""
    escribe escribo escribiendo habla hablando al_teclado tecleando teclea escribo_yo le_escribe te_escribe
    escribo_por tecleo
    """,
    device="teclado portatil movil celular ordenador computadora tableta tablet cuenta chat ordenata",
    away="""
    salido dejado presta prestado prestada fuera duerme durmiendo dormido paso cedo cojo uso usando ha_ido
    se_fue fue abierto abierta ocupado ocupada deja dejo no_esta en_vez bajado salio compra cocina telefono
    reunion duch* cogido conduciendo conduce paseando banandose cocinando trabajando
    """,
    back="otra_vez de_nuevo de_vuelta vuelto volvi soy_yo ya_estoy",
    hands="paso cedo dejo os_dejo te_dejo",
    heading="""
    experiencia educacion formacion idiomas habilidades experiencia_laboral estudios competencias
    referencias aptitudes datos_personales intereses
    """,
)
