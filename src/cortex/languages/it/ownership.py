"""What Italian says around somebody else's words."""

from __future__ import annotations

from cortex.languages.ownership import OwnershipWords

OWNERSHIP = OwnershipWords(
    asks=r"""
    (traduci|traduca|traduce|tradurre|traducimi|traduca)
    (correggi|corregga|correggere|correggimi|rivedi|migliora)
    (riassumi|riassuma|riassumere|accorcia|accorci|accorciare|sintetizza)
    (riscrivi|riscriva|riscrivere|riformula|riformulare|parafrasa)
    (rispondi|risponda|rispondere) (a|al|alla|ai|alle)
    (cosa|che|come) (rispondo|dovrei rispondere|posso rispondere) (a|al|alla|ai)
    (scrivi|scriva|prepara|redigi|dammi|scrivere) …risposta (a|al|alla|per)
    (come si dice|come dico|come dire|cosa significa|che significa|cosa vuol dire)
    (è|suona) (corrett[ao]|giust[ao]|grammaticale)( scritt[oa])? (quest[ao]|la seguente|il seguente)
    quest[ao] \w+ (è|suona) (corrett[ao]|giust[ao]|bene)
    """,
    leads="""
    (per favore|e|ora|adesso|poi|ciao|ok|allora|senti)
    (mi )?(puoi|potresti|può|potrebbe|vorrei che|ho bisogno di|voglio che tu)( per favore)?
    aiutami a
    """,
    these=r"""
    (questo( \w+)?|questa( \w+)?|quanto segue|il seguente( \w+)?|la seguente( \w+)?|ciò che segue)
    """,
    above="""
    (quanto sopra|il testo sopra|la frase sopra|il testo precedente|quest[oa] (testo|frase|paragrafo|messaggio))
    """,
    nouns="""
    (testo|frase|paragrafo|messaggio|e-?mail|mail|lettera|articolo|commento|recensione|bozza|tema|citazione|estratto
    |parola|riga|poesia|documento|pagina|relazione|nota|intervista|post|ricetta|manuale|risposta)
    """,
    links="(in|per|a|al|di|del|e|nel)",
    not_texts="""
    (quello che (ti|le|ho)|ciò che ho|nostra|conversazione|chiacchierata|finora|sempre|ogni volta)
    """,
    states=r"""
    (io|abito|vivo|sono|lavoro|mi chiamo|il mio nome|ho|siamo|il mio \w+ (è|si chiama)|la mia \w+ (è|si chiama)
    |mio \w+ (è|si chiama)|ciao|salve|d'ora in poi)
    """,
    closes="(per favore|grazie|puoi|potresti|che ne pensi|cosa ne pensi|va bene|fallo)",
    languages="""
    (inglese|tedesco|francese|spagnolo|italiano|portoghese|olandese|russo|polacco|turco|cinese|giapponese|coreano
    |arabo|sloveno|croato|latino)
    """,
    works="""
    (traduzione|riassunto di (questo|questa)|ortografia|grammatica|correzione (di|del)|cosa c'è di sbagliato
    |inoltrato|traduci|punti chiave)
    """,
    people=r"""
    (sorella|fratello|madre|padre|mamma|papà|nonn[oa]|figli[oa]|moglie|marito|fidanzat[oa]|ex|zi[oa]|cugin[oa]
    |amic[oa]|capo|collega|coinquilin[oa]|vicin[oa]|padron[ea]|professor\w*|cliente|qualcuno|lui|lei|autore|autrice
    |utente)
    """,
    own_frames="""
    ((buone|belle|brutte) notizie|(bella|buona|grande) notizia|novità|annuncio|ricorda|importante|nota|avviso
    |a proposito|correzione|su di me|in breve|in sintesi|per tua informazione
    |come ti ho detto|così|per|ps|domanda|risposta|problema|digli)
    """,
    received="""
    (ecco|questo è|questa è|qui sotto|guarda|leggi|ti incollo|ti giro)( …(il|la|l'|un|una|questo|questa|cosa))?
    (ho ricevuto|mi è arrivat[ao]|ho trovato)( …(questo|questa|un|una|il|la))?
    """,
    wrote="""
    (dice|ha detto|scrive|ha scritto|mi ha scritto|ha risposto|ha pubblicato|ha commentato|ha mandato|mi ha mandato
    |chiede|ha chiesto)( (questo|oggi|ieri|nel|gruppo|quanto segue)){0,4}
    """,
    selves="(io|ho|abbiamo|ti)",
    salutes="(gentile|egregi[oa]|gentilissim[oa]|car[oaie]|spettabile)",
    greets="(ciao|salve|buongiorno|buonasera)",
    signs_off="""
    (cordiali saluti|distinti saluti|un cordiale saluto|saluti|cordialmente|un abbraccio|con i migliori saluti
    |in fede|a presto)
    """,
    dialogue="""
    (d|r|domanda|risposta|intervistatore|intervistatrice|intervistat[oa]|cliente|agente|medico|paziente|professore
    |professoressa|studente|io|tu|lui|lei|utente|capo|mamma|papà)
    """,
    fields=r"""
    (nome|cognome|età|città|paese|indirizzo|via|lavoro|professione|azienda|telefono|cellulare|compleanno|altezza
    |peso|allergie|allergia|hobby|lingue|lingua|famiglia|figli|animali|data|ora|tema|oggetto|nota|importante
    |obiettivo|obiettivi|piano|problema|soluzione|passo ?\d*|ingredienti|preparazione|prezzo|esempio|lunedì|martedì
    |mercoledì|giovedì|venerdì|sabato|domenica|oggi|domani|ieri|colazione|pranzo|cena|vantaggi|svantaggi|chi|cosa
    |quando|dove|perché|come|compito|consiglio|correzione|regola|regole)
    """,
    plays=r"""
    (facciamo|giochiamo|voglio fare|iniziamo|possiamo fare)( …)?(gioco di ruolo|finta|un gioco|a fare finta|ruolo)
    gioco di ruolo ?[:.]
    (fai finta|fingi|immagina|immaginiamo|facciamo finta) (di essere|che tu|che io|che|tu sia|io sia)
    (tu sei|tu sarai) …e io (sono|sarò)
    (ora sei|adesso sei|d'ora in poi sei) (un|una|il|la|mio|@)
    (il mio|la mia|mio|mia) (personaggio|protagonista|eroe|eroina|avatar|narratore|narratrice)( \w+)? (dice|parla
    |pensa|si chiama|è|racconta)
    (il|la) (personaggio|narratore|narratrice|protagonista) (dice|parla|pensa)
    (scrivi|parla|rispondi) (\w+ ){0,4}(con la voce di|nello stile di|come se fossi|nel ruolo di|dal punto di vista)
    da (pirata|re|regina|cavaliere|mago|strega|vampiro) ?:
    (per|nel|nella) (il |la )?(mio|mia) (romanzo|racconto|storia|sceneggiatura|libro|commedia|campagna) ?[,:]
    (scrivi|racconta|inventa)(mi)? (un|una) (\w+ ){0,3}(storia|racconto|poesia|scena|monologo|dialogo|canzone)
    (monologo|dialogo|scena|testo) (per|di|del|della) (mio|mia|un|una|il|la) (personaggio|romanzo|racconto|commedia)
    c'era una volta
    """,
    plays_on="""
    (facciamo|giochiamo|voglio fare|iniziamo|possiamo fare)( …)?(gioco di ruolo|a fare finta)
    (tu sei|tu sarai) …e io (sono|sarò)
    """,
    plays_no_more="""
    (fine|ferma|basta|smettiamo|finiamo|stop) …(gioco|ruolo|personaggio|storia)
    (fuori dal personaggio|cambiamo argomento|altro argomento|torniamo alla realtà|sul serio)
    """,
    guests=r"""
    (adesso|ora|qui) (scrive|parla|sta scrivendo) (mio|mia|il|la|suo|sua|@)
    (sono|qui|è|parla) (suo|sua|il|la) (\w+ )?(marito|moglie|fratello|sorella|figlio|figlia|madre|padre|collega
    |amico|amica|capo|compagn[oa]|fidanzat[oa])( di @| qui)?
    (mio|mia|il mio|la mia) (\w+ )?(marito|moglie|fratello|sorella|figlio|figlia|madre|padre|collega|amico|amica
    |capo|compagn[oa]|fidanzat[oa])( \w+)? (sta scrivendo|scrive adesso|scrive ora|è alla tastiera)
    non sono @,? …sono
    (passo|lascio|cedo) (la|il) (tastiera|telefono|cellulare|chat|parola) a
    (dal|con il|con l'|dall')( )?(account|telefono|cellulare|computer|portatile) di (@|mio|mia)
    """,
    asks_for_others=r"""
    (mio|mia|il mio|la mia) \w+( \w+)? (vuole|vorrebbe|chiede)( chieder\w*| sapere| dir\w*)?( questo| quanto segue)?
    """,
    guests_no_more="(sono di nuovo io|sono tornat[oa]|eccomi di nuovo|di nuovo io)",
    announces="((il|mio) prossimo messaggio|quello che (incollo|mando) (dopo|ora|adesso))",
    is_assistant="""
    (come|in quanto) (un )?(modello linguistico|modello di linguaggio|ia|intelligenza artificiale
    |assistente virtuale|assistente ia)
    sono (un|un'|una|il tuo|il suo) ?(ia|intelligenza artificiale|modello linguistico|assistente virtuale
    |assistente ia|assistente digitale)
    come posso (aiutarti|aiutarla|esserti utile)
    posso (aiutarti|aiutarla) (con|in) (altro|qualcos)
    """,
    assistant_opens="""
    (certo|certamente|volentieri|con piacere|buona domanda|capito|ottima domanda)
    ecco (un|una|il|la|i|le|alcuni|alcune|il tuo|la tua)
    """,
    assistant_closes="""
    (fammi sapere|mi faccia sapere|non esitare)
    se (hai|vuoi|desideri|ha|vuole)
    (vuoi che|ti piacerebbe)
    ecco (un|una|alcuni|alcune|il tuo|la tua)
    """,
    known_by="questo|questa|sono|abito|lavoro|che|della|il mio|la mia|mi chiamo|è",
    into="a",
    please="per favore",
    my="mio|mia",
    i="io",
    first_person="io|mio|mia|abito|sono|lavoro|mi chiamo",
    opens_with_i="io|sono",
    speaks="abito|ho",
    recipient="per",
    origin="da|dal",
    own="mi[oa] propri[oa]|propri[oa]",
    authors=r"(?:l')?ho scritt[oa]|(?:sto per|voglio|vorrei) (?:mandar|inviar|dir|pubblicar)\w{1,3}",
    for_mine="(?:per|in|a) (?:il |la )?(?:mio|mia)",
    introduces_loosely="[Ss]ono",
    names_self="mi chiamo",
    closings="saluti",
    this="questo",
    what="cosa",
    for_you="per te",
    pieces="estratto|citazione",
    asides="comunque|tra l'altro|cosa rispondo",
    frame_leads="e|il|la",
    below="qui sotto",
    got="ricevuto|trovato|letto",
    said_so="disse|scrive",
    cast="personaggio|eroe|narratore|abito|sono|lavoro",
    forwarded="messaggio (?:inoltrato|originale)",
    mail_on="il",
    mail_wrote="ha scritto",
    mail_from="da",
    mail_subject="oggetto",
    mail_headers="data",
)
