"""Portuguese, of Brazil and Portugal. Accents are read away, but for é, which is a word of its own."""

from __future__ import annotations

from cortex.languages.families import families, phrase_of, plain, request_of
from cortex.languages.pack import Pack
from cortex.languages.pt.rule_signs import RULE_SIGNS
from cortex.languages.pt.words import WORDS
from cortex.languages.signs import any_of, failing, opening, weigher, word_of

_PLAIN = plain("áâãàa", "êe", "íi", "óôõo", "úüu", "çc")
_ADV = (
    r"(?:(?:tamb[eé]m|sempre|agora|atualmente|ja|ainda|realmente|muito|mesmo|so|apenas|bem|geralmente|"
    r"normalmente|costumo|"
    r"finalmente|hoje em dia|desde \w+ \w+|desde \d{4}|mais|bastante|principalmente|nao|nunca|mal|adoro|la|aqui)\s+)*"
)
_KIN = (
    r"(?:irma(?:o|s|os)?|mae|pai|mulher|marido|esposa|esposo|namorad[oa]|companheir[oa]|noiv[oa]|filh[oa]s?|beb[eé]|"
    r"avos?|pais|ti[oa]s?|prim[oa]s?|sobrinh[oa]s?|sogr[oa]s?|cunhad[oa]s?|vizinh[oa]s?|chefe|patrao|gerente|gestora?|"
    r"colegas?|professora?|m[eé]dic[oa]|dentista|senhori[oa]|psicolog[oa]|treinadora?|cachorr[oa]s?|cao|caes|cadela|"
    r"gat[oa]s?|coelho|cavalo|net[oa]s?|melhor amig[oa]|amig[oa]s?|soci[oa]|orientadora?|diretora?|gemeos|gemeas|"
    r"criancas|familia|papagaio|advogad[oa]|colega de (?:quarto|trabalho))"
)
_MONTH = r"(?:janeiro|fevereiro|marco|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro)"
_DAY = r"(?:segunda|terca|quarta|quinta|sexta)(?:-feira)?s?|sabados?|domingos?"
_DATE = (
    rf"(?:(?:{_DAY})(?:,?\s+(?:dia\s+)?\d{{1,2}})?(?:\s+de\s+{_MONTH})?(?:\s+(?:que vem|de manha|a tarde|a noite))?|"
    rf"(?:dia\s+)?\d{{1,2}}[º°]?\s+de\s+{_MONTH}(?:\s+de\s+\d{{4}})?|dia\s+\d{{1,2}}|"
    rf"\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?|(?:inicio|meados|fim|final) de {_MONTH}|{_MONTH}(?:\s+de\s+\d{{4}})?|"
    r"\d{1,2}\s?h(?:\s?\d\d)?\b|\d{1,2}:\d\d|20\d\d|(?:na\s+)?(?:proxima semana|semana que vem)|mes que vem|"
    r"ano que vem)"
)
_NAME = r"(?-i:[A-Z][\w'-]*(?:\s+(?:[A-Z][\w'-]*|da|de|do|dos))*)"
_ONE_NAME = rf"(?:{_NAME}|[\w-]+)"
_THING = r"(?P<thing>(?:[oa]s?|(?:[oa]s?\s+)?(?:meus?|minhas?|nossos?|nossas?))\s[^,;.!?\n]{2,50}?)"
_IS = r"(?:é|eh|sao|fica|ficou|esta)"
_NUM = r"(?:R?\$\s?)?\d+(?:[ .,\u202f]\d{3})*(?:[.,]\d+)?"
_UNIT = (
    r"(?:\s?(?:%|€|reais|euros?|dolares|ms|segundos?|minutos?|horas?|dias?|semanas?|mes(?:es)?|kg|quilos?|km|gb|mb|tb|"
    r"por cento|usuarios|utilizadores|pessoas|palavras|paginas|clientes|mil(?:hoes)?|assinantes|inscritos|alunos|"
    r"funcionarios|m2|linhas|pedidos|membros)\b|\s?[%€])?"
)
_I = r"(?:eu\s+|a gente\s+|nos\s+)?(?:nao\s+)?"
_ILL = (
    r"(?:al[eé]rgi\w+|al[eé]rgic[oa]|intoleran\w+|diab[eé]t\w+|asma\w*|celiac[oa]|vegetarian[oa]s?|vegan[oa]s?|gravida|"
    r"daltonic[oa]|canhot[oa]|enxaquecas?|epilep\w+|hipertens\w+|pressao alta|artrose|artrite|dislexi\w+|tdah|phda|"
    r"insulina|marca-?passo|lactose|gluten|antidepressivos?|aparelho auditivo|anticoagulante\w*|surd[oa]|deficien\w+|"
    r"escoliose|eczema|endometriose|depressao|tireoide|tiroide|colesterol|anemia|insonia|apneia|protese|h[eé]rnia|"
    r"cadeira de rodas|autis\w+|fobia\w*|rinite|sinusite|psoriase|fibromialgia|celiaca)"
)
_JOB = (
    r"(?:enfermeir[oa]|m[eé]dic[oa]|professora?|prof|engenheir[oa]|desenvolvedora?|programadora?|advogad[oa]|"
    r"contadora?|contabilista|arquitet[oa]|cozinheir[oa]|padeir[oa]|jornalista|designer|veterinari[oa]|dentista|"
    r"farmaceutic[oa]|vendedora?|garcom|garconete|motorista|mecanic[oa]|eletricista|encanadora?|canalizadora?|"
    r"marceneir[oa]|carpinteir[oa]|cabeleireir[oa]|agricultora?|tradutora?|chefe de \w+|consultora?|secretari[oa]|"
    r"fotograf[oa]|artista|music[oa]|estudante|doutorand[oa]|estagiari[oa]|aprendiz|fisioterapeuta|bombeir[oa]|"
    r"policial|policia|bibliotecari[oa]|educadora?|diretora?|gerente|assistente|t[eé]cnic[oa]|pesquisadora?|"
    r"investigadora?|psicolog[oa]|aposentad[oa]|reformad[oa]|florista|analista|freelancer|autonom[oa]|confeiteir[oa]|"
    r"redatora?|int[eé]rprete|funcionari[oa] public[oa]|costureir[oa]|pedreir[oa]|cientista|corretora?|nutricionista|"
    r"guia|coordenadora?|pasteleir[oa])"
)
_LANG = (
    r"(?:ingles|espanhol|alemao|italiano|frances|russo|arabe|chines|mandarim|japones|coreano|holandes|"
    r"neerlandes|polones|polaco|turco|catalao|galego|grego|"
    r"sueco|portugues|crioulo|guarani|libras|lingua (?:de sinais|gestual)|hebraico)"
)
_DO = (
    r"(?:respond[ae]m?|escrev[ae]m?|us[ae]m?|utiliz[ae]m?|d[ae]|de-me|me de|coloqu?[ae]|ponha|poe|fac[ao]|"
    r"faz(?! \S+ (?:semanas?|mes(?:es)?|anos?|dias?))|cham[ae]|trat[ae]|evit[ae]|mantenha|mantem|adicion[ae]|"
    r"indiqu?[ae]|indica|cit[ae]|verifiqu[ae]|verifica|pergunt[ae]|avis[ae]|sugir[ao]|sugere|envi[ae]|mand[ae]|fal[ae]|"
    r"empregu?[ae]|esquec[ae]|esquece|par[ae]|comec[ae]|termin[ae]|assin[ae]|limit[ae]|traduz[ao]?|convert[ae]|"
    r"mostr[ae]|expliqu[ae]|explica|recomend[ae]|aconselh[ae]|resum[ae]|format[ae]|coment[ae]|confirm[ae]|seja|sê|"
    r"deix[ae]|apresent[ae]|inclu[ai]|toqu[ae]|mex[ae]|apagu[ae]|apaga|compartilh[ae]|agend[ae]|marqu[ae]|reserv[ae]|"
    r"compr[ae]|publiqu[ae]|propo(?:nha|e))(?:-\w+)?"
)
_PLEASE = r"(?:(?:por favor|pfv|e|mas),?\s+)?"
_ONCE = (
    r"\b(?:desta vez|dessa vez|por enquanto|para (?:este|esta|esse|essa)|neste (?:texto|email)|"
    r"nesse texto|hoje|agora mesmo|deixa pra la|nao se preocupe|nao esqueca)\b"
)
_DONT = r"(?:nao|nunca|jamais)"

