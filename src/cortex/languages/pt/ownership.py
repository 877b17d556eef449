"""What Portuguese says around somebody else's words."""

from __future__ import annotations

from cortex.languages.ownership import OwnershipWords

OWNERSHIP = OwnershipWords(
    asks=r"""
    (traduz|traduza|traduzir|traduz-me|traduza-me)
    (corrige|corrija|corrigir|revê|reveja|revisa|revise|revisar|melhora|melhore)
    (resume|resuma|resumir|encurta|encurte|encurtar)
    (reescreve|reescreva|reescrever|reformula|reformule|reformular|parafraseia|parafraseie)
    (responde|responda|responder) (a|à|ao|aos|às)
    (o que|como) (respondo|devo responder) (a|à|ao)
    (escreve|escreva|redige|redija|redigir|dá-me|me dê|prepara) …resposta (a|à|ao|para)
    (como se diz|como digo|como dizer|o que significa|o que quer dizer)
    (está|é|são) (correcta|correto|correta|certo|certa|bem)( escrit[oa])? (est[ea]|isto|isso|a seguinte)
    (est[ea] \w+|isto|isso) (está|é) (correct[oa]|corret[oa]|cert[oa]|bem)
    """,
    leads="""
    (por favor|e|agora|depois|olá|oi|ok|então)
    (me )?(podes|pode|poderias|poderia|consegues|você pode|quero que|preciso que|preciso de)( me| por favor)?
    ajuda-me a
    (me )?ajude a
    """,
    these=r"(isto|isso|est[ea] \w+|ess[ea] \w+|o seguinte( \w+)?|a seguinte( \w+)?)",
    above=r"""
    (o (texto )?acima|o que está acima|(o|a) \w+ acima|o anterior|isto|est[ea] (texto|frase|parágrafo|mensagem))
    """,
    nouns="""
    (texto|frase|oração|parágrafo|mensagem|e-?mail|mail|carta|artigo|comentário|avaliação|rascunho|redação|citação
    |trecho|palavra|linha|poema|documento|página|relatório|nota|entrevista|publicação|receita|manual|resposta)(ns
    |s)?
    """,
    links="(para|em|por|do|da|de|e|no|na|ao)",
    not_texts="(o que (te|lhe|eu|nós) |nossa|conversa|até agora|sempre|cada vez)",
    states=r"""
    (eu|moro|vivo|sou|estou|trabalho|chamo-me|me chamo|meu nome é|o meu nome|tenho|somos|meu \w+ (é|se chama)
    |minha \w+ (é|se chama)|olá|oi|a partir de agora)
    """,
    closes="(por favor|obrigad[oa]|podes|pode|o que achas|o que você acha|está bem|faz)",
    languages="""
    (inglês|alemão|francês|espanhol|italiano|português|holandês|russo|polaco|polonês|turco|chinês|japonês|coreano
    |árabe|latim)
    """,
    works="""
    (tradução|resumo (disto|deste|desta)|ortografia|gramática|correção (de|deste)|o que está errado|encaminhado
    |pontos principais)
    """,
    people="""
    (irmã|irmão|mãe|pai|avó|avô|filh[oa]|mulher|marido|espos[oa]|namorad[oa]|ex|tia|tio|prim[oa]|amig[oa]|chefe
    |colega|vizinh[oa]|senhori[oa]|professora?|cliente|alguém|ele|ela|autora?|usuári[oa])
    """,
    own_frames="""
    ((boas|más) notícias|novidades?|anúncio|lembra|lembre|importante|nota|aviso|a propósito|correção|sobre mim
    |em resumo|para que saibas|como disse|assim
    |para|ps|pergunta|resposta|problema|diz-lhe)
    """,
    received="""
    (aqui está|aqui vai|este é|esta é|isto é|segue|olha|olha o que|lê|veja)( …(o|a|um|uma|este|esta))?
    (recebi|chegou-me|encontrei)( …(este|esta|um|uma|o|a))?
    """,
    wrote="""
    (diz|disse|escreve|escreveu|respondeu|publicou|postou|comentou|mandou|enviou|pergunta|perguntou)( (isto|isso
    |hoje|ontem|no|grupo|o seguinte|me)){0,4}
    """,
    selves="(eu|já|nós|te)",
    salutes=r"(prezad[oa]s?|car[oa]s?|estimad[oa]s?|querid[oa]s?|exm[oa]\.?)",
    greets="(olá|oi|bom dia|boa tarde|boa noite)",
    signs_off="""
    (atenciosamente|cordialmente|com os melhores cumprimentos|melhores cumprimentos|cumprimentos|um abraço|abraços?
    |cordiais saudações|saudações|grato|grata)
    """,
    dialogue="""
    (p|r|pergunta|resposta|entrevistador(a)?|entrevistad[oa]|cliente|agente|médic[oa]|paciente|professor(a)?
    |alun[oa]|eu|tu|você|ele|ela|usuário|utilizador|chefe|mãe|pai)
    """,
    fields=r"""
    (nome|apelido|sobrenome|idade|cidade|país|endereço|morada|rua|trabalho|profissão|empresa|telefone|telemóvel
    |celular|aniversário|altura|peso|alergias?|hobbies|idiomas?|línguas?|família|filhos|animais|data|hora|tema
    |assunto|nota|importante|objetivo|objetivos|plano|problema|solução|passo ?\d*|ingredientes|preparo|preparação
    |preço|exemplo|segunda|terça|quarta|quinta|sexta|sábado|domingo|hoje|amanhã|ontem|almoço|jantar|café|vantagens?
    |desvantagens?|quem|quê|quando|onde|porquê|como|tarefa|dica|correção|regra|regras)
    """,
    plays=r"""
    (vamos|quero|bora|podemos) (jogar|fazer|brincar|começar)( …)?(jogo de papéis|rpg|faz de conta|roleplay
    |interpretação|encenação|teatro|jogo)
    (jogo de papéis|roleplay|faz de conta) ?[:.]
    (finge|finja|imagina|imagine|faz de conta|faça de conta) (que )?(és|é|sou|estamos|estou|você|tu|eu|somos|fosses
    |fosse)
    (tu és|você é|tu serás) …e eu (sou|serei)
    (agora és|agora você é|a partir de agora (és|você é))
    (meu|minha|o meu|a minha) (personagem|protagonista|herói|heroína|avatar|narrador(a)?)( \w+)? (diz|fala|pensa
    |chama-se|se chama|é|conta)
    (o|a) (personagem|narrador(a)?|protagonista) (diz|fala|pensa)
    (escreve|escreva|fala|fale|responde|responda) (\w+ ){0,4}(com a voz de|no estilo de|como se fosses|como se fosse
    |no papel de|do ponto de vista)
    como (um|uma) (pirata|rei|rainha|cavaleiro|mago|bruxa|vampiro)\w* ?:
    (para|no|na) (o |a )?(meu|minha) (romance|conto|história|roteiro|livro|peça|campanha) ?[,:]
    (escreve|escreva|conta|conte|inventa|invente)(-me)? (um|uma) (\w+ ){0,3}(história|conto|poema|cena|monólogo
    |diálogo|canção)
    (monólogo|diálogo|cena|texto) (para|de|do|da) (meu|minha|um|uma|o|a) (personagem|romance|conto|peça)
    era uma vez
    """,
    plays_on="""
    (vamos|quero|bora|podemos) (jogar|fazer|brincar|começar)( …)?(jogo de papéis|rpg|faz de conta|roleplay)
    (tu és|você é|tu serás) …e eu (sou|serei)
    """,
    plays_no_more="""
    (fim|para|pare|paremos|chega|termina|vamos parar) …(jogo|papel|personagem|história|roleplay)
    (fora de personagem|outro assunto|mudando de assunto|de volta à realidade|a sério|falando sério)
    """,
    guests=r"""
    (agora|aqui) (quem )?(escreve|fala|está escrevendo|está a escrever|digita)( agora| aqui)?( é| quem)? (o meu
    |a minha|meu|minha|o|a|@)
    (aqui é|sou|fala) (o|a) (\w+ )?(marido|mulher|esposo|esposa|irmão|irmã|filho|filha|mãe|pai|colega|amigo|amiga
    |chefe|namorad[oa]) (dela|dele|de @|da|do|aqui)
    (o meu|a minha|meu|minha) (\w+ )?(marido|mulher|esposo|esposa|irmão|irmã|filho|filha|mãe|pai|colega|amigo|amiga
    |chefe|namorad[oa])( \w+)? (está escrevendo|está a escrever|escreve agora|está digitando|está no teclado)
    não sou (o |a )?@,? …sou
    (passo|vou passar|deixo|vou deixar) (o|a) (teclado|telemóvel|celular|telefone|chat|palavra) (a|ao|à|para)
    (na conta|no celular|no telemóvel|no computador|com a conta) (de|do|da) (@|meu|minha)
    """,
    asks_for_others=r"""
    (o meu|a minha|meu|minha) \w+( \w+)? (quer|gostaria de|pergunta)( te)?( perguntar| saber| dizer)?( isto
    | o seguinte)?
    """,
    guests_no_more="(sou eu (de novo|outra vez)|voltei|estou de volta|de novo eu)",
    announces="((a|minha) próxima mensagem|o que (vou colar|colar|mandar) (a seguir|agora|depois))",
    is_assistant="""
    como (um|uma)? ?(modelo de linguagem|ia|inteligência artificial|assistente virtual|assistente de ia)
    sou (um|uma|o seu|seu) (ia|inteligência artificial|modelo de linguagem|assistente virtual|assistente de ia
    |assistente digital)
    (em que|como) (mais )?posso (te |lhe )?ajudar
    posso ajudar (em|com) (mais )?(alguma|algo)
    """,
    assistant_opens="""
    (claro|com certeza|certamente|com prazer|boa pergunta|entendido|perfeito)
    aqui (está|estão|tens|vai) (um|uma|o|a|os|as|seu|sua|alguns|algumas)
    """,
    assistant_closes="""
    (avise-me|me avise|diga-me|diz-me|não hesite)
    se (precisar|quiser|precisares|quiseres|tiver)
    (quer que eu|gostaria que|queres que)
    aqui (está|estão|tens|vai) (um|uma|seu|sua|alguns|algumas)
    """,
    known_by="você|isto|este|não|uma|eu|moro|trabalho|chamo|meu|minha",
    into="para o|para|em|a",
    please="por favor",
    my="meu|minha",
    i="eu",
    first_person="eu|meu|minha|moro|sou|trabalho|tenho|chamo-me",
    speech="você",
    opens_with_i="eu|sou|moro",
    speaks="tenho",
    to_me="mim",
    recipient="para",
    third_person="ele|ela",
    own="próprio|própria|eu mesm[oa]",
    authors="escrevi|(?:vou|quero) (?:mandar|enviar|dizer|publicar|postar)",
    for_mine="(?:para|na|no|a) (?:o |a )?(?:meu|minha)",
    introduces_loosely="[Ss]ou",
    names_self="me chamo",
    closings="abraços",
    this="isto",
    what="o que",
    pieces="trecho|citação",
    asides="a propósito|aliás",
    frame_leads="e|o",
    below="abaixo",
    got="recebi|encontrei|li",
    said_so="disse",
    cast="personagem|herói|moro|sou|trabalho",
    forwarded="mensagem (?:encaminhada|original)",
    mail_on="em",
    mail_wrote="escreveu",
    mail_from="de",
    mail_subject="assunto",
    mail_headers="para|data|enviado",
)
