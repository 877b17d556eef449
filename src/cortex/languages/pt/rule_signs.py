"""Signs that a Portuguese sentence tells the assistant what to hold to from then on. Most accents are read away."""

from __future__ import annotations

from cortex.languages.signs import word_of

_VERBS = (
    r"(?:(?:(?:me|nos|lhe|se)\s)?(?:(?:acrescent|adapt|adicion|ajud|ajust|anot|apresent|arredond|assinal|avis|bas|busc|"
    r"calcul|cham|cit|coloc|coloqu|comec|coment|compar|confirm|confir|consider|convert|corrig|corrij|cort|cuid|deix|"
    r"descrev|destac|destaqu|dig|divid|economiz|empreg|encurt|envi|escolh|escrev|esper|esquec|evit|explic|expliqu|"
    r"express|fal|format|fic|fiqu|guard|ignor|inclu|indic|indiqu|inform|inici|lembr|lev|limit|list|mand|mantenh|marc|"
    r"marqu|mencion|mostr|mud|numer|omit|organiz|orden|pass|pec|pergunt|ponh|prefir|prioriz|procur|proponh|reescrev|"
    r"refir|regist|registr|remov|repit|reserv|respeit|respond|resum|revis|salt|salv|sej|separ|sig|segu|simplific|"
    r"simplifiqu|sublinh|sugir|suger|tenh|tent|termin|tir|traduz|reduz|transform|trat|troc|troqu|us|utiliz|valid|"
    r"verific|verifiqu|volt)(?:a|e|as|es|am|em|ai)|faz|faca|facam|diz|traduz|reduz|mant[eé]m|poe|propoe|poup[ea]\w?|ve|"
    r"veja|vai|va)(?:-(?:me|nos|[oa]s?|lh?es?|l[oa]s?|n[oa]s|te|se))?|(?:da|de)-(?:me|nos))"
)
_LEAD = (
    r"^[\"«(]?(?:(?:e|mas|olh[ae]|ah|oh|oi|ola|ok|ta|ta bom|bom|bem|entao|por favor|por gentileza|faz favor|"
    r"obrigad[oa]|valeu|alias|a proposito|ja agora|perfeito|otimo|legal|so uma coisa|uma coisa|outra coisa|"
    r"mais uma coisa|tamb[eé]m|sim|nao(?=,)),?:?\s){0,3}"
)
_LASTING = (
    r"(?:sempre|nunca(?: mais)?|jamais|a partir de (?:agora|hoje|ja)|de (?:agora|hoje|ora) em diante|"
    r"daqui (?:em diante|por diante|pr?a (?:a )?frente|para (?:a )?frente)|doravante|no futuro|por (?:padrao|norma|"
    r"regra|defeito)|em geral|(?:toda|cada) vez|todas as vezes|d?as? proximas? vez(?:es)?|sem excec\w+|para sempre|"
    r"em tod[oa]s?)"
)
_MANNER = word_of(r"""
    respostas?, respond(?:a|e|as|es|am|em), portugues, brasileiro, ingles, espanhol, frances, lingua, idioma, emojis?,
    emoticons?, exclamac\w+, marcadores, topicos, listas?, tabelas?, frases?, paragrafos?, titulos?, resum\w+,
    introduc\w+, rodeios, conclus\w+, fontes?, links?, citac\w+, exemplos?, breves?, curt[oa]s?, concis\w+, longo\w*,
    diret[oa]s?, sincer\w+, honest\w+, perguntas?, explicac\w+, expliqu\w+, comentarios?, codigo, variaveis, formato,
    datas?, (?<!nas )horas?, horarios?, numeros?, valores, precos?, iva, reais, euros?, dolares, m[eé]tric\w+, metros,
    quil\w+, gramas, celsius, graus, unidades, decimais, virgulas?, receitas?, sugest\w+, conselhos?, desculpas,
    (?:pedir|pedires|peca\w?) desculpa, elogios?, tom, palavras?, textos?, e-?mails?, mensage\w+, rascunhos?, jargao,
    termos, anglicismos, estrangeirismos, (?<!meu )nomes?, markdown, passos?, negrito, italico, maiusculas?,
    minusculas?, travess\w+, nivel, forma(?:l|is), informa(?:l|is), traduc\w+, calorias
""")
_THIS = (
    r"\b(?:est[ea]s?|ess[ea]s?|isto|isso|aquel[ea]s?|abaixo|acima|aqui|o (?:texto|paragrafo|titulo|e-?mail|primeiro|"
    r"segundo|ultimo)|a (?:primeira|segunda|ultima|lista|carta|frase|tabela)|dois|duas|tres|cinco|dez|"
    r"(?<!com )(?<!ter )(?:um|uma))\b|^(?:faz|faca|pon?[eh]a?|tir[ae]|mud[ae]|troc|corri[gj][ae]|resum[ae]|encurt[ae]|"
    r"traduz\w?)-?l?[oa]s?\b"
)
_ONCE = word_of(r"""
    hoje, amanha, desta vez, dessa vez, por agora, por enquanto, por ora, agora mesmo, agora, ja ja, um momento,
    de novo, outra vez, mais uma vez, depois, logo, mais tarde, excecionalmente, excepcionalmente, rapidinho, esta noite
""")
_REQUEST = (
    _LEAD + r"(?:(?:voce |tu )?(?:me )?(?:pode[s]?|poderia[s]?|podia[s]?|consegue[s]?)|importas-te|da para|"
    r"seria possivel|se importa\w*)\b"
)
_THEN = (
    rf"[,:;]\s(?:e\s|entao\s|por favor,?\s|sempre\s|primeiro\s|so\s){{0,2}}(?:{_VERBS}|nao\s(?:me\s)?(?!\w+o\b)\w+|"
    rf"nunca|nada de|"
    r"sem|quero|chega)\b"
)
_CONDITION = (
    _LEAD + r"(?:quando|sempre que|(?:toda|cada) vez que|todas as vezes que|se|assim que|logo que|antes de|enquanto|"
    r"caso|ao)\s"
)
_SO = rf",\s(?:entao|por isso|portanto|logo|assim)\s(?:\w+\s)?(?:nada|nao(?!\s\w+o\b)|nunca|sempre|so|{_VERBS})\b"
_I_DO = (
    _LEAD + r"(?:(?:eu|nos|nao|sempre|nunca|jamais|cada \w+|tod[oa]s? \w+ \w+|a partir de \w+|ja nao|"
    r"(?:antes|depois) d\w \w+|normalmente),?\s){0,3}(?!quero|prefiro|gosto de que|preciso que|peco|espero|so\b|nao\b|"
    r"como\b|tudo\b|todo\b|quando\b|quanto\b|texto\b|codigo\b|isso\b|isto\b|no\b|do\b|ao\b|o\b)(?:me |te |o |a |"
    r"se )?(?:\w{2,}o|vou|estou|sou|decidi|\w{3,}amos|\w{3,}emos)\s|^(?:se|quando) [^,.?!]{3,40}, (?:eu )?(?!quero|"
    r"prefiro|peco|no\b|so\b|tudo\b|texto\b|formato\b)\w{2,}o\b"
)