_RULES = families(
    {
        "rule.from_now_on": rf"{_PLEASE}(?:a partir de (?:agora|hoje)|de agora em diante|daqui (?:pra|para a) frente|"
        r"daqui em diante|doravante|no futuro|por padrao|por defeito|como regra|nas (?:tuas|"
        r"suas) respostas)[,:]?\s+(?!(?:eu|a gente|nos|meu|minha|o|a|os|as|moro|trabalho|tenho|vou|sou|estou)\b).{4,}",
        "rule.when": (
            r"(?:quando|sempre que|toda vez que|cada vez que|se)\s+(?:eu|voce|tu)?\s?(?:te\s+|lhe\s+|me\s+)?(?:pedir|"
            r"perguntar|falar|escrever|mandar|enviar|disser|procurar|mencionar|quiser|resumir|redigir|responder|"
            r"sugerir|traduzir|explicar|planejar|planear|corrigir|recomendar|colar|marcar|pedires|escreveres|"
            r"respondere?s|sugerires|recomendares)\w*\b[^,.!?\n]{0,60},\s*.{4,}",
            r",\s*(?:eu|a gente|nos|ele|ela|isso|é(?! sempre))\b",
        ),
        "rule.always": (
            rf"{_PLEASE}(?:me\s+)?{_DO}\s+(?:[^\s.!?]+\s+){{0,9}}?(?:sempre|nunca|jamais|toda vez|todas as vezes|"
            r"sem excecao|daqui (?:pra|para a) frente|a partir de agora|so em|apenas em|somente)\b.*|"
            rf"{_PLEASE}{_DONT}\s+(?:mais\s+)?(?:me\s+|nos\s+|o\s+|a\s+)?(?:{_DO}|\w+(?:es|as))\s.{{3,}}|"
            rf"{_PLEASE}(?:sempre|nunca|jamais)\s+(?:me\s+)?{_DO}\s.{{3,}}|{_PLEASE}(?:evit[ae]|par[ae] (?:de|com)|"
            r"chega de|nada de)\s.{4,}|sem\s+(?:emojis?|listas?|jargao|anglicismos|desculpas|enrolacao|markdown|"
            r"negrito|girias|tabelas)\b.*|(?:trate|trata|chame|chama)-?me\s+por\s.{2,}|(?:seja|sê|"
            r"se)\s+(?:\w+\s+)?(?:brev\w*|concis[oa]|diret[oa]|precis[oa]|educad[oa]|honest[oa]|formal|sucint[oa]|"
            r"objetiv[oa])\b.*|(?:quero|prefiro|gostaria) que (?:voce|tu)\s.{5,}",
            _ONCE + r"|^nunca (?:mais )?(?:fui|vi|comi|tive|estive|usei|tinha|gostei|consigo|sei|soube|pensei)\b|"
            r"^nao (?-i:[A-Z])",
        ),
        "rule.order": (
            r"(?:quero|prefiro|gostaria de) (?:[ao]s |suas |tuas )?(?:respostas|resumos|explicacoes|textos)\s.{3,}|"
            r"(?:em vez de|ao inves de|antes de|melhor que) \w+r\b[^,.!?\n]{0,40}, (?:me )?(?:diz|diga|fala|fale|"
            r"pergunta|pergunte|avisa|avise|admite|admita)\b.*|(?:respostas|resumos|explicacoes|listas|e-?mails|"
            r"textos),? (?:sempre )?(?:em|com|de|sem) (?:[^\s,.!?]+ ){0,4}(?:[^\s,.!?]*(?:linhas?|palavras?|frases?|"
            r"curt|brev)[^\s,.!?]*)[.!]?\s*$",
            _ONCE,
        ),
        "rule.call_me": rf"{_PLEASE}(?:(?:me cham[ae]|cham[ae]-me|pode[s]? me chamar|pode[s]? chamar-me|"
        rf"podem me chamar|trat[ae]-me)\s+(?:so\s+|apenas\s+|simplesmente\s+)?(?:de|por)?\s*)(?P<value>{_ONE_NAME}).*",
        "rule.must": (
            r"(?:tod[oa]s?|cada|nenhum[a]?|ningu[eé]m|nada|so|somente)\s[^,;.!?\n]{2,60}?\s(?:deve[m]?|tem (?:de|que)|"
            r"pode[m]?|precisa[m]?|entra|vai|sobe)\s.{3,}|(?:é preciso|tem que|deve-se|nao se deve|"
            r"nao se pode)\s+(?:sempre|nunca)?\s?.{4,}|(?:a|nossa|uma) regra(?:\s\w+){0,3}\s?(?:é|:)\s?.{4,}|"
            r"(?:é )?(?:proibido|obrigatorio)\s.{3,}",
            r"\b(?:tudo (?:bem|certo)|eu tenho)\b",
        ),
        "procedure": (
            r"para\s+[^.!?\n]{3,60}?,\s*(?:é preciso|basta|primeiro|rode|abra|aperte|execute|faca|comece|"
            r"a gente|tem que)\b.{5,}|primeiro\b.{3,}\b(?:depois|em seguida|"
            r"entao|por fim)\b.{3,}|(?:os passos|o procedimento|o passo a passo)\b[^.!?\n]{0,50}(?::|sao|é|,).{5,}",
            r"\b(?:pode me|me ajud|gostaria|queria)\b",
        ),
        "negation": (
            r"(?:eu\s+|a gente\s+|nos\s+)?(?:ja\s+)?nao\s+(?:me\s+|nos\s+)?[\wé]+\s+(?:[^\s.!?]+\s+){0,4}?mais\b.*|"
            r"(?:eu\s+|a gente\s+|nos\s+)?ja nao\s+(?!sei|aguento|consigo|lembro)[\wé]+\s.{2,}|(?:eu\s+)?(?:deixei|"
            r"parei|larguei|desisti|deixamos|paramos|vendi|vendemos|cancelei|cancelamos|sai|saimos|abandonei)\s+(?:de|"
            r"com|do|da|o|a|os|as|meu|minha)\s.{2,}|(?:o|a|meu|minha|o meu|a minha|nosso|"
            r"nossa)\s[^,;.!?\n]{2,40}?\s(?:ja\s+)?nao\s+(?:se\s+)?[\wé]+\s+mais\b.*",
            r"\b(?:aguento mais|sei mais|lembro mais|consigo mais|entendo mais|quero mais|funciona mais|liga mais|"
            r"abre mais|posso mais|mais nada|mais tarde)\b|\bmais\s[^.!?]{1,30}\s(?:que|do que)\b",
        ),
        "decision": (
            r"(?:eu\s+|a gente\s+|nos\s+|o time\s+|a equipe\s+|a equipa\s+|a diretoria\s+|o grupo\s+)?(?:ja\s+|"
            r"finalmente\s+)?(?:decidi|decidimos|decidiu|escolhi|escolhemos|escolheu|optei|optamos|optou|definimos|"
            r"definiu|combinamos|combinei|acordamos|fechamos (?:com|que)|resolvi|resolvemos|resolveu|votamos|"
            r"ficou (?:decidido|definido|combinado|acordado))\b.*|(?:vamos|vou)\s+(?:de|ficar com|com|focar em|"
            r"focar n[oa]|engavetar|priorizar|abandonar|apostar em|usar|adotar|manter|migrar para|mudar para)\s.{3,}|"
            r"(?:decisao|ta decidido|esta decidido|foi decidido)(?: tomada)?\s?[:,]?\s.{3,}",
            r"\b(?:ainda nao|hoje a noite|de onibus|de carro|de uber|de metro|agora)\b|\bcom (?:calma|voce)\b",
        ),
        "fact.name": (
            r"(?:eu\s+)?(?:me chamo|chamo-me|meu nome(?: completo)? (?:é|eh)|o meu nome (?:é|eh)|"
            rf"sou [oa](?=\s(?-i:[A-Z])))\s+(?P<value>{_ONE_NAME}).*|"
            r"(?:eu )?sou\s+(?P<value2>(?-i:[A-Z][a-z]+))(?=\s*[,.!]|$|\s+e\b).*",
            r"",
        ),
        "fact.home": (
            rf"(?:eu\s+|a gente\s+|nos\s+)?{_ADV}(?:moro|moramos|mora|vivo|vivemos|vive|resido|estou morando|"
            r"estamos morando|estou a viver|me mudei|acabei de me mudar|acabamos de nos mudar|mudei-me|mudei|"
            r"nos mudamos|mudamo-nos|mudamos|vou me mudar|vamos nos mudar|"
            rf"se mudou)\s+{_ADV}(?:[^.!?]{{0,20}}?\s)?(?:em|no|na|nos|para o|para a|para|pra|pro|"
            r"perto d[eoa])\s+(?P<value>[\w'-]+(?:\s(?:(?-i:[A-Z])[\w'-]*|de|do|da|dos)(?=\s|[,.!]|$))*).*",
            r"\b(?:de ideia|de assunto|de opiniao|de emprego)\b",
        ),
        "fact.from": (
            r"(?:eu\s+)?(?:sou|venho)\s+(?:natural\s+)?(?:de|do|da|dos)\s(?!(?:acordo|opiniao|boa|confianca)).{2,}|"
            r"(?:eu\s+)?(?:nasci|cresci|fui criad[oa])\s.{3,}|(?:eu\s+)?sou\s+(?:brasileir|portugues|angolan|"
            r"mocambican|mineir|carioc|paulist|gauch|baian|cearens)\w*\b.*",
            r"\bde (?:esquerda|direita)\b",
        ),
        "fact.age": (
            r"(?:eu\s+)?(?:tenho|fiz|faco|vou fazer|completo|completei)\s+(?:quase\s+|agora\s+|"
            r"ja\s+)*(?P<value>\d{1,3})\s+anos\b(?!\s+de).*",
            r"\banos (?:de|em|na|no)\b",
        ),
        "fact.birthday": r"(?:o\s+)?meu aniversario (?:é|eh|cai)\s+(?:em\s+|no\s+|"
        rf"dia\s+)*(?P<value>\d{{1,2}}\s+de\s+{_MONTH}).*|(?:eu )?(?:nasci|faco (?:anos|aniversario))\s+(?:em\s+|no\s+|"
        rf"a\s+|dia\s+)*(?P<value2>\d{{1,2}}\s+de\s+{_MONTH}(?:\s+de\s+\d{{4}})?).*",
        "health": r"(?:eu\s+)?(?:nao\s+)?(?:sou|tenho|estou|sofro|tomo|uso|posso|tolero|como|fui|convivo|"
        rf"faco)\b[^,.!?]{{0,40}}?\b{_ILL}\b.*|(?:fui|me) (?:diagnosticad[oa]|operad[oa]|"
        r"diagnosticaram|operaram)\b.*|(?:eu )?(?:quebrei|fraturei|rompi) (?:o|a)\s.*|"
        r"(?:eu\s+|a gente\s+)?nao\s+(?:posso|podemos|pode)\s+(?:comer|beber|tomar)\s.{2,}",
        "health.theirs": r"(?:[oa]s?\s+)?(?:meus?|minhas?|nossos?|"
        rf"nossas?)\s+(?P<whose>{_KIN})(?:,?\s+{_NAME},?)?\s+[^.!?\n]{{0,30}}?\b{_ILL}\b.*",
        "health.diet": (
            r"(?:eu\s+|a gente\s+|nos\s+)?(?:nao|nunca|so)\s+(?:mais\s+)?(?:como|comemos|come|bebo|"
            r"bebemos|beb[eé]|fumo|fumamos|consumo)\s.{2,}",
            r"\b(?:hoje|ainda|como (?:fazer|se|é))\b",
        ),
        "preference.favourite": r"(?:[oa]s?\s+)?(?:meus?|minhas?)\s+(?P<thing>[\w -]{2,30}?)\s+(?:favorit[oa]s?|"
        r"preferid[oa]s?)\s+(?:é|eh|sao|continua sendo)\s+(?P<value>[^,;.!?\n]{2,60}).*",
        "preference": (
            r"(?:eu\s+|a gente\s+|nos\s+|ca entre nos,?\s+)?(?:nao\s+|sempre\s+|realmente\s+|tamb[eé]m\s+|"
            r"ja\s+)*(?:prefiro|preferimos|prefere|gosto|gostamos|gosta|adoro|adoramos|amo|amamos|odeio|odiamos|"
            r"detesto|detestamos|curto|evito|evitamos|aprecio|suporto|aguento)\b(?!\s+(?:isso|disso|da ideia|muito|"
            r"demais)?\s*[.!]?$).{2,}|(?:eu\s+)?(?:nao\s+)?sou\s+(?:\w+\s+)?(?:fa|apaixonad[oa]|viciad[oa]|chegad[oa]|"
            r"do tipo|mais de|louc[oa] por|amante|muito de)\b.*|(?:tenho|morro de|sinto) (?:horror|pavor|nojo|um fraco|"
            r"paixao|preguica|medo)\s+(?:a|de|por|ao)\s.{2,}|nao (?:tem|ha) nada (?:melhor|como)\s.{3,}",
            r"\b(?:gosto|adoro|amo|gostei|prefiro)\s+(?:d?est[ea]|d?ess[ea]|d?isso|d?isto|da (?:ideia|sua|"
            r"tua|primeira|segunda)|a (?:primeira|segunda|opcao)|do seu|o (?:primeiro|segundo))\b|"
            r"\b(?:desta vez|hoje|agora)\b|^amo\s?[.!]|aguento (?:mais|a)\b",
        ),
        "person.name": rf"(?:[oa]\s+)?(?:meu|minha|nosso|nossa)\s+(?P<whose>{_KIN})\s+(?:se chama|chama-se|"
        rf"é [oa](?=\s(?-i:[A-Z])))\s+(?P<value>{_ONE_NAME}).*",
        "person.is_my": (
            rf"(?:[oa]\s+)?(?P<name>{_NAME})\s+(?:é|eh|sao)\s+(?:[oa]\s+)?(?:meu|minha|meus|nosso|nossa|nov[oa]|"
            rf"responsavel|quem|que)\s.{{2,}}|(?:[oa]\s+)?(?P<name2>{_NAME})\s+(?:cuida|gerencia|gere|dirige|lidera|"
            r"coordena|mantem|toca|assumiu)\s.{3,}|quem (?:cuida|lidera|coordena|gerencia|manda|toca|"
            r"gere)\s.{3,60}?(?:é|sao)\s.{2,}|(?:[oa] nome d?(?:ele|ela|eles|elas) (?:é|ficou)|(?:ele |ela )?se chama|"
            rf"chama-se|demos o nome de|batizamos(?:\s[^,.!?]{{2,20}})?\sde)\s+{_NAME}.*",
            r"^(?:Este|Esta|Esse|Essa|Isso|Isto|Ele|Ela|O que|Aquilo|Um|Uma|Voce|Eu)\b|\b(?:favorit|"
            r"preferid|problema|culpa)",
        ),
        "person.my": (
            r"(?:[oa]s?\s+)?(?:meus?|minhas?|nossos?|"
            rf"nossas?)\s+(?P<whose>{_KIN})\b(?:,?\s+{_NAME},?)?\s+(?:[^\W\d_]+\s+)?.{{3,}}",
            r"\b(?:diz|disse|falou|perguntou|escreveu|comentou|disseram|acha|pensa|quer que|me (?:pediu|contou|mandou|"
            r"disse|falou)|esta (?:atrasad|aqui|doente|irritad|brav)\w*|chegou|me ligando|esperando|dormindo|chorando|"
            r"te manda|insiste|jura|garante|sustenta|afirma)\b|\b(?:hoje|agora|como|por que)\b",
        ),
        "person.have": r"(?:eu\s+|a gente\s+|nos\s+)?(?:tenho|temos|tem|adotei|adotamos|adotou|ganhei|ganhamos|"
        r"estou esperando|estamos esperando|esperamos|comprei|compramos)\s+(?:um|uma|dois|duas|tres|quatro|cinco|"
        r"\d+)\s+(?:\w+\s+)?(?:filh[oa]s?|irma(?:o|s|os)?|cachorr[oa]s?|cadela|caes|cao|gat[oa]s?|gatinh[oa]s?|"
        r"coelhos?|papagaio|galinhas?|cavalos?|tartarugas?|hamsters?|net[oa]s?|gemeos|gemeas|beb[eé]|peixes?|"
        r"sobrinh[oa]s?|carro|moto|bicicleta|bike|casa|apartamento|apto|jardim|horta|sitio|barco|piano|violao|van|"
        r"criancas)\b.*|(?:eu\s+|a gente\s+|nos\s+)?(?:sou|somos|estou|estamos|é)\s+(?:\w+\s+)?(?:casad[oa]s?|"
        r"divorciad[oa]s?|solteir[oa]s?|noiv[oa]s?|viuv[oa]|separad[oa]s?|namorando)\b.*|(?:eu\s+)?(?:me caso|casei|"
        r"caso-me|me casei|me separei|nos casamos|casamos)\b.*",
        "fact.language": r"(?:eu\s+|a gente\s+|nos\s+)?(?:tamb[eé]m\s+)?(?:falo|falamos|fala|estou aprendendo|"
        rf"estou a aprender|aprendo|estudo|domino|entendo)\s+[^.!?\n]{{0,30}}?{_LANG}\b.*|"
        rf"(?:eu )?nao sei (?!dizer|explicar|responder|fazer|lidar|escolher)\w+[aei]r\b.{{0,40}}|"
        rf"(?:[oa]\s+)?minha lingua materna\s.{{3,}}|(?:eu )?sou bilingue\b.*",
        "fact.job": (
            rf"(?:eu\s+|a gente\s+|nos\s+)?{_ADV}(?:trabalho|trabalhamos|trabalha|estudo|estudamos|leciono|dou aulas?|"
            r"ensino|dirijo|gerencio|coordeno|faco (?:faculdade|mestrado|doutorado|estagio|um curso|home office)|curso|"
            r"atuo|toco (?:um|uma) (?:loja|empresa|padaria|oficina))\b\s?.{3,}|(?:eu\s+)?(?:sou|"
            rf"estou)\s+{_ADV}(?:(?:um|uma|o|a)\s+)?(?:(?:ex|futur[oa]|jovem)[\s-]+)?{_JOB}\b.*|(?:eu\s+)?(?:sou|"
            r"estou)\s+(?:aposentad[oa]|reformad[oa]|desempregad[oa]|de licenca|de baixa|autonom[oa]|em licenca)\b.*|"
            r"(?:eu\s+)?(?:trabalhei|fui promovid[oa]|fui contratad[oa]|fui demitid[oa]|fui despedid[oa]|me formei|"
            r"formei-me|consegui um emprego|abri (?:uma|minha) empresa|comecei a trabalhar)\b.*",
            r"\b(?:trabalho|trabalhando)\s+(?:nest[ea]|ness[ea])\b|\b(?:hoje|agora mesmo|de acordo)\b",
        ),
        "state.deadline": (
            rf"{_THING}\s+nao\s+(?:é|eh|sera|é mais)\s+(?:em|no|na|dia)?\s?{_DATE},?\s+(?:mas|é|e sim|"
            rf"mas sim)\s+(?:em\s+|no\s+|na\s+)?(?P<value2>{_DATE}).*|"
            rf"{_THING.replace('thing', 'thing2')}\s+(?<!nao )(?:é|eh|sera|vai ser|cai|comeca|acaba|termina|vence|"
            r"expira|ficou|fica|foi (?:adiad|remarcad|antecipad|marcad|transferid|mudad)[oa]|esta (?:marcad|previst|"
            r"agendad)[oa]|mudou|passou|sai|acontece|passa a ser)\s+(?:agora\s+)?(?:para\s+|pra\s+|ate\s+|em\s+|no\s+|"
            rf"na\s+|o\s+|a\s+|às\s+|as\s+|ao?s?\s+|toda[s]?\s+(?:as\s+)?|todo[s]?\s+(?:os\s+)?)*(?P<value>{_DATE}).*",
            r"\b(?:filme|loja|museu|jogo de hoje)\b",
        ),
        "state.change": (
            rf"{_THING}\s+(?:nao é (?:de\s+)?{_NUM}{_UNIT},? (?:mas|é)\s+(?:de\s+)?|(?:é|eh|sao|esta|custa|pesa|dura|"
            r"mede|tem|chegou|subiu|subiram|aumentou|baixou|caiu|diminuiu|passou|foi|atingiu|ficou|roda|leva|"
            rf"ganha)\s+)(?:agora\s+|hoje\s+)?(?:de\s+{_NUM}{_UNIT}\s+(?=para\s|pra\s|a\s))?(?:para\s+|pra\s+|a\s+|"
            rf"em\s+|ate\s+|de\s+)?(?:cerca de\s+|quase\s+|mais de\s+|uns\s+)?(?P<value>{_NUM}{_UNIT})(?:\s|[,.;!]|"
            r"$).*",
            r"\b(?:rio|monte|montanha|planeta|populacao|brasil|portugal|angola|pais|mundo|europa|voo|"
            r"passagem|inflacao|aponta|graus|metros|atrasad[oa]|atraso|sol|lua|terra|torre)\b",
        ),
        "state.count": (
            r"(?:eu\s+|a gente\s+|nos\s+)?(?:ja\s+)?(?:tenho|temos|tem|somos|ganho|ganhamos|pago|pagamos|peso|meço|"
            r"meco|calco|vendemos|atendemos|empregamos)\s+(?:agora\s+|ja\s+|cerca de\s+|mais de\s+|quase\s+|"
            rf"uns\s+)*(?:{_NUM}|dois|duas|tres|quatro|cinco|seis|sete|oito|nove|dez|doze|quinze|vinte|trinta)\s*\w*.*",
            r"\b(?:minutos?|perguntas?|problemas?|duvidas?|horas? para)\b",
        ),
        "fact.uses": (
            rf"(?:eu\s+|a gente\s+|nos\s+)?{_ADV}(?:uso|usamos|usa|utilizo|utilizamos|jogo|jogamos|corro|nado|cozinho|"
            r"coleciono|dirijo|conduzo|programo|desenvolvemos|publico|publicamos|pratico|faco (?:yoga|ioga|escalada|"
            r"corrida|danca|ceramica|judo|boxe|aulas? de|trilha|voluntariado|terapia|trabalho voluntario|pilates|"
            r"natacao|academia|parte|musculacao|teatro|croche)|canto|treino|acordo|durmo|toco|pego (?:o|a)|aprendo|"
            r"estou (?:escrevendo|aprendendo|construindo|reformando|a escrever|a aprender|a construir|desenvolvendo)|"
            r"cultivo|crio|criamos|organizo|vendo|hospedamos|costumo|ando de|pedalo|guardo|guardamos)\b\s?.{3,}",
            r"\b(?:agora mesmo|hoje|redacao|uma carta|um email|um e-mail|esse erro|este erro|"
            r"uma apresentacao|um trabalho sobre)\b|^aqui us[ae]\b",
        ),
        "fact.mine": (
            r"(?P<thing>(?:[oa]s?\s+)?(?:meus?|minhas?|nossos?|nossas?)\s+(?!problema|pergunta|duvida|codigo\b|ideia|"
            r"opiniao|erro|texto|computador|deus|resposta|script)[^,;.!?\n]{2,40}?)\s+(?:é|eh|sao|esta|estao|tem|usa|"
            r"usam|roda|rodam|corre|se chama|chama-se|fica|ficam|custa|fecha|abre|comeca|dura|funciona|vai ser|acaba|"
            r"termina|pertence|vem|chega|utiliza|passa)\s+(?!quebrad|lent[oa]|travad|vazi[oa]|pront[oa]|aqui|bem\b|"
            r"ruim|parad).{2,}",
            r"\b(?:nao funciona|nao liga|nao compila|sem bateria|descarregad\w*|atrasad\w*|trava|erro|bug|"
            r"disse|falou|diz)\b",
        ),
        "fact.location": (
            rf"{_THING}\s+(?:esta|estao|fica|ficam|se encontra)\s+(?P<value>(?:em|no|na|dentro|debaixo|"
            rf"atras|sobre|ao lado|com|embaixo)\s[^,;!?\n]{{3,60}}).*",
            r"\b(?:restaurante|hotel|cinema|filme|em andamento|no ar|em dia|no onibus|em curso)\b",
        ),
        "fact.event": (
            r"(?:eu\s+|a gente\s+|nos\s+)?(?:tenho|temos|tem)\s+(?:um|uma|o|a|meu|minha)?\s?[^,;.!?\n]{2,40}\s(?:em|no|"
            rf"na|dia|às|as|a|para)\s?{_DATE}.*|(?:eu\s+|a gente\s+|nos\s+)?(?:finalmente\s+|ja\s+)?(?:passei|consegui|"
            r"ganhei|ganhamos|comprei|compramos|comprou|publiquei|publicamos|lancei|lancamos|abri|abrimos|assinei|"
            r"assinamos|terminei|vendemos|contratei|contratamos|perdi|comecei|comecamos|recebi|defendi|inauguramos|"
            r"tirei|tiramos)\s+(?:um|uma|o|a|no|na|os|as|meu|minha|nosso|nossa|dois|duas|tres)\s.{3,}|(?:eu\s+|"
            r"a gente\s+|nos\s+)?(?:viajo|viajamos|vou|vamos|comeco|comecamos|embarco|me caso)\s[^.!?]{0,50}(?:em|no|"
            rf"na|dia|a partir d[eo])\s?(?:{_DATE}|{_MONTH}).*",
            r"\b(?:este texto|um problema|uma pergunta|uma duvida|um bug|um erro|seu|sua|teu|tua|hoje|"
            r"o onibus|a hora)\b",
        ),
        "correction.not": r"(?:nao é|nao sao|nao era)\s+[^,;.!?\n]{1,40},?\s+(?:é|sao|e sim|mas|mas sim)\s.{2,}|"
        r"(?:é|sao)\s+[^,;.!?\n]{1,40},\s+(?:e\s+)?nao\s.{2,}",
    },
    determiners="o a os as meu minha meus minhas nosso nossa nossos nossas um uma",
)

