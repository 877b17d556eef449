"""What German says where somebody else's words are handed over."""

from __future__ import annotations

from cortex.languages.handover import HandOverWords

HANDOVER = HandOverWords(
    work="""
    korrektur* lektorier* formulier* fass* glatt* wortwahl stil tonfall tempus zeitform konjunktiv formlich
    formlicher formell formeller locker lockerer hoflich hoflicher freundlicher naturlich naturlicher
    fehlerfrei holprig gestelzt verstandlich verstandlicher stichpunkte stichpunkten klingt klingen ausdruck
    duzen siezen gendern satzbau wiederholungen knackiger sachlicher einfacher professioneller uberarbeit*
    verbesser* redigier* paraphrasier* hochdeutsch deutsche_version englische_version anonymisier*
    kernaussagen kernpunkte erste_person ich-form vergangenheit kurz* gekurzt komprimier* erweiter* ausbau*
    ausfuhrlicher uberflieg* aufpepp* aufhubsch* aufpolier* straff* sag_es netter nett gut_geschrieben
    liest_sich lesbar liest wesentlich* kernbotschaft inhalt protokollier* protokoll gliedere stichworte
    umwandel* schreib_um wandle diplomatisch* freundlich umgangssprachlich amtlich leichte_sprache
    leichter_sprache einfachen_worten uberset* zu_lang zu_kurz rund eindampf* checkliste druberschauen
    druberlesen drubergucken drubergehen blick durchlesen durchsehen durchgehen gegenlesen anschauen
    """,
    tone="nett netter hoflich hoflicher freundlich freundlicher diplomatisch diplomatischer sanfter sag",
    rework="""
    ubersetz* zusammenfass* zusammen fass umformulier* umschreib* korrigier* vereinfach* verkurz* kurze
    kernaussage quintessenz uberblick worum_geht ubertrag* dritte_person dritten_person muttersprachler
    """,
    code="funktion code klasse abfrage formel skript test tests methode",
    flaw="fehler tippfehler rechtschreib* grammatik grammatisch komma kommas kommafehler zeichensetzung vertippt",
    unit="worter worte worten zeichen satze satzen zeilen absatze stichpunkte stichpunkten",
    tongue="""
    englisch* deutsch* franzosisch* spanisch* italienisch* portugiesisch* polnisch* russisch* turkisch*
    niederlandisch* danisch* schwedisch* japanisch* chinesisch*
    """,
    learn="lerne lernen lern erklar* beibring* ube tipps tipp hilf_mir",
    judge="""
    haltst findest meinst denkst meinung bewerte bewerten beurteile beurteilen einschatzung feedback betrug
    echt serios fake stimmt wahr richtig glaub* bedeutet heisst antworte* reagier* erwider* verstehen
    versteh will wollen einladen einstellen absagen note noten passt gut schlecht uberzeugend hilf erklar*
    pruf* lies schau* was_sag* was_schreib* was_soll was_halt* was_mein* phishing spam dreist frech klug
    wie_find* taugt auswerten analysier* einordnen dringend fragen tun muss_ich soll_ich ordnung so_gut
    so_ok besorgt
    """,
    fraud="betrug serios fake phishing spam abzocke betrugsmasche vertrauenswurdig",
    hire="""
    einstellen bewerber bewerberin bewerbers kandidat kandidatin stelle stellen posten position geeignet
    eignet zusage absage einladen vorstellungsgesprach
    """,
    text="""
    text texte satz satze absatz abschnitt nachricht nachrichten mail mails e-mail email brief zettel notiz
    antwort artikel beitrag post kommentar bewertung rezension bildunterschrift bio entwurf aufsatz zitat
    auszug gedicht rede dokument bericht protokoll aussage beschreibung anzeige inserat profil
    zusammenfassung referenz vorstellung einleitung thread ticket beschwerde bewerbung anschreiben
    motivationsschreiben lebenslauf steckbrief chat chatverlauf verlauf sms whatsapp sprachnachricht
    einladung tagebuch eintrag blog forum linkedin instagram facebook reddit whatsapp-gruppe klassenchat
    abstract hausaufgabe ubung transkript interview version schreiben mitteilung stellungnahme kundenmail
    aushang flyer zeugnis protokolle abstrakt postkarte karte ausschnitt passage plakat songtext hinweis
    broschure prospekt pressemitteilung telefonat gesprach aufnahme webseite seite rundschreiben newsletter
    memo leitfaden handzettel richtlinie vertrag klausel anzeigentext merkblatt predigt vortrag grusskarte
    etwas website netz internet vergleichsseite portal podcast video folge sendung fassung
    """,
    this="das dies diese dieser dieses diesen diesem hier",
    point="""
    folgende folgender folgendes folgenden folgendem unten oben darunter anbei darauf daraus mach_es
    dem_hier hier_ist hier_mein hier_die hier_der
    """,
    the="der die das den dem des",
    a="ein eine einen einem",
    link="""
    bitte mal kannst konntest wurdest du mir uns ins auf in im zu zum zur und so als fur schnell jetzt noch
    ein eine einen einem der die den dem etwas bisschen mehr weniger sehr zwei drei vier funf da drin sind
    ist es gibt irgendwelche mach mache hilf sag danke wie was ab bis um zusammen eben gerne nochmal alles
    """,
    come="""
    bekommen bekam erhalten gefunden gelesen kopiert weitergeleitet schrieb schreibt geschrieben schickte
    schickt geschickt gemailt gepostet postete eingereicht abgegeben hinterlassen kam reinkommen
    reingekommen antwortete geantwortet meinte sagt sagte zugeschickt eingegangen reingeflattert diktiert
    stammt steht stand aus_dem aus_der von_einem von_einer von_meinem von_meiner hing lag ausschnitt
    abgeschrieben
    """,
    publish="""
    drucken druckt veroffentlich* einreichen abgeben abgibt aufhangen stellen posten hochladen vorlesen
    verschicken
    """,
    people="""
    schwester bruder mutter vater mama papa oma opa sohn tochter frau mann partner partnerin freundin freund
    ex tante onkel cousin cousine kumpel chef chefin kollege kollegin kollegen mitbewohner mitbewohnerin
    nachbar nachbarin vermieter vermieterin lehrer lehrerin professor schuler schulerin student studentin
    kunde kundin mieter mieterin bewerber bewerberin bewerbers kandidat kandidatin jemand jemanden typ er
    sie ihr sein seine ihre arzt headhunter recruiter praktikant praktikantin kind verkaufer verkauferin
    fremder autor autorin patient patientin nichte neffe schwiegermutter schwager schwagerin mitschuler
    hausverwaltung user nutzer azubi opas omas schwesters ihm ihn paar schwiegervater schwiegersohn
    schwiegertochter
    """,
    story="""
    roman geschichte kurzgeschichte szene drehbuch theaterstuck stuck sketch monolog dialog figur charakter
    protagonist protagonistin held heldin erzahler erzahlerin krimi kapitel rollenspiel fanfiction kampagne
    lied song liedtext rap gedicht marchen horspiel comic abenteuer strophe refrain thriller novelle
    improtheater fantasy p&p abenteuerspiel pen_and_paper spiel improvisier*
    """,
    hero="""
    drache drachen ritter hexe zauberer konig konigin graf herzog pirat kapitan vampir elf prinzessin prinz
    detektiv zwerg golem wirt diener kaiser kommandant
    """,
    opening="""
    anfang beginnt beginn erster_satz ersten_satz ersten_satze einstieg auszug entwurf kapitel strophe
    refrain monolog dialog prolog sagt spricht ich-perspektive feedback weiter los findest haltst stelle
    szene lies
    """,
    goes_on="""
    weiter weiterschreib* fortsetz* zu_ende nachste_szene nachstes_kapitel nachste_kapitel fort setze_fort
    fortfuhr* fuhre_fort
    """,
    play="""
    du_bist_der du_bist_die du_bist_ein du_bist_eine du_spielst du_machst_den wir_spielen tu_so rollenspiel
    deine_rolle spiel_den spiel_die spiele_den du_der du_die du_bist_mein lass_uns lasst_uns bist_du_mein
    bist_du_meine bist_du_der bist_du_die bist_du_ein bist_du_eine
    """,
    part="ich_bin_der ich_bin_die ich_bin_ein ich_bin_eine ich_den ich_die ich_der ich_bin_dein",
    second="du",
    create="schreib schreibe verfass* entwirf entwerf* erstell* formulier_mir setz erfinde denk_dir uberleg",
    answer="antwort antworte antworten erwiderung reagieren zuruckschreiben erwidern",
    that="dass wenn ob weil",
    own="merk merke denk stell glaub hor",
    later="spater morgen irgendwann nachste_woche demnachst ab_und_zu manchmal beruflich",
    recipe="""
    rezept rezepte anleitung bedienungsanleitung gebrauchsanweisung packung beipackzettel etikett schild
    handbuch display aufkleber bildschirm
    """,
    i="ich mein meine meinen meinem meiner wir unser unsere mir mich",
    say="ich mein meine meinen wir unser unsere hallo guten_tag hi sehr_geehrte liebe lieber moin",
    you="""
    deine dein deiner du_hast danke unser_gesprach bisher vorhin letzte war_gut war_zu war_super war_klasse
    was_ich_dir wir_besprochen korrektur merk erinner_mich erinnere_mich fur_dich die_zusammenfassung
    die_antwort die_ubersetzung
    """,
    talk="""
    ubrigens ausserdem ps kontext zur_info ich_brauche ich_mochte ich_will ich_wurde ich_hatte ich_muss
    ich_glaube ich_denke ich_finde ich_weiss ich_bin_mir ich_soll ich_sollte ich_kann bitte danke es_soll
    es_ist soll kannst konntest ist_das merk und_ich ach achtung
    """,
    greet="hallo guten_tag hi sehr_geehrte sehr_geehrter liebe lieber moin servus hey gruss_gott guten_morgen",
    relation="""
    mann frau ehemann ehefrau bruder schwester sohn tochter mutter vater mama papa kollege kollegin freund
    freundin chef mitbewohner mitbewohnerin cousin cousine tante onkel nachbar nachbarin oma opa enkel
    enkelin kind neffe nichte partner partnerin schwager schwagerin pfleger pflegerin schwiegermutter
    """,
    their="sein seine ihr ihre dessen deren",
    intro="hier_ist hier_spricht hier_schreibt hier_tippt hier ich_bin das_ist bin da_ist",
    name="ich_heisse ich_heiss mein_name",
    typing="""
    tippt tippe schreibt schreibe spricht am_rechner am_handy an_der_tastatur dran ubernimmt ubernehme
    ich_darf darf_mal darf_jetzt ich_bin_jetzt_dran tippe_fur schreibe_fur
    """,
    device="tastatur laptop handy rechner computer tablet account konto chat pc",
    away="""
    weg kurz_weg gegangen dusche schlaft nicht_da leihe geliehen gebe gibt ubergebe gerade liegen offen
    ausgeliehen benutze nutze reiche rube* statt darf durfte unterwegs holt kocht telefoniert termin besorgt
    einkaufen kuche fahrt fahren beschaftigt spazieren badet putzt arbeitet_gerade
    """,
    back="wieder zuruck bin_ich ich_selbst",
    hands="gebe ubergebe reiche geb ubergeb rube*",
    heading="""
    berufserfahrung ausbildung kenntnisse sprachen fahigkeiten lebenslauf bildungsweg studium praktika
    werdegang referenzen hobbys zur_person interessen
    """,
)