RULE_SIGNS = {
    # That it lasts.
    "always": word_of("sempre, (?:toda|cada) vez, todas as vezes, em todas? \\w+, sem excec\\w+, cada, a toda a hora"),
    "never": word_of(
        "nunca, nunca mais, jamais, ja nao, de forma alguma, em caso (?:algum|nenhum), proibid\\w+, nada de, nem pensar"
    ),
    "from now on": word_of(r"""
        a partir de (?:agora|hoje|ja), de (?:agora|hoje|ora) em diante, daqui (?:em|por) diante,
        daqui (?:pr?a|para) (?:a )?frente, doravante, no futuro, d?as? proximas? vez(?:es)?, para sempre, de vez
    """),
    "by default": word_of(r"""
        por padrao, por norma, por regra, por defeito, em geral, de modo geral, por principio, regra, em tod\w+,
        para tod\w+, todo, toda, todos, todas, qualquer, vale para
    """),
    "only": word_of(r"""
        so, somente, apenas, exclusivamente, unicamente, no maximo, maximo, minimo, pelo menos, sem, em vez de,
        ao inv[eé]s, melhor, antes de, primeiro, mais de, a nao ser
    """),
    "only how long": r"^(?:e )?(?:isso |isto )?(?:vale |é )?(?:para |pra )?(?:sempre|nunca(?: mais)?|jamais|"
    r"tod[oa]s? (?:a vez|[oa]s? \w+)|tudo|cada vez|no futuro|em geral|por (?:padrao|norma|regra|defeito)|"
    r"a partir de (?:agora|hoje)|de agora em diante|daqui (?:em diante|(?:pr?a|para) (?:a )?frente)|sem excec\w+|"
    r"as proximas vezes)(?:,? (?:por favor|obrigad[oa]))?[.! ]*$",
    # On what condition.
    "condition": _CONDITION,
    "condition of the user": r"\b(?:quando|(?<!a )(?<!de )se|sempre que|(?:toda|cada) vez que|assim que)\s(?:eu\b|"
    r"(?:te|lhe)\s\w+|nao\s)?\s?(?:\w+(?:ar|er|ir)|\w+o)\b",
    "condition of the assistant": r"\b(?:quando|se|sempre que|caso)\s(?:voce|tu|nao|me)\b|\b(?:quando|se|"
    r"caso)\s(?:nao\s)?\w+(?:eres|ares|ires)\b|\bantes de\s\w+|\bnao (?:souber\w*|sabe[s]?|t(?:em|ens|"
    r"iver\w*) certeza)\b",
    "condition alone": rf"^(?!.*{_THEN})(?={_CONDITION})",
    "kind": _LEAD + r"(?:para|em|com|n[oa]s?|sobre|quanto a|no que toca a|em relac\w+ a|n[oa]s? caso de|de)\s(?!favor|"
    r"agora|enquanto)[^,.:!?]{3,40}(?:,|:)\s",
    # What kind of order it is.
    "order": _LEAD + rf"(?:{_LASTING},?\s)?{_VERBS}\b",
    "order after a clause": _THEN,
    "infinitive order": _LEAD + r"(?:(?:nao|nunca|sempre)\s){0,2}\w{2,}(?:ar|er|ir|or)(?:-\w+)?\s",
    "please": word_of(
        "por favor, por gentileza, faz favor, se faz favor, pode ser, peco-te, peco-lhe, agradeco, te peco"
    ),
    "forbids": _LEAD
    + r"(?:(?:nao|nunca|jamais)\s(?:(?:me|nos|o|a|os|as|lhe|se)\s){0,2}(?!quero|gosto|sei|sou|estou|tenho)\w+(?:e|a|es|"
    r"as|em|am|ar|er|ir)(?:-\w+)?\b|evit\w+|par[ae] (?:com|de)\b|chega|basta|deix[ae] de|nada de|nem um\w?\s|poup\w+|"
    r"proibido|zero\s|menos\s|sem\s)",
    "forbids in a word": _LEAD
    + r"(?:nada de|zero|nenhum\w?|nem um\w?|chega de|basta de|menos|fora|sem)\s(?:[\w-]+\s?){1,4}[.!]*$",
    "no thing": r"\b(?:nada de|nenhum\w?|sem|zero|menos|chega de|basta de)\s(?!duvida|problema|parar|querer|pressa|"
    r"mais|falta)\w+",
    "wants of the assistant": r"\b(?:quero|queria|prefiro|preferia|gostaria|espero|agradeco|agradecia|preciso|peco)\b"
    r"[^.?!]{0,10}\bque (?:voce|tu|me|nao)\b|\bque \w+(?:asses|esses|isses)\b",
    "wish": r"\b(?:quero|queria|gostaria|prefiro|preferia|preferiria|espero|agradec\w+|preciso|peco\S*|gosto|"
    r"seria (?:bom|melhor|[oó]timo|util)|dava jeito)\b[^.?!]{0,30}\b(?:que|se)\b|\bquero (?:[oa]s?|tudo|so)\b",
    "you should": r"\b(?:voce|tu) (?:deve[s]?|pode[s]?|tem|tens|precisa[s]?|nunca|nao|sempre)\b|\b(?:deves|tens de|"
    r"tens que|nao precisas?|nao (?:é|e) preciso|escusas)\b",
    "request": _REQUEST,
    "request for good": rf"^(?=.*\b{_LASTING}\b)(?=.*\b(?:pode[s]?|poderia[s]?|podia[s]?|consegue[s]?|possivel|"
    rf"importa\w*)\b)"
    r".*\?",
    "things must": _LEAD
    + r"(?:tod[oa]s?|qualquer|cada|nenhum\w?|ningu[eé]m|[oa]s?|meus|minhas|que [oa]s?)\s[^,.?!]{2,50}\s(?:deve[m]?|"
    r"tem de|tem que|vao|vai|fiquem?|sejam?|levam?)\s",
    "so": _SO,
    "requires": word_of("deve, devem, tem de, tem que, vai, vao, basta, chega, chegam, fique, fiquem, seja, sejam"),
    # What it is about.
    "manner": _MANNER,
    "opens with manner": rf"{_LEAD}(?:(?:so|sistema|[oa]s?|[oa]s? meus|[oa]s? minhas|as tuas|nada de|tod[oa]s?|sempre|"
    rf"mais|menos|chega de|sem|que|n[oa]s?|em)\s){{0,3}}{_MANNER}",
    "manner alone": rf"^(?!.*\b(?:eu|é|era|esta|sao|tenho|sou|ele|ela|foi)\b)(?!.*{_THIS})(?!.*{_ONCE}).*{_MANNER}",
    "address": r"\b(?:por tu|por voce|de (?:tu|voce|senhor\w?)|trat\w+-me|me trat\w+|me cham(?:a|e|es|em)|"
    r"cham(?:a|e|es|em)-me|apelido|alcunha|pronomes?)\b",
    "me": r"\b(?:me|mim|meus?|minhas?|comigo|nos|noss[oa]s?|eu)\b",
    "you": r"\b(?:tu|(?<!-)te(?!-)|ti|teus?|tuas?|contigo|voce|voces|seus?|suas?|vos)\b|\b\w{3,}(?:asses|esses|"
    r"isses)\b",
    "without me or you": r"^(?!.*\b(?:eu|me|mim|meus?|minhas?|comigo|nos|noss[oa]s?|tu|te|ti|teus?|tuas?|voce)\b)",
    # That it is of one thing or of one time.
    "once": rf"^(?!.*\b{_LASTING}\b).*{_ONCE}",
    "this one": _THIS,
    # That it is no order at all.
    "I do": rf"^(?!.*{_SO})(?={_I_DO})",
    "habit": r"\b(?:sempre|nunca|jamais|cada \w+|normalmente)\s(?:(?:me|o|a)\s)?(?:(?!todo\b|como\b|quando\b)\w{2,}o|"
    r"vou|vi|\w{3,}amos)\b|\b(?:(?!todo\b|como\b|texto\b|codigo\b|nao\b)\w{3,}o|vou|sou|\w{3,}amos)\s(?:sempre|"
    r"nunca)\b|\beu (?:nunca|sempre)\b|\bha (?:anos|meses|muito)\b",
    "to others": r"\b(?:diz-lhe|diga-lhe|diz a[o]?|diga a[o]?|escreve-lhe|pergunta-lhe|avisa-o|avisa-a|lembra-lhe)\b|"
    r"^(?:menin\w+|filh\w+|crianc\w+|pessoal|gente|senhor\w*|amig\w+)\b",
    "I will": r"\b(?:vou|vamos|decidi|pretendo|comeco|penso em|tenciono|planeio|\w{2,}(?:arei|erei|irei))\b",
    "others": word_of(r"""
        (?:meu|minha|o|a|um|uma) (?:mae|pai|avo|chefe|irma|irmao|mulher|marido|prof\w*|m[eé]dic[oa]),
        (?:meu|minha|o|a|um|uma) (?:vizinh[oa]|amig[oa]|colega), ele, ela, eles, elas, a gente, as pessoas, placa,
        cartaz, é preciso, ningu[eé]m, toda a gente, todo mundo, algu[eé]m, se (?:deve|pode|diz)
    """),
    "reports": word_of(r"""
        (?<!, )diz, dizem, diz-se, dizia\w*, disse\w*, segundo, exige, insiste, pediu, mandou, manda, recomendou,
        aconselhou, quer, queria que, repete
    """),
    "asks": rf"^(?!{_REQUEST})(?!.*\b(?:ok|ta|ta bom|esta bem|sim|certo|combinado|pode ser)\s?\?).*\?\s*$",
    "question word": _LEAD
    + r"(?:que horas|o que|como (?:é|e|se|eu|posso|faco)|quando (?:é|e|se)|onde|por ?qu[eê]|quem|qual|quais|"
    r"quant[oa]s?|sera que|é verdade|sabes?|conhece[s]?|voce (?:acha|sabe|conhece)|achas|devo|posso)\b",
    "thanks": word_of(
        r"obrigad[oa](?!\W*$), valeu, perfeito, otimo, excelente, legal, maravilha, k{3,}, ah ?ah\w*, de nada"
    ),
    "exclaims": rf"^(?!.*{_MANNER}).*[!！]",
    "past": r"\b(?<!todo )(?<!cada )\w{3,}(?:ou|aram|eram|iram|ava|avam|ado|ido)\b|\b(?:foi|era|eram|disse|fui|"
    r"fiz|vi|tinha|estava|decidi)\b",
    "cooking": word_of(r"""
        massa, forno, frigideira, panela, ferver, ferve, fogo, lume, cozinhar, cozer, fritar, sal, azeite, oleo,
        farinha, ovos?, manteiga, agua, molho, arroz, mex[ae]\w*, descansar, bateria, aparelho, parafusos?, lavar
    """),
    "saying": word_of(r"""
        digas nunca, desist\w+, sonhos?, corac\w+, coragem, forca, mais vale tarde, antes tarde, na vida, nem a brincar,
        nem morto, acredita, tu consegues
    """),
    "a thing and how": r"^[^,.!?:]{2,40}(?:,|:|\sem|\scom|\ssem|\ssempre|\sso)\s(?!(?:mas|que|porque|quando|e|eu|"
    r"nao)\b)[^,.!?]{2,40}[.!]?$",
    "short": r"^\S+(?:\s\S+){0,2}$",
    "under 9 words": r"^\S+(?:\s\S+){3,7}$",
    "long": r"^\S+(?:\s\S+){18}",
}