_NO_VERB = any_of(r"""
    quando, quanto, certo, claro, muito, pouco, tudo, isso, isto, aquilo, como, obrigado, otimo, bonito, lindo,
    primeiro, segundo, terceiro, quarto, quinto, mesmo, outro, todo, cedo, logo, perto, dentro, ano, dano, quatro,
    cinco, oito, cento, no, do, ao, pelo, so, to, tao, nao, entao, pronto, beleza, perfeito, acho, penso, espero,
    imagino, agradeco, preciso, quero, procuro, posso, devo, duvido, suponho, sinto, vejo, entendo, lembro, digo,
    volto, chego, tento, aqui, ali, oi, ai, sai, vai, lei, rei, sei, hei, achei, adorei, amei, gostei, tentei,
    esqueci, entendi, li, ouvi, consegui, pensei, sonhei, esperei, serei, farei, verei
""")
_I_DO = (
    r"(?:sou|somos|estou|tou|to|estamos|estava|tenho|temos|tinha|fui|fiz|tive|dei|pus|vim|era|vou|vamos|"
    rf"(?!{_NO_VERB}\b)[a-z]{{2,20}}(?:o|ei|i)|[a-z]{{2,20}}(?:amos|emos|imos|avamos))(?:-me|-nos)?\b"
)
"""A verb in the first person. Where a statement opens with a word in -o or -ei, it is a verb more often than not."""
_TELLING = opening(
    r"(?:(?:entao|bom|bem|e|mas|porem|infelizmente|alias|ah|ate|agora|hoje em dia|atualmente|la em casa|aqui em casa|"
    r"por aqui|na verdade|ultimamente|ontem|anteontem|semana passada|mes passado)[,:]?\s+){0,3}(?:(?:fins? de semana|"
    r"final de semana|desde|ha|faz|em|no|na|nos|nas|de|depois|antes|este|esse|ano|mes|semana|todo|toda|todos|todas|"
    r"cada|à|a|às|aos|dia|para|pra|com|por|durante|quando)\s[^.;:!?]{2,40}?,?\s)?(?:(?:eu|nos|nao|ja|so|tambem|ainda|"
    rf"sempre|nunca|me|te|se|o|a|quase|mal|nem)\s+){{0,4}}(?:{_I_DO}|(?:eu|a gente)\s\w|(?:[oa]s?\s|uma?\s)?(?:meus?|"
    rf"minhas?|nossos?|nossas?)\s|(?:para|pra) mim\s|me\s\w|(?:la |aqui )?em casa\b|(?:[oa]s?\s)?{_KIN}\b)"
)

