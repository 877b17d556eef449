"""English: the words by which a retold sentence may differ from the memories it retells."""

from __future__ import annotations

from cortex.languages.words import ParaphraseWords

PARAPHRASE = ParaphraseWords(
    neutral="""
    user assistant person say said tell told ask asked mention mentioned state stated note noted remember remembered
    record recorded memory memories according regarding concerning know known
    have has had own owns owned get gets got be become name named call called locate located situate situated base based
    amount total currently current presently present now also additionally furthermore moreover however meanwhile
    overall finally lastly consequently therefore thus since due because along include including both each whose one
    ones though although but ca wo
    """,
    of_a_date="schedule scheduled set slated plan planned date place take takes took taken fall falls happen occur",
    reporting="say tell ask mention state note know name call base locate record remember",
    synonyms="""
    use uses used run runs running rely relies host hosted
    live lives reside resides home
    work works job employed employer employment
    lead leads leader led head heads
    buy buys bought purchase purchased
    begin begins began begun start starts started commence
    end ends ended finish finished complete completed
    teach teaches taught teacher
    pay pays rent
    due deadline
    marry marries married marriage wedding
    send sends sent go goes went
    move moves moved relocate relocated
    child children kid kids
    man men
    woman women
    daily day
    weekly week
    monthly month
    yearly annual annually year
    vet veterinarian veterinary
    speak speaks spoke spoken
    write writes wrote written
    """,
    irregular="""
    begin began begun, break broke broken, bring brought, build built, buy bought, choose chose chosen, come came,
    do did done, draw drew drawn, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feel felt,
    find found, fly flew flown, forget forgot forgotten, get got gotten, give gave given, go went gone,
    grow grew grown, hold held, keep kept, know knew known, lead led, leave left, lend lent, lose lost, make made,
    mean meant, meet met, pay paid, ride rode ridden, rise rose risen, run ran, say said, see saw seen, sell sold,
    send sent, sing sang sung, sit sat, sleep slept, speak spoke spoken, spend spent, stand stood, swim swam swum,
    take took taken, teach taught, tell told, think thought, wake woke woken, wear wore worn, win won,
    write wrote written
    """,
)
