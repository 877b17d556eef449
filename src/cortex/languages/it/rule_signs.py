"""Signs that an Italian sentence tells the assistant what to hold to from then on. Only è keeps its accent."""

from __future__ import annotations

from cortex.languages.signs import word_of

_VERBS = (
    r"(?:(?:abbrevi|accorci|adatt|aggiung|arrotond|aspett|assicur|avvert|avvis|calcol|cambi|cerc|cerch|chiam|chied|cit|"
    r"cominc|comment|confront|conferm|conserv|consider|consigli|consult|controll|convert|copi|corregg|descriv|dimentic|"
    r"distingu|divid|elenc|escl|espo|esprim|evidenzi|evit|fa|ferm|finisc|fiss|fornisc|formatt|gener|ignor|impost|inclu|"
    r"indic|inform|inizi|inserisc|invi|lasci|legg|limit|mand|mantien|menzion|mett|mostr|motiv|nomin|numer|omett|ordin|"
    r"organizz|parl|part|pass|preferisc|prend|prenot|present|privilegi|propon|prov|raccont|raggrupp|ragion|ricord|"
    r"riassum|riduc|rileg|ripet|riport|risparmi|rispett|rispond|riscriv|rivolg|salt|salv|scegl|sceglie|scriv|segn|"
    r"segnal|segu|semplific|separ|smett|sottoline|spieg|st|struttur|suggerisc|tagli|ten|tien|tenga|togl|tradu|traduc|"
    r"tratt|trov|us|utilizz|verific)(?:a|i|e|ate|ete|ite|ano|ino|iamo)?|sii|sia|siate|fai|faccia|fate|fam|dai|dam|dic|"
    r"dim|dica|dite|vai|vada|stai|abbi)(?:mi|ci|lo|la|li|le|gli|ne|ti|vi|si|mel[oaie]|glie\w{2})?"
)
_LEAD = (
    r"^[\"«(]?(?:(?:e|ma|pero|allora|ah|oh|ok|okay|bene|bello|bella|grazie|per favore|per piacere|per cortesia|"
    r"perfetto|ottimo|senti|ascolta|guarda|a proposito|poi|inoltre|anche|ehi|ciao|scusa|una cosa|un'altra cosa|"
    r"ultima cosa|dai|si|no),?:?\s){0,3}"
)
_LASTING = (
    r"(?:sempre|mai(?: piu)?|d'ora in (?:poi|avanti)|da (?:ora|adesso|oggi|qui)(?: in (?:poi|avanti))?|in futuro|"
    r"ogni volta|tutte le volte|per sempre|di (?:default|norma|regola)|per impostazione|in generale|come regola|"
    r"l[ae] prossim[ae] volt[ae]|senza eccezioni|in ogni (?:caso|chat|risposta))"
)
_MANNER = word_of(r"""
    rispost\w, rispond\w*, italiano, inglese, francese, spagnolo, tedesco, dialetto, lingua, emoji, emoticon, faccine,
    esclamativ\w, elench?[io], puntat\w, list\w, tabell\w, fras\w, paragraf\w, titol\w, riassunt\w, riepilogh?\w,
    premess\w, preambol\w, introduzion\w, conclusion\w, font\w, link, citazion\w, esempi\w?, brev\w, cort\w, concis\w,
    sintetic\w, lungh?\w, dirett\w, sincer\w, onest\w, domande, spiegazion\w, spiegh\w+, comment\w, codice, variabil\w,
    formato, dat[ae], orar\w, numer\w, cifr\w, import\w, prezz\w, iva, euro, dollar\w, metric\w, metri, chilometri,
    grammi, celsius, gradi, unita, decimal\w, virgol\w, ricett\w, dosi, suggeriment\w, consigli\w*, scus\w+,
    compliment\w, tono, parol\w, test[oi], mail, e-mail, email, messagg\w+, bozz\w, gergo, tecnicism\w, inglesism\w,
    anglicism\w, (?<!mio )nom[ei], markdown, passagg\w, grassetto, corsivo, maiuscol\w, minuscol\w, trattin\w, livello,
    document\w, file, formal\w, informal\w, calorie
""")
_THIS = (
    r"\b(?:quest[oaie]|quell[oaie]|quel|quei|qui|sotto|il (?:testo|paragrafo|titolo|messaggio|primo|secondo|ultimo)|"
    r"la (?:prima|seconda|ultima|lista|lettera|frase|mail|tabella)|l'ultim[oa]|due|tre|cinque|dieci|"
    r"(?<!da )(?<!con )(?<!avere )(?:un|uno|una))\b|(?<!da )(?<!con )\bun'|^(?:accorcia|cambia|correggi|metti|riassumi|"
    r"riscrivi|rifa|togli|taglia|traduci)l[oaie]\b"
)
_ONCE = word_of(r"""
    (?<!da )oggi, domani, stasera, stamattina, stavolta, questa volta, per ora, per adesso, per il momento,
    (?<!da )adesso, subito, un attimo, un momento, di nuovo, un'altra volta, ancora una volta, dopo, piu tardi,
    eccezionalmente, al volo, intanto
""")
_REQUEST = (
    _LEAD + r"(?:(?:mi |ci )?(?:puoi|potresti|puo|potrebbe)|riesci a|riusciresti|ti (?:va|dispiace\w*|spiace\w*)|"
    r"sarebbe possibile|è possibile)\b"
)
_THEN = (
    rf"[,:;]\s(?:e\s|poi\s|allora\s|per favore,?\s|sempre\s|prima\s|tu\s){{0,2}}(?:{_VERBS}|non\s(?!\w+o\b)\w+|mai|"
    rf"niente|senza|"
    r"solo|basta|voglio|vorrei)\b"
)
_CONDITION = (
    _LEAD + r"(?:quando|ogni volta che|tutte le volte che|se|appena|prima di|prima che|finche|nel caso|in caso di|"
    r"qualora)\s"
)
_SO = (
    r",\s(?:quindi|percio|dunque|per questo|sicche)\s(?:\w+\s)?"
    rf"(?:niente|non(?!\s\w+o\b)|mai|sempre|solo|{_VERBS})\b"
)
_I_DO = (
    _LEAD + r"(?:(?:io|noi|non|sempre|mai|ogni \w+|da \w+|prima di \w+|dopo \w+|ormai|di solito|d'ora in \w+),?\s){0,3}"
    r"(?!voglio|preferisco|desidero|chiedo|pretendo|solo\b|quando\b|quanto\b|tutto\b|testo\b|tono\b|questo\b|quello\b|"
    r"ecco\b|piuttosto\b|meno\b|zero\b|tanto\b|troppo\b|dopo\b)(?:mi |ti |ci |lo |la |ne |si |"
    r"[tmv]e l[oaie] )?(?:\w{2,}o|\w{2,}iamo)\s|^[^,.?!]{3,40}\s(?:non\s)?l[oaie]\s\w{2,}o\b|^(?:se|"
    r"quando) [^,.?!]{3,40}, (?:io )?(?!voglio|preferisco|solo\b|testo\b|tutto\b|tono\b|formato\b|massimo\b)\w{2,}o\b"
)