_SIGNS = {
    "telling": _TELLING + r"|^(?=(?:\S+\s+){3}).{2,60}?\s(?:eu|a gente|comigo|p(?:a)?ra mim|temos|tenho|"
    r"[a-z]{3,20}amos|no meu caso)\b",
    "definite": opening(
        r"(?:[oa]s?|(?:no|na|nos|nas|em|para|pra|desde|ao|à|às|cada|todo|toda)\s[^.;:!?]{2,40}\s(?:[oa]s?|se))\s"
    ),
    "mine": rf"^(?:(?:nao|ja|so|tambem|ainda|sempre|nunca|me)\s+){{0,3}}{_I_DO}|"
    + word_of(r"""
        eu, meus?, minhas?, me, mim, comigo, nos, nossos?, nossas?, a gente, tenho, temos, sou, somos, estou, estamos,
        moro, moramos, trabalho, uso, usamos, faco, fazemos, vou, vamos, gosto, prefiro, pago, ganho, durmo, acordo,
        [a-z]{3,20}amos, [a-z]{2,20}emos, comprei, vendi, comecei, mudei, casei, nasci, la em casa, em casa
    """),
    "kin": rf"^(?:o|a) (?:pequen[oa]|cacula|mais (?:velh|nov)[oa])\b|\b(?:meus?|minhas?|nossos?|nossas?|[oa]s?|uma?|"
    rf"dois|duas|tres)\s{_KIN}\b",
    "health": rf"\b(?:{_ILL}|al[eé]rgias?|rem[eé]dio|m[eé]dicamento|cirurgia|operad[oa]|diagnostic\w*|"
    r"receita m[eé]dica|mg|tipo sanguineo|halal|kosher)\b",
    "work": rf"\b(?:{_JOB}|emprego|escritorio|empresa|salario|contrato|estagio|faculdade|universidade|"
    r"escola|colegas|equipe|equipa|cargo|home office|"
    r"turno|horario|curso|mestrado|doutorado|tese|diploma|promocao|loja|oficina|clinica|fazenda|concurso)\b",
    "affair": word_of(
        r"""
        aluguel, renda, hipoteca, financiamento, prazo, orcamento, preco, mensalidade, assinatura, consulta, reuniao,
        ensaio, casamento, prova, exame, entrevista, mudanca, obra, reforma, contrato, seguro, aniversario, endereco,
        morada, telefone, telemovel, celular, e-?mail, tamanho, numero, peso, carro, moto, bicicleta, notebook,
        computador, casa, apartamento, chave, chaves, garagem, wifi, senha do wifi, assinantes, clientes, socios,
        alunos, vendas, pedidos, estoque, jogo, coral, clube, associacao, igreja, viagem, passaporte, visto, ferias,
        fuso, meta, objetivo, lancamento, entrega, caldeira, impressora, capitulo, romance, piano, violao, academia,
        ginasio, conta, jardim, horta, varanda, creche, banda, orquestra, blog, canal, podcast, maratona, natacao,
        yoga, trilha, fotografia, xadrez, forno, tela, dominio, fatura, pneus, vacina, aquario, vinhas, hectares,
        paineis solares, poupanca, emprestimo, bairro, aldeia, apelido, pronomes, festa, defesa, carta de conducao,
        carteira, cracha, vaga, cozinha, banheiro, geladeira, frigorifico, telhado, quintal, portao, quarto, garantia,
        condominio, leitura, livro, futebol, bale, danca, piscina, pensao, sitio, barco, televisao, tv, sofa, crianca,
        menino, menina, remedio, reuniao, ape, cachorr[oa], terapia, fisio\w*, semestre, faculdade
        """,
        endings="|s",
    ),
    "project": word_of(
        r"""
        projeto, projecto, backend, frontend, banco de dados, base de dados, servidor, api, repo, repositorio, branch,
        deploy, producao, staging, versao, framework, app, aplicativo, aplicacao, site, sistema (?!solar),
        microsservicos?, cluster, fornecedor, cliente, departamento, nuvem, pipeline, testes, script, sprint, release,
        migracao, log, ticket, build, cache, query, modulo, licenca, dashboard, documentacao, endpoint, fila,
        nota fiscal, backup, container, pacote, biblioteca, linguagem, dado, usuario, banco
        """,
        endings="|s",
    ),
    "label": r"^(?!erro|nota|traduc|pergunta|exemplo|texto|titulo|opcao|assunto|ola|oi\b|obrigad|ok\b|"
    r"atencao)[^\s,.;:!?]{2,18}(?:\s[^\s,.;:!?]{1,14}){0,3}:\s\S",
    "aside": word_of(r"""
        a proposito, alias, so pra voce saber, so para voce saber, para voce saber, fique sabendo, lembrando
        que, vale dizer, so para constar, para contexto, contexto, atualizacao, aviso, so avisando,
        informo que, para tua informacao, so para saberes, aproveitando, nota
    """),
    "lasting": word_of(r"""
        sempre, nunca, desde, ha (?:\w+ )?anos, anos, cada, todo dia, todos os, todas as,
        toda (?:segunda|terca|quarta|quinta|sexta|semana), às (?:segundas|tercas|quartas|quintas|sextas),
        aos (?:sabados|domingos), normalmente, geralmente, costumo, de manha, à noite, vezes por, por semana, por mes,
        diariamente, jamais, horas vagas, tempo livre, fins de semana, faz (?:\w+ )?(?:anos|meses) que,
        ha (?:\w+ )?meses
    """),
    "stative": r"^(?:[^,.;:!?]{0,40}\s)?(?:é|eh|sao|esta|estao|tem|tenho|temos|sou|somos|moro|moramos|mora|vivo|vive|"
    r"trabalho|trabalha|uso|usamos|usa|roda|rodam|se chama|fala|falo|toco|toca|joga|canta|mede|pesa|custa|dura|abre|"
    r"fecha|comeca|termina|acaba|vence|dirijo|ganho|pago|calco|durmo|corro|nado|pertence|fica|ficam|faz|faco|fazemos|"
    r"guardo|guardamos|estuda|estudo|come|como|tomo|bebo|acordo|costumo|sei|cuido|vai|vao|vem|quer|querem|deve|devem|"
    r"segue|chega|sai|passa|passou|aguenta|aguentam|recebe|vende|ocupa|gasta|demora|conta|supera|falta|faltam|serve|"
    r"cuida|dorme|leva|pega|volta|muda|entra|contem|suporta|le|escreve|se \w{2,20}|ficou|virou|subiu|caiu|mudou|foi|"
    r"era|tinha|estava)\b",
    "event": word_of(r"""
        me mudei, nos mudamos, casei, casamos, comprei, compramos, vendi, vendemos, comecei, comecamos, terminei,
        abrimos, abri, fechou, morreu, faleceu, nasceu, lancamos, contratamos, assinamos, adotamos, adotei,
        fui promovid[oa], este ano, no ano que vem, ano passado, em janeiro, em fevereiro, em marco, em abril,
        em maio, em junho, em julho, em agosto, em setembro, em outubro, em novembro, em dezembro
    """),
    "milestone": word_of(r"""
        (?:quebrei|quebrou|parti|torci|fraturei|machuquei|rompi|operei|lesionei|desloquei) (?:[oa]s?|meu|minha),
        adot(?:ei|amos|ou), resgat(?:ei|amos|ou), (?:ficamos|ficaram) noiv[oa]s, noiv(?:ei|amos), nos? casamos, casei,
        (?:me|nos) (?:separei|divorciei|formei|aposentei|mudei|operaram|contrataram|demitiram|assaltaram|roubaram),
        fui (?:aprovad|contratad|promovid|demitid|despedid|admitid|operad|selecionad|internad)[oa], nasceu, nasceram,
        morreu, morreram, faleceu, passei (?:n[oa]|em), batizamos, assinamos, arranquei, tirei (?:[oa]s?|dois|quatro),
        dei à luz, tive (?:um|uma) (?:filh|beb|menin)\w+
    """),
    "change": word_of(WORDS.changed.translate(_PLAIN)),
    "due": r"(?:tenho|temos|tem|preciso|precisamos|precisa|devo|deve)\b[^.;]{2,60}\b(?:at[eé]|antes d\w+)\s(?:o\s|"
    rf"a\s)?(?:dia\s)?{_DATE}|\b(?:vou|vamos|vai)\s\w+[aei]r\b[^.;]{{0,60}}?\b(?:\d{{1,2}} de {_MONTH}|em {_MONTH}|"
    rf"at[eé] (?:[ao]o? )?(?:fim|final|meados|{_MONTH})|(?:mes|ano|semana) que vem|proxim[oa] (?:ano|mes|semana))",
    "role": r"\bquem (?:cuida|mant[eé]m|toca|gerencia|lidera|coordena|manda|decide)\b|(?-i:[A-Z])\w{1,40}\s(?:é|"
    r"sao)\s(?:meu|minha|nosso|nossa|a responsavel|o responsavel|quem)",
    "taste": word_of(r"""
        prefiro, preferimos, gosto, gostamos, nao gosto, adoro, amo, odeio, detesto, nao suporto, nao aguento, sou fa,
        nao é pra mim, nao é a minha praia, favorit[oa]s?, preferid[oa]s?, tenho horror, me da (?:nojo|preguica),
        curto, sou mais, nao curto, nem pensar, nao sou (?:muito )?(?:de|fa), fa de, me dou melhor, nao é para mim,
        nao é comigo, melhor \w+ do que, me incomoda\w*, me irrita\w*, nao tolero, torco, doid[oa] por, louc[oa] por,
        apaixonad[oa] por, viciad[oa], nao desce, entre [^.]{2,40} (?:fico|ficamos|escolho) com, nao me agrada,
        me agrada, me divirto, gosta
    """),
    "decision": word_of(r"""
        decidi, decidimos, decidiu-se, ficou decidido, escolhemos, escolhi, optamos, optei, combinamos,
        ficamos com, vamos de, vamos com, resolvemos, resolvi, descartamos, desistimos, fechamos com,
        acordamos em, batemos o martelo, no fim das contas
    """),
    "norm": word_of(r"""
        a partir de agora, de agora em diante, daqui pra frente, daqui para a frente, sempre em, sempre com, nunca me,
        nao me (?:mande|sugira|envie|chame|fale|proponha|recomende|pergunte), nao use, por padrao, sem excecao,
        proibido, obrigatorio, evite, evita, toda vez que eu, sempre que eu, nada de, nem pense em
    """),
    "steps": r"\bprimeiro\b.{3,120}\b(?:depois|em seguida|entao)\b",
    "corrects": r"\b(?:me enganei|enganei-me|me confundi|correcao|corrigindo|retifico|quis dizer|"
    r"queria dizer|falei errado)\b|\b(?:é|sao|era)\s[^.;]{1,40},\s(?:e\s)?nao\s",
    "number": r"\d|"
    + word_of("dois, duas, tres, quatro, cinco, seis, sete, oito, nove, dez, doze, quinze, vinte, trinta, cem, mil"),
    "date": rf"\b{_DATE}",
    "name": r"(?-i:(?<=[a-z,:)] )[A-Z]\w+)",
    "short": r"^[^\s:]+(?:\s[^\s:]+)?$",
    "asks": r"\?|^(?:que|o que|qual|quais|como|quando|onde|quem(?! (?:cuida|mant[eé]m|toca|lidera|coordena))|"
    r"por que|porque|quanto)\b",
    "request": r"^aqui (?:us|coloc|p[oe]|bot|mud|troc|deix)\w*\s(?:um|uma|[oa]s?)\b|\bus[ae] (?:a opcao|ess[ea]|"
    rf"est[ea]|um tom)\b|^(?:{_PLEASE}{_DO}|me (?:ajud|diz|fal|mostr|explic|cont|pass|d[eaê])\w*|ajud\w+|conta|invente|"
    r"imagine|procur\w+|ach[ae]|calcul\w+|ger[ae]|cri[ae]|compar[ae]|list[ae]|continu[ae]|refac[ao]|esper[ae]|olh[ae]|"
    r"prepar[ae]|corrij[ao]|corrig[ei]|encurt[ae]|leia|mud[ae]|troc[ae])\b|\b(?:quero|queria|gostaria|preciso|"
    r"(?<!sempre )procuro|estou procurando|pode me|podes|poderia|voce pode|me ajuda|tenho que|me da)\b",
    "unreal": word_of(r"""
        se eu, se a gente, se fosse, talvez, quem sabe, imagine\w*, suponha\w*, digamos, seria, teria,
        compraria, moraria, faria, iria, gostaria, poderia, mudaria, viajaria, acho que, me parece, suponho, é
        brincadeira, brincadeira, personagem, sonhei, parece que, acho, espero, imagino, penso, sera que,
        vamos ver, supondo, fosse, sei la, quem dera, quem me dera, oxala, tomara, um dia
    """),
    "hearsay": word_of(r"""
        diz que(?! nao sabe), se gabam? de,
        ^(?:um cara|uma moca|um sujeito|algu[eé]m|um colega) (?:d[oae]|n[oa]|que)\b[^.]*, ele diz, ela diz,
        um colega, dizem, disse que, segundo (?:o|a|os|as|ele|ela|eles), de acordo com,
        li que, li num, (?<!-)ouvi,
        afirma, no jornal, noticias?,
        artigo, um amigo, uma amiga, falou, perguntou, escreveu, me contaram, me disseram, pelo visto, ao que parece,
        (?:aponta|indica|mostra|revela|garante|jura|insiste|sustenta|defende|alega|explicou|comentou|diz) que, dizia que
    """),
    "passing": word_of(r"""
        hoje, agora mesmo, esta noite, hoje à noite, esta manha, ja te, daqui a pouco, ja ja, no onibus, no
        metro, no trem, no autocarro, na fila, a caminho, desta vez, por enquanto, um
        minuto, um segundo, acabei de (?:comer|chegar|acordar|sair|ver|ler|almocar|jantar|tentar|mandar|enviar),
        atrasad[oa], ontem, (?:esta|ta) [^.]{2,30} de novo,
        (?:estou|to|tou) (?:em|no|na) (?:reuniao|aula|transito|mercado|rua|m[eé]dico|trabalho),
        (?:estou|to|tou|estava|estamos) \w{2,20}ndo(?![^.]{1,30}\bha\b), vou (?!de|operar|ter),
        vamos (?!de|com|ter|adiar|casar|mudar), ja volto, volto, agorinha
    """),
    "mood": word_of(r"""
        cansad[oa], exaust[oa], fome, sede, frio, calor, pressa, content[ea], feliz, triste, nervos[oa],
        estressad[oa], irritad[oa], fart[oa], doente, dor de cabeca, ocupad[oa], pront[oa], perdid[oa],
        ansios[oa], com sono, animad[oa], mudei de ideia, entediad[oa], droga, travei, me ligando, espera(?=\W*$),
        o tempo mudou, em duvida
    """),
    "trouble": failing(
        r"""
        computador, pc, notebook, celular, telefone, impressora, wifi, site, app, programa, tela, teclado,
        carro, maquina, geladeira, forno, roteador, tv, televisao, conexao, servidor, codigo, fogao
        """,
        r"nao, vaza\w*, ta vazando, parou, fica reiniciando, faz um barulho, deu",
    )
    + "|"
    + word_of(r"""
        erro, bug, bateria (?:fraca|acabando|acabou), travou, trava, nao funciona, quebrou, quebrad[oa], nao liga,
        nao abre, nao sei(?! \w+[aei]r\b), nao entendo, nao lembro, esqueci, nao acho, nao encontro,
        nao consigo (?!dormir (?:com|sem|de)|comer|viver|trabalhar (?:com|sem|de))\w+, problema, pergunta, duvida,
        tentei, tentando, nao compila, demais, nao entendi
    """),
    "at hand": word_of(r"""
        este (?!ano|mes|projeto|semestre)\w+,
        esta (?:frase|lista|versao|parte|opcao|resposta|tabela|mensagem|palavra), esse (?!ano|mes|semestre),
        essa (?!semana), nesse caso, neste caso, isso, isto, aquilo, o texto, (?<!-)te(?!-), ti, voces?, vc, lhe,
        contigo, a frase, o paragrafo, a opcao, a primeira opcao, o titulo, seu (?!(?-i:[A-Z]))\w+, sua, teu, tua,
        abaixo, anexo
    """),
    "reaction": r"\bme salv(?:as|a|ou|aste)\b|\bmuito obrigad[oa]\b|^antes (?:era|eram) [\d.,]+\b|"
    r"\bnao me conven\w+|\bnao (?:foi|era|é) (?:bem )?(?:isso|assim)(?: (?:o )?que)?\b|\bmorri\b|^(?:ok|"
    r"beleza|obrigad[oa]|valeu|otimo|perfeito|haha\w*|kk+|sim|nao(?=[,.!]|$)|legal|show|fixe|oi|ola|bom dia|"
    r"boa (?:tarde|noite)|tchau|certo|isso|nossa(?=[,.!]|$)|uau|adorei|amei|de nada|tranquilo|que (?:bom|legal|"
    r"pena))\b(?!,?\s+(?:alias|eu|meu|minha|a gente|moro|tenho|sou|o|a)\b)",
    "world": word_of(r"""
        a agua, a terra, o sol, a lua, capital d[eoa], habitantes, ^o brasil, portugal é, o mundo, as pessoas,
        a historia, em geral, o governo, o ministro, a ministra, deviamos?, a gente devia, planetas?, seculo,
        o universo, os animais, as plantas, foi inventad[oa], o rio, um rio
    """),
}

