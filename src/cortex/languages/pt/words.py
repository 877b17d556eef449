"""Portuguese: its words."""

from __future__ import annotations

from cortex.languages.words import Questions, RelationWords, Similarity, Words, phrase

WORDS = Words(
    lang="pt",
    order=90,
    stop_words="""
ao aos da das de do e ela ele eles em entre essa esse esta este eu foram isso isto ja la lhe mais mas meu minha muito
na nas nao nem no nos o onde os ou para pela pelo por porque qual quais quando quanto quantos que quem se sem ser seu
sua suas seus sao tambem te tem um uma voce
    """,
    small_talk="""
    oi olá ola sim não nao ok beleza valeu obrigado obrigada brigado brigada legal ótimo otimo perfeito show
    certo tchau fixe claro
    kkk kkkk rsrs
    """,
    small_talk_phrases="""
    bom dia, boa tarde, boa noite, muito obrigado, muito obrigada, tudo bem, tudo certo, de nada, até logo,
    até mais, sem problema,
    sem problemas, está bem, tá bom, que bom, entendi, com certeza, valeu mesmo
    """,
    changed=r"""
        agora, já não, não \w+ mais, mudou, mudei, mudamos, passou a, passou para, subiu, baixou, aumentou,
        diminuiu, caiu, adiad[oa],
        remarcad[oa], antecipad[oa], transferid[oa], em vez de, em lugar de, no lugar de, deixei de, parei de,
        novo, nova, a partir de,
        substituíd[oa], trocou, troquei, trocamos, vendi, vendemos, vendid[oa]
    """,
    corrected="correção, corrigindo, retificando, me enganei, enganei-me, quis dizer, queria dizer, erro meu",
    takes_back="não|nao",
    manner=r"\b(?:em português|em inglês|breve\w*|curt[oa]s?|concis\w*|métric\w+|trate-me|trata-me)\b",
    conditions=(
        r"(?:^| )(?:quando|sempre que|toda vez que|se) (?:eu )?(?:te |me )?(?:pedir|perguntar|falar|escrever|mandar|"
        r"procurar|mencionar) (?:por |sobre |de |um |uma )?(?P<about>[^,.!?]{2,80})",
    ),
    kinds={
        "rule.lasting": r"\b(?:a partir de agora|de agora em diante|daqui (?:pra|para a) frente)\b",
        "rule.opens": r"^\W*(?:por favor,?\s+)?(?:sempre|nunca|jamais)\b",
        "rule.strong": r"\b(?:sempre|nunca|deve[m]?|toda vez|proibido|obrigatório)\b",
        "procedure.order": r"\bprimeiro\b.{1,500}\b(?:depois|em seguida)\b",
        "preference.states": r"\b(?:prefiro|prefere|preferid[oa]|favorit[oa])\b",
        "preference.likes": r"\b(?:gosto|gosta|adoro|adora|odeio|detesto)\b",
        "decision.taken": r"\b(?:decidi|decidimos|decidido|escolhemos|optamos|combinamos)\b",
        "entity.called": r"\bse chama\b",
        "episode.when": r"\b(?:ontem|semana passada|ano passado|há \w+ (?:dias|semanas|meses|anos))\b",
        "fact.about": r"\b(?:me chamo|meu nome|moro em|trabalho (?:em|como|na|no)|nasci|aniversário)\b",
        "fact.is": r"\b(?:é|são|está|tem|tenho|sou)\b",
    },
    reporting="utilizador usuário prefere gosta quer mora trabalha",
    injection=(
        phrase(
            "override",
            1.0,
            r"\b(?:ignor[ae]\w*|desconsider[ae]\w*|esque[cç]\w*|descart[ae]\w*|omit[ea]\w*)\b[^.\n]{0,40}"
            r"(?:instruções|regras|ordens|diretrizes)\b[^.\n]{0,12}(?:anteriores|prévi[ao]s|do sistema)",
        ),
        phrase("order", 0.5, r"\b(?:a partir de agora|de agora em diante|sempre que|toda vez que)\b"),
        phrase("concealment", 0.5, r"\bnão (?:diga|conte|mencione|revele)\b[^.\n]{0,30}(?:usuári|ninguém)"),
    ),
    similarity=Similarity(
        never=r"\b(?:nunca|jamais)\b",
        ended=r"\bnão \w+ mais\b|\bjá não\b",
        ended_cues="mais",
        concord="não nem sem nunca",
        months=(
            "janeiro",
            "fevereiro",
            "março",
            "abril",
            "maio",
            "junho",
            "julho",
            "",
            "setembro",
            "outubro",
            "novembro",
            "dezembro",
        ),
        weekdays=("segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo"),
        numbers={
            2: "dois duas",
            3: "três",
            4: "quatro",
            6: "seis",
            7: "sete",
            8: "oito",
            9: "nove",
            10: "dez",
            12: "doze",
            20: "vinte",
        },
        units={"day": "dia dias", "week": "semana", "month": "mês", "year": "anos ano"},
        persons={"first": "eu meu minha meus minhas nosso nossa", "he": "ele", "she": "ela", "they": "eles elas"},
        me="eu",
        relations="irmã irmão mãe pai esposa marido filho filha amigo amiga chefe vizinho vizinha",
        limits={"past": "tinha", "only": "só somente apenas exceto", "perhaps": "talvez", "if": "quando"},
        filling=r"\b(?:na verdade|de facto|de fato|afinal)\b",
        filling_cues="verdade facto fato afinal",
        fillers="muito também sempre atualmente agora sou tenho chamo realmente",
        directions="antes depois",
        articles="o a os as um uma",
    ),
    questions=Questions(
        earlier=r"\b(?:antes|originalmente|antigamente)\b",
        number=r"\bquant[oa]s?\b",
        date=r"\bem que dia\b",
        name=r"\bonde\b|\bquem é\b",
        fact=r"\b(?:qual|quais)\b",
        rules=r"\b(?:regras|instruções)\b",
        recommendation=r"\b(?:recomend\w+|sugir\w+|sugest\w+)\b",
        polar=r"(?:e )?(?:você (?!pode)|quer|queres|tem|tens|é|está|estás|há|devo|vai|vais)\b",
        oneself=r"\b(?:eu|meu|minha)\b",
        refers=r"\b(?:eles?|elas?|isso|isto|aquilo|lá)\b",
        unanswered=r"\bnão (?:o )?sei(?=\W*$|,| (?:quando|onde|quem|qual)\b)|\b(?:nenhuma|sem) ideia\b"
        r"|\bnão tenho (?:essa|nenhuma) informação\b",
    ),
    relations=RelationWords(
        states="é são sou tenho tem pago paga custa custam pesa peso ganho",
        several="""
        irmã irmão filho filha tia tio prima primo sobrinha sobrinho neta neto amiga amigo colega vizinha vizinho
        cachorro cachorra cão gato gata cavalo
        """,
    ),
)