RULE_SIGNS = {
    # That it lasts.
    "always": word_of("sempre, ogni volta, tutte le volte, in ogni caso, senza eccezioni?, ogni, comunque"),
    "never": word_of("mai, mai piu, non piu, per nessun motivo, in nessun caso, vietat\\w, assolutamente no"),
    "from now on": word_of(r"""
        d'ora in (?:poi|avanti), da (?:ora|adesso|oggi|qui)(?: in (?:poi|avanti))?, in futuro,
        l[ae] prossim[ae] volt[ae], per sempre, una volta per tutte, in avanti
    """),
    "by default": word_of(r"""
        di default, di norma, di regola, per impostazione, come regola, regola, in generale, in genere, per principio,
        in tutt\w+, per tutt\w+, tutt[ie] \w+, qualsiasi, qualunque, vale
    """),
    "only": word_of(r"""
        solo, soltanto, solamente, esclusivamente, unicamente, massimo, minimo, almeno, senza, invece di, anziche,
        piuttosto che, meglio, prima, piu di, a meno che
    """),
    "only how long": r"^(?:e )?(?:questo |cio |lo stesso )?(?:vale |è )?(?:sempre|mai(?: piu)?|ogni volta|"
    r"per (?:sempre|tutt[oiae](?: \w+){0,2})|in (?:tutte le chat|futuro|generale|ogni chat)|di (?:default|norma)|"
    r"d'ora in (?:poi|avanti)|da (?:ora|adesso|oggi) in (?:poi|avanti)|senza eccezioni|"
    r"come regola(?: generale)?)(?:,? (?:per favore|grazie))?[.! ]*$",
    # On what condition.
    "condition": _CONDITION,
    "condition of the user": r"\b(?:quando|se|ogni volta che|tutte le volte che|appena)\s(?:io\s)?(?:(?:ti|vi|mi|"
    r"te l[oaie]|non)\s){0,2}\w+o\b",
    "condition of the assistant": r"\b(?:quando|se|ogni volta che)\s(?:(?:non|mi|tu)\s){0,2}(?:sei|hai|devi|sai|puoi|"
    r"(?!\w+ssi\b|[tvcs]i\b|poi\b|noi\b|lei\b|lui\b)\w+i)\b|\bprima di\s\w+|\bnon (?:sei sicur\w|lo sai|sai)\b",
    "condition alone": rf"^(?!.*{_THEN})(?={_CONDITION})",
    "kind": _LEAD + r"(?:per|in|con|su|ne[lgi]\w*|sull?\w*|a proposito di|riguardo a|quanto a|tra)\s(?!favore|ora\b|"
    r"adesso|piacere|il momento)[^,.:!?]{3,40}(?:,|:)\s",
    # What kind of order it is.
    "order": _LEAD + rf"(?:{_LASTING},?\s)?(?:pure\s)?{_VERBS}\b",
    "order after a clause": _THEN,
    "infinitive order": _LEAD + r"(?:(?:non|mai|sempre)\s){0,2}\w{2,}(?:are|ere|ire|rre|ar|er|ir)(?:mi|ci|lo|la|li|le|"
    r"ti)?\s",
    "please": word_of("per favore, per piacere, per cortesia, ti prego, grazie, ti chiedo, ti chiederei, gentilmente"),
    "forbids": _LEAD
    + r"(?:(?:non|mai)\s(?:(?:mi|ci|lo|la|li|le|mai|piu)\s){0,2}(?:\w+r(?:e|mi|ti|ci|l[oaie]|gli)|\w+[aei]te(?:mi|ci|"
    r"l[oaie]|gli)?)\b|ricordat\w* di non|evit\w+|smett\w+|basta|piantala|niente|nessun\w*|mai\s|vietat\w|zero\s|"
    r"meno\s|via\s|lascia (?:stare|perdere)|risparmia\w*|senza\s)",
    "forbids in a word": _LEAD
    + r"(?:niente|zero|nessun\w*|basta(?: con)?|meno|via|mai piu|senza|stop)\s(?:[\w']+\s?){1,4}[.!]*$",
    "no thing": r"\b(?:niente|nessun[oa]?|zero|senza|meno|basta con)\s(?!dubbi|problem|male|paura|fretta|di\b|altro|"
    r"meno)\w+",
    "wants of the assistant": r"\b(?:voglio|vorrei|preferisco|preferirei|piacerebbe|aspetto|gradirei|pretendo|"
    r"bisogno)\sche (?:tu|mi|non|ci)\b|\bti (?:chiedo|chiederei|prego) di\b",
    "wish": r"\b(?:voglio|vorrei|preferisco|preferirei|mi piacerebbe|mi aspetto|gradirei|ho bisogno|mi piace|"
    r"ti chied(?:o|erei)|sarebbe (?:bello|meglio|utile|comodo)|apprezz\w+)\b[^.?!]{0,30}\b(?:che|di|se)\b|"
    r"\bvoglio (?:l[ae]|il|i|gli|solo|tutt\w)\b",
    "you should": r"\b(?:devi|dovresti|puoi|potresti|sei pregat\w|hai il permesso|non (?:serve|occorre|"
    r"è necessario) che|non c'è bisogno)\b",
    "request": _REQUEST,
    "request for good": rf"^(?=.*\b{_LASTING}\b)(?=.*\b(?:puoi|potresti|puo|potrebbe|riesci|dispiace\w*|"
    rf"possibile)\b).*\?",
    "things must": _LEAD
    + r"(?:tutt[oiae]|ogni|qualsiasi|nessun\w*|l[aei]|il|i|gli|mie|miei)\s[^,.?!]{2,50}\s(?:dev\w+|vanno|va|siano|"
    r"sia)\s",
    "so": _SO,
    "requires": word_of("deve, devono, va, vanno, serve, servono, basta, bastano, sia, siano, resti, restino"),
    # What it is about.
    "manner": _MANNER,
    "opens with manner": rf"{_LEAD}(?:(?:solo|sistema|i|gli|le|il|la|le mie|i tuoi|le tue|niente|tutte|tutti|sempre|"
    rf"piu|meno|basta con|mai|in|nelle|nei)\s){{0,3}}{_MANNER}",
    "manner alone": rf"^(?!.*\b(?:io|è|era|sta|sono|ho|ha|lui|lei)\b)(?!.*{_THIS})(?!.*{_ONCE}).*{_MANNER}",
    "address": r"\b(?:del (?:tu|lei|voi)|usa\w{0,2} il (?:tu|lei)|chiam\w*mi|mi chiami|soprannome|pronom\w|"
    r"rivolg\w*)\b",
    "me": r"\b(?:mi|me|mio|mia|miei|mie|ci|noi|nostr\w|io)\b|\w+(?:ami|imi|emi|mmi|rmi)\b|\w+(?:me|ce)l[oaie]\b",
    "you": r"\b(?:tu|te|ti|tuo|tua|tuoi|tue|vi|voi|vostr\w)\b",
    "without me or you": r"^(?!.*\b(?:io|mi|me|mio|mia|miei|mie|ci|noi|nostr\w|tu|te|ti|tuo|tua|tuoi|tue|voi)\b|"
    r".*\w[aeimr]mi\b)",
    # That it is of one thing or of one time.
    "once": rf"^(?!.*\b{_LASTING}\b).*{_ONCE}",
    "this one": _THIS,
    # That it is no order at all.
    "I do": rf"^(?!.*{_SO})(?={_I_DO})",
    "habit": r"\b(?:sempre|mai|ogni \w+|di solito)\s(?:(?:mi|ci|lo|la)\s)?(?:(?!tutto\b|solo\b|quando\b)\w{2,}o|"
    r"\w+iamo)\b|\b(?:(?!tutto\b|solo\b|quando\b|testo\b|intendo\b|\w+ssero\b)\w{2,}o|\w+iamo)\s(?:sempre|mai)\b|"
    r"\bda (?:anni|mesi)\b|\bormai\b",
    "to others": r"\b(?:digli|dille|scrivigli|chiedigli|chiedile|ricordagli|ricordale|avvisal[oa]|spiegagli)\b|"
    r"^(?:ragazz\w|bambin\w|amore|tesoro|signor\w*|amic\w)\b|\b(?:di'|dillo|scrivi|chiedi|ricorda) a(?:l|lla|i|gli|"
    r"lle)?\s(?!me\b)\w+",
    "I will": r"\b(?:ho deciso|penso di|sto per|comincio|inizio|smetto|mi metto|provero|andro|faro|saro|vado a|"
    r"andiamo a)\b",
    "others": word_of(r"""
        (?:mi[oa]|il|la|un|una) (?:madre|padre|mamma|nonn[oa]|cap[oa]|fratello|sorella|moglie|marito|prof\w*|medico),
        (?:mi[oa]|il|la|un|una) (?:vicin[oa]|amic[oa]|collega), lui, (?<!il )(?<!del )lei, loro, la gente, cartello,
        bisogna, si (?:deve|puo|dice|usa), tutti quanti, qualcuno
    """),
    "reports": word_of(r"""
        dice\w*, dicono, detto, disse, scritto, secondo (?:il|la|lui|lei|mi[oa]|me), vuole, voleva, pretende, chiesto,
        raccomand\w+, consigliato, ripete\w*, insiste, ordinato
    """),
    "asks": rf"^(?!{_REQUEST})(?!.*\b(?:ok|va bene|si|d'accordo|capito|intesi|chiaro)\s?\?).*\?\s*$",
    "question word": _LEAD
    + r"(?:che (?:cosa|ore|ne)|cosa|come (?!regola|minimo|sempre)|quando (?:è|si|devo|posso)|dove|perche|chi|qual\w*|"
    r"quant[oaie]|è vero|si puo|sai|conosci|secondo te|posso|devo)\b",
    "thanks": word_of(
        r"grazie(?!\W*$), perfetto, ottimo, bravo, bravissim\w, fantastico, ah ?ah\w*, figurati, prego, bella"
    ),
    "exclaims": rf"^(?!.*{_MANNER}).*[!！]",
    "past": r"\b(?!formato\b|dato\b|puntato\b)\w{2,}(?:ato|uto|ito|ava|eva|avano|evano|arono)\b|\b(?:era|erano|fu|"
    r"vist[oa]|detto|fatto|scritto|deciso|chiesto)\b",
    "cooking": word_of(r"""
        impasto, forno, infornare, padella, pentola, bollire, fuoco, cuocere, sale, olio, farina, uova, uovo, burro,
        acqua, sugo, salsa, riso, mescola\w*, riposare, lievit\w+, batteria, apparecchio, viti?, lavare
    """),
    "saying": word_of(r"""
        mai dire mai, arrend\w+, sogni?, cuore, coraggio, forza, meglio tardi, non si sa mai, nella vita, ce la fai,
        per sogno, credici
    """),
    "a thing and how": r"^[^,.!?:]{2,40}(?:,|:|\sin|\scon|\ssenza|\ssempre|\ssolo)\s(?!(?:ma|che|perche|quando|e|io|"
    r"non)\b)[^,.!?]{2,40}[.!]?$",
    "short": r"^\S+(?:\s\S+){0,2}$",
    "under 9 words": r"^\S+(?:\s\S+){3,7}$",
    "long": r"^\S+(?:\s\S+){18}",
}
