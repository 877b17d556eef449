"""What English says where somebody else words are handed over."""

from __future__ import annotations

from cortex.languages.handover import HandOverWords

HANDOVER = HandOverWords(
    work="""
    summary_of tighten* trim_* polish* wording phrasing tone tense formal informal casual polite politer
    natural naturally fluent stiff awkward idiomatic concise shorter longer funnier catchier punchier
    simpler clearer warmer friendlier professional bullet bullets edit edits correct readable subtitles
    sound_like sounds_like sound_too sounds_too sound_ok sound_okay reads_well flow flows caps uppercase
    lowercase wordy cheesy cringe passive_voice active_voice emoji emojis jargon plain_english what_language
    clean_up tidy_up anonymi* redact* transcrib* format reformat* markdown keywords takeaways key_points
    main_points action_items themes sentiment two_line one_line past_tense present_tense passive compress*
    expand* elaborat* flesh_out lengthen* restat* revis* rework* refin* tweak* enhanc* spruce* smooth*
    streamlin* jazz_up spice_up liven punch_up dumb_down eli5 formaliz* formalis* outline overview pull_out
    punctuat* capitaliz* well_written read_better read_well read_okay read_ok reads_better legally_sound
    watertight wordier snappier politely professionally diplomatically nicely plain_language layman render
    put_into key_rules main_message in_short headline_for minutes_of action_points todos to-dos
    who_does_what who_said too_long too_short sound_native whittle* cut_down trim_it trim_this checklist
    into_a_list boil_this_down boil_it_down boil_down tl;dr once-over look_over look_it_over look_this_over
    have_a_look take_a_look quick_look glance eyeball cast_an_eye second_pair run_through read_through
    sanity_check
    """,
    tone="""
    nice nicer nicely polite politer politely friendlier friendly kinder kindly softer gently diplomatic
    diplomatically tactful tactfully say phrase decline
    """,
    rework="""
    translat* summari* summary gist tldr rewrit* rephras* reword* paraphras* shorten* condens* sum_up
    proofread* simplif* recap digest nutshell main_idea localiz* into_a into_bullet turn_this turn_these
    native_english native_speaker third_person first_person improve*
    """,
    code="function code class query regex sql css html method module loop formula test tests component",
    flaw="""
    typo typos spelling grammar grammatical* mistakes errors comma commas punctuation misspell* spellcheck*
    spell-check* proofread* proof-read* copyedit*
    """,
    unit="""
    words word characters sentences sentence lines line paragraphs paragraph bullets bullet points tweets
    tweet
    """,
    tongue="""
    english german french spanish italian portuguese dutch swedish norwegian danish finnish polish czech
    russian ukrainian greek turkish arabic hebrew hindi chinese mandarin japanese korean latin croatian
    hungarian romanian thai vietnamese welsh
    """,
    learn="learn learning teach explain explain_to study practice practise how_do_you tips tip advice help_me_with",
    judge="""
    think thoughts opinion rate review feedback critique honest scam legit phishing spam fake true right
    wrong real bs believe mean means meaning worth answer reply respond response react understand decode
    wants want shortlist hire invite interview grade score verdict sound sounds good bad convincing
    persuasive say explain help advice rude fair trust legal read reads check look fix improve anything_else
    improvements hits passes works better classify extract category label tag urgent priority triage handle
    what_do what_should how_should how_do analyse analyze analysis mark ask questions worried do_i should_i
    native
    """,
    fraud="scam legit phishing spam fake genuine trustworthy hoax fraud fraudulent dodgy sketchy suspicious",
    hire="""
    hire shortlist candidate applicant recruit interview_him interview_her invite_him invite_her hiring
    resume_of applying job_interview position opening vacancy role_fit good_fit senior_enough qualified
    backend_dev offer_him offer_her job_offer reject_him reject_her
    """,
    text="""
    text texts sentence sentences phrase paragraph paragraphs passage message messages msg email emails
    e-mail mail letter note reply response article post posts tweet comment comments review reviews caption
    bio abstract draft essay quote excerpt extract snippet poem speech document doc paper report memo
    minutes statement description listing ad profile summary testimonial introduction intro blurb headline
    thread ticket complaint application cover_letter resume resumé cv transcript chat log logs dm sms
    voicemail press_release invitation invite toast vow vows obituary wiki blog forum answer answers entry
    diary journal linkedin tinder instagram facebook reddit slack whatsapp discord tumblr quora glassdoor
    yelp tripadvisor pitch statement_of pdf attachment about_page signature feedback submission
    questionnaire survey form newsletter script lyrics verse homework exercise prose copy line lines wording
    version intake bug_report request letter_of postcard card words interview notes flyer notice poster
    leaflet captions subtitles sign story_from brochure recording voice_memo conversation_log leaflet_text
    pamphlet webpage page website bulletin column editorial recap announcement this_call the_call our_call
    this_meeting guide post-it handout playbook policy guideline guidelines rules_sheet contract clause
    advert job_ad ad_copy brief proposal slogan tagline motto prayer sermon eulogy lecture webinar something
    podcast video episode broadcast radio show show_notes lecture_notes
    """,
    this="this that these those here below above",
    point="""
    following attached make_it about_it of_it in_here here_is here_are here's like_this this_call the_call
    our_call this_meeting
    """,
    the="the",
    a="a an some another",
    link="""
    please pls plz can could would will you u help me us to for in into on at with of and or so as just
    quickly quick kindly now asap thanks a an the some any one two three four five bit little more less too
    very all up down out properly again is are it its not do does there need needed want get give put turn
    let let's what how hey ok okay really still also it's that's version convert change points max maximum
    at_most about around roughly under only this_time back
    """,
    come="""
    got received found saw copied pasted pasting forwarded forwarding forward fwd wrote written writes
    emailed mailed texted messaged sent sends posted submitted handed_in dropped shared shares dm'd dmed
    pinged replied answered left_me left_us showed came_in screenshot scanned screenshotted quoted published
    says said goes landed popped_up slid screenshots dictated recorded typed_up passed_me gave_me verbatim
    copy-paste copypasta cc'd from_a from_the from_my dictation handed passed dropped_off clipping clipped
    scraped
    """,
    publish="""
    print prints printed printing publish publishes publishing upload uploads post posts posting submit
    submits hand_in hands_in hand_this_in hand_it_in put_up read_out recite send_out wants_it wants_this
    wants_to_use
    """,
    people="""
    sister brother mother father mom mum dad grandma grandpa gran son daughter wife husband partner
    girlfriend boyfriend ex aunt uncle cousin friend mate buddy boss manager ceo colleague coworker
    co-worker teammate intern roommate flatmate neighbor neighbour landlord landlady teacher professor
    student pupil client customer tenant recruiter candidate applicant doctor guy girl lady someone somebody
    author stranger he she they his her their kid nephew niece seller buyer host user guest patient vendor
    supplier contractor nanny babysitter mentee volunteer tutor classmate reporter blogger influencer
    redditor sibling in-law mother-in-law brother-in-law sister-in-law headhunter him them couple bride
    groom grandad moms dads grandmas mummy mommy daddy father-in-law
    """,
    story="""
    novel story stories scene screenplay script sketch skit monologue dialogue character protagonist
    narrator villain hero heroine backstory fanfic fanfiction fiction campaign rpg d&d dnd dungeon roleplay
    role-play larp improv song lyrics rap poem musical comic manga quest fairy_tale fairytale saga thriller
    noir short_story chapter verse chorus podcast_script puppet persona npc oc sitcom detective game
    adventure text_adventure improvis* horror
    """,
    hero="""
    dragon knight witch wizard king queen baron duke pirate captain vampire elf princess prince detective
    dwarf golem sorcerer innkeeper butler emperor empress commander
    """,
    opening="""
    opens opening begins starts beginning first_line first_lines first_page first_paragraph first_person
    excerpt draft monologue chapter verse chorus line lines intro prologue backstory feedback read-through
    speaking voice thoughts think continue lyrics narrator soliloquy cue action in_character stay dialogue
    snippet passage scene opener
    """,
    goes_on="""
    continue continues keep_going go_on next_chapter next_line next_scene next_part next_paragraph
    what_happens_next carry_on pick_up_from finish_the_story finish_this_story finish_my_story the_rest_of
    rest_of_the_story what_comes_next
    """,
    play="""
    you're_the you_are_the you're_a you_are_a you_play you'll_play you_be_the you_be_a you'll_be you_can_be
    let's_play let's_do let's_pretend pretend roleplay role-play act_as in_character play_a play_the improv
    your_part my_part as_a_character we_play you're_my you_as you're_an you_are_an we're_doing let's_write
    let's_tell let's_make_up
    """,
    part="i'm_the i_am_the i'll_be i'm_your i_am_your me_as",
    second="you you're you'll you'd you_write you_do",
    create="write draft compose create generate design prepare invent make_up think_of",
    answer="reply replies answer response respond write_back text_back say_back get_back_to",
    that="that when if whether because",
    own="remember note know keep listen guess imagine picture forget mind try consider get",
    later="""
    later tomorrow tonight sometime someday one_day next_time next_week from_time_to_time when_i how_long
    how_much every_day for_a_living
    """,
    recipe="""
    recipe recipes manual manuals instructions packet package label leaflet box bottle sign handbook_of
    cookbook user_guide display screen sticker
    """,
    i="i i'm im i've ive i'd i'll my we we're we've our me",
    say="i i'm im i've ive i'd my we we're we've our name's born hi hello dear hey",
    you="""
    your you_said you_wrote you_gave last_answer thanks thank_you our_conversation our_chat so_far
    user_story let_me_rephrase let_me_correct let_me_summarize to_summarize to_sum correction what_i_told
    what_i_said i_told_you we_talked was_too was_good was_great was_perfect was_fine remember remind_me
    for_you the_summary the_answer the_reply the_translation
    """,
    talk="""
    btw by_the_way also anyway ps p.s for_context context fyi i_need i_want i_wanted i_think i_don't i_dont
    i_can't i_cannot i_have_to i_must i_would i'd i_should i_hope i_was i_will i'll i'm_not i_am_not
    not_sure sorry please keep make don't it's it_is should can could would is_it is_this and_i oh remember
    note no thanks my_question my_boss my_teacher for_my
    """,
    greet="hi hello dear hey good_morning good_afternoon greetings hiya hiii hii to_whom",
    relation="""
    husband wife partner brother sister son daughter mother father mom mum mommy mummy dad daddy colleague
    coworker friend boss roommate flatmate girlfriend boyfriend cousin aunt uncle neighbor neighbour grandma
    grandpa granny gran nan grandson granddaughter grandmother grandfather spouse kid nephew niece boy girl
    assistant carer caregiver nurse babysitter nanny intern teammate fiance fiancée twin stepdad stepmom
    mother-in-law guest secretary mate better_half buddy
    """,
    their="his her their",
    intro="this_is it's it_is its i'm i_am im here_is here's my_name's",
    name="my_name i'm_eight",
    typing="""
    typing speaking writing type here talking on_the_line taking_over took_over take_over at_the_keyboard
    hijacking hijacked using borrowing borrowed jumping_in chiming let_me_type i'm_typing let_me it's_me
    type_for type_this_for asked_me_to_type asked_me_to_write write_for typing_for writing_for
    """,
    device="""
    keyboard laptop phone computer tablet ipad account chat session login device pc macbook mic mouse seat
    desk
    """,
    away="""
    left lent borrowing borrowed borrow using stepped shower asleep sleeping bathroom out gone away handing
    handed handing_over passing passed grabbed stole stealing logged taking driving cooking unlocked took
    hijacked hijacking run had_to_run meeting fetching toilet nap on_the_phone kitchen busy walking shopping
    bath working_out feeding changing putting_the at_the_door
    """,
    back="again back returned it's_me its_me this_is_me me_now",
    hands="handing handing_over hand_over hand_you pass_you passing giving give_you over_to turning swapping",
    heading="""
    experience education skills employment work_experience work_history professional_experience languages
    references certifications publications summary objective interests projects qualifications
    """,
)
