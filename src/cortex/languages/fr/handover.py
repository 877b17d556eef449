"""What French says where somebody else's words are handed over."""

from __future__ import annotations

from cortex.languages.handover import HandOverWords

HANDOVER = HandOverWords(
    work="""
    correction* condens* paraphras* formulation tournure ton formel formelle soutenu familier poli polie
    naturel naturelle fluide maladroit concis concise court courte plus_court plus_courte plus_long
    plus_clair sonne sonnent passe_bien passe_mieux temps_verbal subjonctif style accord relis relire
    relecture amelior* peaufin* allege* professionnel professionnelle points_cles puces points_essentiels
    syntaxe vouvoiement version_courte version_anglaise retranscri* anonymis* premiere_personne passe
    compress* developp* etoff* allong* retouch* adapt* embelli* clarifi* bien_ecrit bien_ecrite se_lit
    idee_centrale l_essentiel en_bref plan compte_rendu pv proces-verbal gentiment poliment diplomatique
    elegant vivant vivante langage_simple mots_simples formule trop_long trop_longue redui* oeil coup_d'œil
    coup_d'oeil œil relire_ca parcourir parcours verifie verifier
    """,
    tone="gentiment gentil poli poliment diplomatique doux douceur dis-le",
    rework="""
    traduis* traduire traduction resum* reecri* reformul* corrig* simplifi* abreg* synthes* idee_principale
    essentiel de_quoi_parle transforme convertis raccourc* troisieme_personne natif
    """,
    code="fonction code classe requete formule script methode",
    flaw="""
    faute fautes orthograph* grammaire grammatical* coquille coquilles virgule virgules ponctuation
    conjugaison accords accents
    """,
    unit="mots caracteres phrases lignes paragraphes puces",
    tongue="anglais francais allemand espagnol italien portugais russe chinois japonais neerlandais polonais arabe",
    learn="apprendre apprends explique explique-moi enseigne conseils conseil astuces",
    judge="""
    penses pense avis dis note noter evalue evaluer retour retours arnaque fiable vrai faux reel signifie
    veut_dire veut repondre reponds repond reagir comprendre comprends embaucher recruter convoquer retenir
    convaincant bien mal bon bonne aide explique regarde lis analyse juge juger que_dire quoi_dire
    quoi_repondre que_repondre comment_repondre que_faire vaut phishing spam credible louche ca_va correct
    correcte juste critique que_veut tu_trouves questions dois-je inquieter ca_veut normal
    """,
    fraud="arnaque fiable louche phishing spam faux serieux serieuse credible",
    hire="""
    embaucher embaucherais recruter recruterais convoquer candidat candidate poste convient vacant
    profil_pour offre refuser
    """,
    text="""
    texte textes phrase phrases paragraphe message messages mail mails email e-mail courriel lettre mot note
    reponse article publication post commentaire avis legende bio biographie brouillon redaction
    dissertation citation extrait passage poeme discours document rapport memo compte-rendu declaration
    description annonce profil resume presentation introduction intro fil ticket plainte reclamation
    candidature lettre_de_motivation cv chat conversation sms texto whatsapp vocal invitation journal entree
    blog forum linkedin instagram facebook reddit groupe devoir exercice transcription interview entretien
    version paroles tweet copie courrier carte pitch affiche cahier tract panneau brochure communique appel
    enregistrement page site circulaire depliant reunion guide contrat clause sermon expose consigne
    consignes reglement quelque_chose web internet podcast video episode emission
    """,
    this="cet cette ces ca ceci cela ce ici",
    point="""
    voici voila suivant suivante suivants ci-dessous ci-dessus dessous rends-le mets-le traduis-le
    corrige-le resume-le rends-la ce_que_je_recois ce_truc
    """,
    the="le la les l",
    a="un une",
    link="""
    s'il te plait stp svp peux-tu tu peux pourrais-tu me moi le la les l de du des en au aux a et ou un une
    plus moins tres deux trois vite maintenant merci y il est-ce que fais-moi donne-moi mets passe aide-moi
    bien comment quoi fais c'est
    """,
    come="""
    recu recevoir trouve trouve_ca vu lu copie colle transfere transfert ecrit ecrire m'ecrit m'a envoye
    envoie poste publie depose laisse rendu remis repondu dit raconte dicte tombe tombee arrive vient_de
    d'un d'une de_ma de_mon sur_un tire extrait
    """,
    publish="imprime imprimer publier publie rendre rende afficher affiche poster envoyer lire_a mettre",
    people="""
    soeur sœur frere mere pere maman papa mamie papi grand-mere grand-pere fils fille femme mari compagnon
    compagne copine copain ex tante oncle cousine cousin amie ami pote patron patronne chef cheffe collegue
    voisine voisin proprio proprietaire prof professeur eleve etudiant etudiante client cliente locataire
    recruteur recruteuse candidat candidate quelqu'un type elle il sa son ses lui medecin vendeur vendeuse
    inconnu auteur autrice patient patiente niece neveu belle-mere beau-frere belle-soeur utilisateur coloc
    colocataire stagiaire leur beau-pere gendre belle-fille
    """,
    story="""
    roman histoire nouvelle conte recit scene scenario piece sketch monologue dialogue personnage
    protagoniste narrateur narratrice heros heroine mechant chapitre jeu_de_role fanfic fanfiction campagne
    chanson paroles rap poeme bd aventure couplet refrain theatre polar impro jeu improvis*
    """,
    hero="""
    dragon chevalier sorciere magicien roi reine baron duc comte pirate capitaine vampire elfe princesse
    prince detective nain aubergiste valet empereur commandant
    """,
    opening="""
    debut commence ouverture incipit premiere_phrase premiere_ligne premier_paragraphe premiere_personne
    extrait brouillon chapitre couplet refrain monologue dialogue prologue dit parle voix penses avis scene
    suite replique tirade
    """,
    goes_on="suite continue continuer poursuis prochain_chapitre prochaine_scene poursuivre continue_le continue_la",
    play="""
    tu_fais tu_es_le tu_es_la tu_es_un tu_es_une tu_joues tu_seras jouons on_joue fais_comme fais_semblant
    faisons ton_role incarne toi_le toi_la toi_tu tu_incarnes incarnes ecrivons inventons
    """,
    part="je_suis_le je_suis_la je_fais moi_je",
    second="tu toi",
    create="ecris ecris-moi redige redige-moi cree genere prepare compose invente imagine trouve",
    answer="reponse reponds repondre reagir",
    that="que si quand parce",
    own="retiens note imagine ecoute sache",
    later="demain plus_tard un_jour bientot parfois de_temps_en_temps m'aideras",
    recipe="recette recettes notice mode_d'emploi etiquette flacon emballage panneau boite ecran autocollant",
    i="je mon ma mes nous notre moi j'*",
    say="je j'* mon ma mes nous notre bonjour salut cher chere coucou moi bonsoir",
    you="""
    ton_resume ta_reponse votre merci notre_conversation jusqu'ici ta_derniere ce_que_je etait correction
    parfait retiens rappelle-moi pour_toi le_resume la_reponse la_traduction
    """,
    talk="""
    au_fait d'ailleurs ps contexte pour_info j'ai_besoin je_veux je_voudrais j'aimerais je_crois je_pense
    je_ne je_sais je_dois il_faut s'il merci c'est_pour c'est_un fais mets tu_peux peux-tu pourrais-tu
    est-ce rappelle pardon ah et_je note
    """,
    greet="bonjour salut cher chere chers coucou bonsoir madame monsieur",
    relation="""
    mari femme epoux epouse frere soeur sœur fils fille mere pere maman papa collegue ami amie patron copain
    copine cousin cousine tante oncle voisin voisine mamie papi grand-mere grand-pere petit-fils
    petite-fille compagnon compagne coloc colocataire neveu niece beau-frere belle-mere aide-soignante
    """,
    their="son sa ses leur de d'*",
    intro="c'est ici je_suis moi_c'est ici_c'est",
    name="je_m'appelle mon_nom",
    typing="au_clavier a_l'appareil moi_qui qui_ecris qui_tape qui_ecrit qui_parle j'ecris_pour j'ecris je_tape",
    device="clavier ordi ordinateur telephone portable tablette compte chat pc",
    away="""
    sorti sortie douche dort parti partie laisse prete passe prends emprunte utilise absent absente ouvert
    occupe occupee file cede a_la_place telephone cuisine courses reunion descendu descendue conduit
    conduire promene bain travaille_la
    """,
    back="revoila retour de_nouveau a_nouveau c'est_moi revenu revenue",
    hands="passe laisse cede",
    heading="""
    experience experiences formation langues competences diplomes parcours centres_d'interet references
    experience_professionnelle loisirs
    """,
)