_OPENERS = (
    r"(?:que\s\w{2,20}\s(?:voce|vc|tu|eu|posso|devo|me)|eu|meus?|minhas?|nossos?|nossas?|a gente|nos|tenho|temos|moro|"
    r"moramos|trabalho|trabalhamos|prefiro|gosto|sou|somos|estou|uso|usamos|falo|odeio|adoro|detesto|faco|pago|vou|"
    r"vamos|comprei|mudei|nao|nunca|sempre|ele|ela|eles|elas|isso|voce|pode|poderia|podes|qual|como|quando|onde|quem|"
    r"por que|o que|quanto|queria|quero|preciso|por favor|me)\b"
)
_REQUEST = request_of(
    r"(?:me )?escrev[ae](?:-me)?|mont[ae](?= (?:um|uma|o|a|isso)\b)|(?:me )?fa(?:z(?! \S+ (?:semanas?|mes(?:es)?|anos?|"
    r"dias?|tempo))|ca)|me d[ae]|da-me|(?:me )?diz|(?:me )?ajud[ae]|(?:me )?suger[ei]|sugira|(?:me )?indica|"
    r"(?:me )?recomend[ae]|corrig[ae]|corrige|reescrev[ae]|encurt[ae]|traduz[a]?|resum[ae]|(?:me )?explic[ae]|explique|"
    r"calcul[ae]|list[ae]|invent[ae]|confere|confira|revis[ae]|arrum[ae]|organiz[ae]|planej[ae]|desenh[ae]|compar[ae]|"
    r"(?:me )?mostr[ae]|me cont[ae]|refaz|refaca|reserv[ae]|marque|coloque|me acord[ae]|me cham[ae] (?:as|às)|"
    r"me lembr[ae] (?:de|as|às|amanha|daqui)|adicion[ae]|troque|prepar[ae]|deix[ae] assim|us[ae] (?:um tom|a opcao|"
    r"ess[ea]|est[ea])",
    r"sempre|nunca|jamais|toda vez|todas as vezes",
)
PACK = Pack(
    lang="pt",
    rules=_RULES,
    rule_signs=RULE_SIGNS,
    weigh=weigher(_SIGNS),
    spelling=_PLAIN,
    others=r"(?!.*\b(?:eu|me|mim|comigo|meus?|minhas?|noss[oa]s?|a gente)\b)"
    r"(?:el[ea]s?\s(?!se chama)|(?:nao\s)?(?:mora|vive|trabalha|estuda|bebe|come|prefere|mudou-se|se mudou|nasceu|"
    r"e alergic[oa]|tem\s(?:\d+|dois|duas|tres|uma?)\s(?:filh\w+|irma\w*|anos))\b)",
    leads=r"(?:(?:entao|bom|bem|ok|certo|oi|ola|ei|bom dia|boa tarde|boa noite|ah|oh|sim|obrigad[oa]|valeu|beleza|"
    r"alias|a proposito|na verdade|al[eé]m disso|tamb[eé]m|e|mas|so pra voce saber|so para voce saber|para voce saber|"
    r"so para saberes|para constar|so para constar|contexto|para contexto|atualizacao|update|nota|aviso|lembrando que|"
    r"sinceramente|honestamente|infelizmente|felizmente|enfim|por sinal|porque|como|ja que|pois|olha|sabe|acontece que|"
    r"boa noticia|novidade|so avisando|finalmente|atualmente|hoje em dia|agora|pessoalmente)(?:\s*[,:.!…]+\s*|\s+)|"
    r"[\s,:;–—-]+)",
    fronts=r"(?:(?:desde|depois|apos|antes|durante|em|no|na|para|pra|com|quanto|de manha|à noite|aos|às|todos os|toda|"
    r"cada|este ano|ano passado|no ano|na semana|mes que vem|quando eu era)\b[^.;:!?\n]{0,60}?,\s+)",
    corrections=r"(?:nao|desculpa|desculpe|perdao|ops|opa|correcao|corrigindo|retificando|me enganei|"
    r"enganei-me|quis dizer|quer dizer|na verdade|espera|alias|erro meu)\s*[,:;.!…]+\s*",
    explicit=r"(?:por favor,?\s+|e\s+)*(?:lembr[ae](?:-se|-te)?(?: de)?(?: que|\s*[:,])|se lembr[ae](?: de)?(?: que|"
    r"\s*[:,])|nao (?:se )?esquec[ae](?:-te)?s?(?: de)?(?: que|\s*[:,])|anot[ae]?(?: ai)?(?: que|\s*[:,])|"
    r"guard[ae](?: isso| isto)?(?: que|\s*[:,])|memoriz[ae](?: que|\s*[:,])|registr[ae](?: que|\s*[:,])|"
    r"regist[ae](?: que|\s*[:,])|tenha em mente(?: que|\s*[:,])|tem em conta(?: que|\s*[:,])|leve em conta que|"
    r"grav[ae](?: que|\s*[:,])|toma nota(?: de)?(?: que|\s*[:,])|saiba que|fique sabendo que|"
    r"quero que (?:voce )?se lembre(?:s)?(?: de)? que)\s*",
    turns=r"\s?[,:]\s+",
    splices=True,
    breaks=rf",\s+(?={_REQUEST})|:\s+(?=(?:eu|a gente|(?:[oa]s? )?(?:meus?|minhas?|nossos?|nossas?)|tenho|temos|sou|"
    r"somos)\b)|(?<!\s)(?:\s*;\s+|\s+[–—-]\s+)|,\s+(?:(?:e|mas|entao|por isso|ou|so que|agora)\s+)*(?:porque|ja que|"
    rf"pois|embora|apesar de que)?\s*(?={_OPENERS})|(?<!\s)\s+(?:e|mas|entao|porque)\s+(?=(?:eu|tenho|moro|trabalho|"
    r"prefiro|gosto|sou|estou|minha?|meu|uso|falo|queria|quero|nao|nunca|sempre|pode|faco|ele|ela|me)\b)",
    asks=rf"{_REQUEST}|(?:[oa]s? )?(?:meus?|minhas?|nossos?|nossas?) [^,.!?]{{1,30}}(?<!nao) (?:pode|podem|deve|"
    r"devem) (?![^,.!?]{0,60}\b(?:so|nunca|at[eé])\b)|(?:o que|que (?:horas|tal|dia|tipo)|qual|quais|"
    r"como (?!voce sabe)|quando (?:é|foi|vai|sera)|onde|quem (?!cuida|mant[eé]m|lidera|coordena|gerencia|manda|toca|"
    r"gere)|por que|quanto|pode[s]?\b(?! me chamar| chamar-me)|poderia|voce (?:pode|sabe|acha|conhece|tem)|consegue|"
    r"sabe|sera que|me (?:ajud|diz|d[eê]|mostr|explic|cont)\w*|ajud\w+|queria|quero|gostaria|"
    r"preciso(?![^,.!?]{0,50}\bat[eé]\b)|procuro|estou procurando|me lembr\w+ de \w+r|lembr\w+-me de \w+r|tem como|"
    r"alguma ideia|da pra)\b",
    supposes=r"(?:supondo|assim que (?:eu |a gente |nos )?\w+(?:ar|er|ir)\b|no caso de|se (?!(?:eu|voce|tu) (?:te |"
    r"me )?(?:pedir|perguntar|mandar|enviar|falar|pedires))|e se|caso|imagin\w+|suponh\w+|digamos|vamos supor|"
    r"quem dera|quem me dera|oxala|tomara|espero que|mesmo se|n[ao] (?:meu|minha|este|esta|nosso)? ?(?:romance|sonho|"
    r"historia|conto|jogo|filme)|um dia)\b",
    unreal=r"\b(?:mud\w+|compr[oa]\w*|vend[oe]\w*|caso|deixo|vou)\b[^.!?]{1,60}\s"
    r"(?:se|assim que|caso)\s(?:eu\s|nao\s|me\s){0,3}\w+(?:ar|er|ir|or)\b",
    denies=r"\b(?:n[ãa]o|nunca|jamais|em vez de)\s(?:(?!mas\b)[\w-]+\s){0,3}$",
    contrasts=r"\b(nao\s(?P<verb>(?:(?:me|se|nos)\s)?[\w-]+)\s[^,;.!?]{1,40}?[,;]\s(?:mas\s)?(?:eu\s)?)(?=(?P=verb)\s)"
    r"|\b(nao\s)(?:(?:me|se|nos)\s)?(?!so\b|apenas\b|somente\b)[\w-]+\s((?:[^,;.!?]|[.,]\d){1,40}?,?\s"
    r"(?:mas sim|mas|e sim)\s)"
    + phrase_of(
        r"em|no|na|nos|nas|para|pra|pro|de|do|da|dos|ao|dia|as|segunda|terca|quarta|quinta|sexta|sabado|domingo|R\$|"
        r"\d\S*|(?-i:[A-Z])[\w'-]+",
        r"o|a|os|um|uma|meu|minha",
    )
    + r"|(,\s(?:e\s)?nao\s(?:(?:em|no|na|nos|nas|para)\s|(?-i:[A-Z0-9]))[^,;.!?]{1,40})",
    pretends=r"\b(?:era uma vez|jogo de pap[eé]is|finja que|fa[cç]a de conta|faz de conta|"
    r"escrev[ae]\b[^.:!?\n]{0,60}?\b(?:hist[oó]ria|conto|romance|novela|cr[oô]nica|poema|di[aá]logo|cena|carta de|"
    r"primeira pessoa)|(?:^|(?<=[.:!?]\s))(?-i:[A-Z])\w+ (?:tem|tinha|comprou) (?:\d+|\w+) \w+ e (?:d[aá]|deu|come|"
    r"comeu|vende|vendeu|"
    r"perde|perdeu|ganha)\b|no meu romance|fict[ií]ci[oa]|imagin[ae] que|voc[eê] [eé] um (?:pirata|agente|"
    r"personagem))\b",
    joins=frozenset({"e", "ou"}),
    tails=r"(?:porque|ja que|pois|embora|como|e ele|e ela|mas|entao|por isso)?",
    presumes=r"(?:porque|ja que|pois|visto que|dado que)",
    reports=r"(?:disse|diz|escreveu|perguntou|segundo [^,;.]{2,40})\s*[:,]?\s*$",
    hedges=r"\b(?:talvez|quem sabe|provavelmente|possivelmente|nao sei se|nao tenho certeza|estou pensando em|"
    r"estou a pensar em|to pensando|acho que|parece que|dizem que|pelo visto|brincadeira|to brincando|de brincadeira|"
    r"quica|seria|teria|compraria|moraria|viveria|faria|iria|poderia|mudaria|viajaria|trabalharia|deixaria|aceitaria|"
    r"largaria|ficaria|abriria|teriamos|seriamos|um amigo meu|uma amiga minha|por enquanto nao)\b",
    seeks=r"\b(?:procur\w+|ach[ae]|recomend\w+|sug\w+|indic\w+) (?:\w+ ){0,3}(?:filmes?|s[eé]ries?|"
    r"livros?|restaurantes?|m[uú]sicas?|jogos?|shows?)\b",
    platitudes=r"\b(?:a vida|a felicidade|às vezes|o importante)\b",
    spellings=r"[ãõâêô]|\w{4}(?:[dtvslncg]|(?<!g)r)am\b|\w(?:inho|inha|eiro|eira|dade|agem|ção|ões)\b|ç[aoãõ]|"
    r"[ln]h[aeo]|\w{2}ou\b|\w{3}ei\b|-(?:me|se)\b|ss[aeo]\b|\b(?:é|há|às|ao|uma|numa|eu)\b",
    cues=frozenset(
        """
        o a os as um uma uns umas de do da dos das em no na nos nas e ou mas é são foi ser estar está estão estou sou
        somos tenho temos tem não nao sim eu você voce tu ele ela nós meu minha meus minhas nosso nossa seu sua que
        quem qual como quando onde por para pra com sem mais muito também tambem também já ja só so me te se lhe isso
        isto esse essa este esta ao à às pelo pela até ate moro trabalho prefiro gosto falo nunca sempre obrigado
        obrigada olá ola oi bom dia boa noite hoje amanhã ontem anos ano gente vou vamos fazer faz faço uso quero
        queria pode preciso chamo nome alérgico alérgica alergia prazo aluguel reunião lembre responda porque então
        entao ainda aqui chame chama chamar mudei mudamos casei nasci cresci estudo leio escrevo ensino compramos
        vendi dois duas três cachorro gato carro casa mora trabalha lá cá daqui ninguém alguém gosta quer filhos
        reserva coloca deixa anota escolhemos segunda terça quarta quinta sexta sábado janeiro fevereiro março maio
        junho julho setembro outubro dezembro próximo próxima começa sai faço parei comprei nossa minha filha filho
        irmã mãe pai bebo como durmo pago ganho calço usamos equipe escritório escola tomo decidimos novo nova calço
        calco causa desde quatro seis sete oito nove dez horas dias semana mês meses vez vezes dou num numa dele dela
        eles elas moramos aulas emprego reais médico mil depois antes agora outro outra melhor fica ficam fui era
        tinha tive pelos pelas nasceu conserto viver dizem parece chover pena tô tá valeu beleza kkkk tchau jogo toco
        canto leio dou parti vivo faço pouco pouca aos colecciono coleciono somos vegetarianos reformei divorciei
        chama-se muleta cirurgia ando sozinho sozinha joga bateria física ela nossos dá cansa alta sal aplicativo quem
        cuida acabei comecei detesto odeio adoro minhas nada tudo todo toda
        """.split()
    ),
)
