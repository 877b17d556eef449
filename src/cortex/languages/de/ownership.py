"""What German says around somebody else's words."""

from __future__ import annotations

from cortex.languages.ownership import OwnershipWords

OWNERSHIP = OwnershipWords(
    asks=r"""
    (übersetze?t?|übersetzen sie|übersetz mal)
    (korrigiere?|korrigieren sie|verbessere?|verbessern sie|lektoriere?)
    (fasse?|fassen sie) (das|dies|diesen|diese|dieses|den|die|folgend\w+|mir)
    (formuliere?|formulieren sie|schreibe?|schreiben sie) (das|dies|diesen|diese|dieses|den|folgend\w+|es) …(um|neu)
    (kürze?|kürzen sie) (das|dies|diesen|diese|dieses|den|folgend\w+)
    (antworte?|antworten sie|reagiere?|reagieren sie) auf
    (beantworte?|beantworten sie)
    (schreibe?|schreiben sie|formuliere?|verfasse?|entwirf|gib) …(antwort|erwiderung) (auf|an|zu)
    (wie sagt man|wie schreibt man|wie heißt|was heißt|was bedeutet)
    (ist|klingt|stimmt|passt) (das|dies|dieser|diese|dieses|der|die|folgend\w+)( \w+)?( so)?( grammatisch
    | grammatikalisch)? (richtig|korrekt|okay|gut|verständlich)
    (ist|klingt|stimmt|passt) (das|dies|dieser|diese|dieses|der|die|folgend\w+)( \w+)? so
    (erkläre?|erklär mir) (diesen|diese|dieses|den|folgend\w+) (satz|text|absatz)
    """,
    asks_after="""
    (übersetzen|korrigieren|zusammenfassen|umformulieren|umschreiben|lektorieren|kürzen|beantworten|verbessern
    |ins (englische|deutsche|französische|spanische|italienische|chinesische|russische) übertragen)
    """,
    leads="""
    (bitte|und|dann|jetzt|nun|mal|kurz|ok|okay|hallo|hey|hi|also)
    (kannst|könntest|würdest|magst|willst) du( mir| bitte| mal| kurz)?
    (können|könnten|würden) sie( mir| bitte)?
    hilf mir( bitte| dabei)?,?
    """,
    these=r"(das|dies|dieses?n?r?m?|folgend\w+|den (satz|text)|der satz|das hier)",
    above="""
    (das obige|den obigen|der obige|obigen?|(den )?text oben|oben|diese[nrs]? (text|satz|absatz|nachricht|zeilen)
    |das(?= (bitte|ins|auf)))
    """,
    nouns="""
    (text|satz|sätze|absatz|nachricht|e-?mail|mail|brief|artikel|beitrag|kommentar|entwurf|aufsatz|zitat|auszug
    |abschnitt|wort|zeile|gedicht|dokument|seite|webseite|bericht|protokoll|bewerbung|anschreiben|antwort|sms|post
    |rezension|beschreibung|interview|gespräch von|chatverlauf|rezept|anleitung|ausschnitt)(en|e|s|n)?
    """,
    links="(ins|auf|in|bitte|für|mal|so|kurz|zusammen|um|mir|nach|zu|aus|richtig|doch|noch)",
    not_texts=r"""
    (was ich (dir|ihnen)|was wir|unser\w*|gespräch|unterhaltung|bisher|immer|jedes mal|wenn ich)
    """,
    states=r"""
    (ich|wir|er|sie|mein name|meine?r? \w+ (ist|heißt|wohnt|arbeitet))
    (hallo|hi|liebe[rs]?|guten tag|ab sofort|nenn mich)
    """,
    closes="""
    (bitte|danke|kannst du|könntest du|können sie|was meinst du|was denkst du|ist das|klingt das|mach es|halte es
    |halt es)
    """,
    languages=r"""
    (englisch\w*|deutsch\w*|französisch\w*|spanisch\w*|italienisch\w*|portugiesisch\w*|niederländisch\w*|russisch\w*
    |polnisch\w*|türkisch\w*|chinesisch\w*|japanisch\w*|koreanisch\w*|arabisch\w*|schwedisch\w*|latein\w*)
    """,
    works=r"""
    (übersetzung|übertragen|zusammenfassung von|stichpunkte\w*|rechtschreibung|grammatik\w*|korrektur von
    |was ist falsch|was stimmt nicht|weitergeleitet|darauf antworten|daraus|untertitel)
    """,
    people=r"""
    (schwester|bruder|mutter|vater|mama|papa|oma|opa|sohn|tochter|frau|mann|partner(in)?|freund(in)?|ex|tante|onkel
    |chef(in)?|kolleg\w+|mitbewohner(in)?|nachbar(in)?|vermieter(in)?|lehrer(in)?|kunde|kundin|jemand|typ|er|sie
    |autor(in)?|nutzer(in)?)
    """,
    own_frames="""
    ((gute|schlechte|große) (nachrichten?|neuigkeit(en)?)|neuigkeit(en)?|(kleines )?update|merk dir|wichtig
    |hinweis|notiz|info|infos|achtung|übrigens|korrektur|nachtrag|zu mir|über mich|kurz|kurzum
    |nämlich|folgendes|zusammengefasst|denk dran|zur info|für|ps|frage|antwort|problem|grund|sag (ihm|ihr|ihnen))
    """,
    received="""
    (hier ist|hier sind|hier kommt|hier|das ist|das hier ist|anbei|unten ist|es folgt|schau mal|sieh mal|guck mal
    |lies mal)( …(die|der|das|eine?n?|diese[rsn]?|was))?
    (ich habe|hab|ich hab|wir haben) (gerade |eben |heute |diese |die |das |eine |folgende ){0,3}…(bekommen|gefunden
    |erhalten)
    """,
    wrote="""
    (sagt|sagte|schreibt|schrieb|geschrieben|gesagt|gesendet|geschickt|meinte|antwortete|geantwortet|postete
    |gepostet|kommentierte|fragt|fragte|gefragt|diktiert)( (mir|uns|heute|gestern|dazu|das|folgendes|in|der
    |gruppe)){0,4}
    """,
    selves="(ich|wir|du|man)",
    salutes="(sehr geehrte[rs]?|liebe[rs]?|geehrte[rs]?|werte[rs]?)",
    greets="(hallo|hi|guten (tag|morgen|abend)|moin|servus)",
    signs_off="""
    (mit )?(freundlichen?|besten?|herzlichen?|lieben?|vielen|schönen?) (grüßen?|grüssen?|gruß|dank)
    (mfg|lg|vg|beste grüße|viele grüße|liebe grüße|hochachtungsvoll|gruß|grüße)
    """,
    dialogue="""
    (f|frage|antwort|interviewer(in)?|moderator(in)?|kunde|kundin|bewerber(in)?|arzt|ärztin|patient(in)?|lehrer(in)?
    |schüler(in)?|ich|du|er|sie|nutzer(in)?|chef(in)?|reporter(in)?|gast|verkäufer(in)?|mama|papa)
    """,
    fields=r"""
    (name|vorname|nachname|alter|wohnort|ort|stadt|land|adresse|straße|beruf|job|arbeit|arbeitgeber|firma|telefon
    |handy|geburtstag|größe|gewicht|allergien?|hobbys?|sprachen?|familie|kinder|haustiere?|datum|uhrzeit|zeit|thema
    |betreff|notiz|hinweis|wichtig|achtung|ziel|ziele|plan|problem|lösung|schritt ?\d*|zutaten|zubereitung|preis
    |kosten|beispiel|fazit|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|heute|morgen|gestern
    |frühstück|mittag|mittagessen|abendessen|abend|vorteile?|nachteile?|wer|was|wann|wo|warum|wie|aufgabe|tipp|regel
    |regeln|korrektur|nachtrag|update)
    """,
    plays=r"""
    (lass uns|lasst uns|wollen wir|können wir|ich möchte|ich will) …(rollenspiel|ein spiel|so tun als|theater)
    rollenspiel ?[:.]
    (tu so|stell dir vor|stellen wir uns vor|tun wir so|nehmen wir an),? (als|du|ich|wir|dass)
    (du bist|ab jetzt bist du|du spielst|spiel|spiele) (jetzt |nun |ab jetzt )?(ein|eine|einen|der|die|den|das
    |@) …(und )?ich (bin|spiele)
    (du bist jetzt|du bist nun|ab jetzt bist du|du spielst jetzt)
    meine? (figur|charakter|held|heldin|protagonistin?|hauptfigur|erzähler(in)?)( \w+)? (sagt|spricht|denkt|heißt
    |ist|stellt sich vor|meint|schreibt)
    (mein )?charakter (sagt|spricht|denkt|heißt)
    (die|der) (figur|erzähler(in)?|protagonistin?) (sagt|spricht|denkt)
    (schreibe?|sprich|antworte|rede) (\w+ ){0,4}(aus der sicht|im stil|wie ein|wie eine|als ob du|in der rolle
    |als wärst du)
    als (pirat|ritter|könig|königin|zauberer|figur)\w* ?:
    (für|in|aus) (meine[nmr]?|dem|der|unserer?|unserem) (roman|geschichte|drehbuch|buch|stück|theaterstück|kampagne
    |novelle) ?[,:]
    (schreibe?|erzähle?|erfinde?) (mir )?(eine?n?) (\w+ ){0,3}(geschichte|gedicht|märchen|szene|monolog|dialog|lied
    |theaterstück)
    (monolog|dialog|szene|text|rede) (für|von|aus) (meine[nmr]?|der|die|dem|einer) (\w+ ){0,2}(figur|charakter|roman
    |geschichte|helden|stück)
    du bist @( \w+)?[,;] ?(und )?ich bin @
    es war einmal
    """,
    plays_on="""
    (lass uns|lasst uns|wollen wir|ich möchte|ich will) …(rollenspiel|so tun als)
    (du bist|du spielst) …und ich (bin|spiele)
    bleib in der rolle
    """,
    plays_no_more=r"""
    (ende|stopp?|beende|beenden wir|schluss mit|genug vom?) …(rollenspiel\w*|spiels?|rolle|geschichte)
    (außerhalb der rolle|neues thema|anderes thema|zurück zum? (thema|alltag|realität|arbeit)|im ernst|ohne spaß)
    """,
    guests_no_more="""
    (ich bin('s| es)? wieder( da| selbst)?|jetzt wieder ich|bin zurück|ich bin zurück|wieder ich
    |hier bin wieder ich)
    """,
    announces="""
    (nächste[rnm]? nachricht|was ich (dir )?(gleich|als nächstes) (schicke|einfüge|sende)|ich (schicke|füge
    |sende) (dir )?(gleich|jetzt) …(text|mail|nachricht)?)
    """,
    is_assistant=r"""
    als (ki|künstliche intelligenz|sprachmodell|ki-\w+|großes sprachmodell|virtuelle\w? assistent\w*)
    (ich bin|bin) (ein|eine|ihr|dein) (ki|künstliche intelligenz|sprachmodell|ki-\w+|virtueller assistent
    |digitaler assistent)
    wie kann ich (dir|ihnen|euch) (heute |weiter |sonst |noch )?(weiter)?helfen
    (kann ich|gibt es) (sonst )?noch (etwas|was) …(helfen|tun|für (dich|sie))
    """,
    assistant_opens="""
    (gerne|natürlich|selbstverständlich|klar|sicher|gute frage|verstanden|aber gern|kein problem)
    hier (ist|sind) (ein|eine|der|die|das|dein|deine|ihr|ihre|einige)
    """,
    assistant_closes="""
    (sag|sagen sie|gib|geben sie) (mir )?(einfach )?bescheid
    (wenn|falls) (du|sie) (noch |weitere |weiteres )?(fragen|möchte|etwas|hilfe|änderungen)
    (möchtest du|soll ich|möchten sie)
    hier (ist|sind) (ein|eine|dein|deine|ihr|ihre|einige)
    """,
    known_by="ich|mir|bitte|das|den|dem|ins|auf|und|mal|kannst",
    sentence_opens="Ich|Mein|Wir|Hallo|Liebe|Guten|Sehr|Moin",
    unfinished=r"von|vom|der|die|das|den|dem|ins|auf|im|für|ein|eine|einen|mein\w{0,2}",
    into="ins|auf",
    please="bitte",
    inserts="mal",
    my=r"mein\w{0,2}",
    our=r"unser\w{0,2}",
    i="ich|wir",
    first_person=r"ich|mein\w{0,2}|wir",
    speech="du|sie",
    opens_with_i="ich|wir",
    opens_with_mine="mir|mich",
    before_mine="zu",
    me=r"ich|mich|mir|mein\w{0,2}",
    to_me="mich|mir|uns",
    recipient="für|an die|an den|an meinen?",
    origin="von|vom|aus",
    third_person=r"er|sie|ihm|ihr|dem|der|sein\w{0,2}",
    they="sie",
    you=r"du|dich|dir|dein\w{0,2}|ihr|euch|ihnen",
    own="meins|meine eigenen?|mein eigene[rs]?|selbst|selber|eigene[rnms]?",
    i_wrote=r"habe ich geschrieben|ich habe [^.!?\n]{0,30}geschrieben",
    authors=(
        r"(?:ich|hab|wir)\b(?: [\w'-]{1,16}){0,5}? (?:schreibe?|geschrieben|schicke?n?|schick|sende?n?|sagen|"
        "verfasst|posten?|vorlesen|einreichen|abgeben|abschicken)"
    ),
    for_mine=r"(?:an|für|auf|in) (?:mein\w{0,2}|unser\w{0,2})",
    introduces="[Ii]ch bin",
    titles="Frau |Herr |der |die ",
    names_self="mein name|ich hei(?:ß|ss)e",
    interjections="äh|ähm",
    closings="gru(?:ß|ss)|grüße|tschüss",
    orders="immer|stets|nie|niemals",
    this="folgendes",
    what="was",
    assistants=r"assistent\w{0,2}",
    for_you="für dich",
    pieces="absatz|auszug|zitat",
    asides="übrigens|zur info|soll ich|was mach ich",
    opens_aside="übrigens|außerdem|merk|danke",
    frame_leads="und|die|der|das",
    below="unten",
    got="gefunden|bekommen|gelesen",
    duty="ich (?:muss|soll)",
    said_so="schrieb|schreibt|sagte?|meinte",
    cast=r"figur|charakter|held|heldin|erzähler\w{0,2}|rollenspiel",
    question_and_answer="F|A",
    forwarded="weitergeleitete|ursprüngliche",
    mail_on="am",
    mail_wrote="schrieb",
    mail_from="von",
    mail_subject="betreff",
    mail_headers="an|datum|gesendet",
    clause_begins="[Ii]ch ",
    declares=r"(?:mein\w{0,2}|die|der)\b[^?]{0,60}\b(?:ist|sind|war|hat)",
    question_opens="wie|wer|ist|sind|soll|würdest",
    request_opens="kannst|könntest",
    copulas="ist|klingt",
    genitive=r"[A-ZÀ-Þ]\w{2,20}s [a-zA-Z]|\bvon ?[A-ZÀ-Þ]\w",
)
