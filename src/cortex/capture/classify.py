"""The kind of a statement by its words: for statements that came without one."""

from __future__ import annotations

from functools import cache
from re import IGNORECASE, Pattern, compile

from cortex.domain.memory import Kind

_MAX_CHARS = 4_000

# A cue that settles the kind counts three, one that speaks for it two, one that only goes along with it one.
_CUES: dict[Kind, tuple[tuple[int, str], ...]] = {
    Kind.RULE: (
        (3, r"\b(?:from now on|going forward|a partir de ahora|de ahora en adelante|ab (?:jetzt|sofort)|in "
r"zukunft|künftig)\b"
            r"|以[后後]|今[后後]|从现在|從現在|これから(?:は|も)|今後は"),
        (3, r"^\W*(?:please\s+|bitte\s+|por favor,?\s+)?(?:always|never|don't ever|do not|don't|siempre|nunca|"
r"jamás|immer|nie|niemals)\b"),
        (2, r"\b(?:always|never|must(?: not)?|whenever|every time|each time|mandatory|forbidden|not allowed|"
r"required to|siempre|"
            r"nunca|debe[ns]?|cada vez|prohibido|immer|niemals|muss|müssen|darf|dürfen|verboten|jedes mal)\b"),
        (2, r"必[须須]|[务務]必|禁止|不要再|[别別]再|永[远遠]|一律|每次|千万|必ず|絶対に|毎回|常に|"
r"ないで(?:ください|ね)|てください"),
        (1, r"\b(?:should|rule|policy|convention|regla|norma|regel|vorgabe|no .{1,40} without)\b|[规規]定|"
r"[规規][则則]|ルール"),
    ),
    Kind.PROCEDURE: (
        (3, r"\b(?:steps?(?: are|:| for| to)|step \d|how to|procedure|runbook|checklist|los pasos|procedimiento|"
r"die schritte|anleitung)\b"
            r"|步[骤驟]|流程|手順|やり方"),
        (2, r"\b(?:first|primero|zuerst)\b.{1,500}\b(?:then|next|finally|luego|después|dann|danach|anschließend)\b|"
r"先.{1,500}(?:再|然[后後])|まず.{1,500}(?:次に|それから|その後)"),
        (2, r"^\W*(?:to|in order to|para|um)\s+\w+.{0,60}[,:]\s*\S"),
        (1, r"\b(?:run|click|open|press|install|execute|ejecuta|pulsa|drücke|öffne|starte)\b.{0,500}\b(?:then|and|y|"
r"luego|dann|und)\b|`[^`]+`"),
        (1, r"^\s*1[.)]\s"),
    ),
    Kind.PREFERENCE: (
        (3, r"\b(?:prefers?|preferred|favou?rite|rather (?:than|not)|prefiere|prefiero|favorit[oa]|bevorzug\w+|"
r"lieblings\w+|am liebsten|lieber)\b"
            r"|喜[欢歡]|偏好|偏[爱愛]|[讨討][厌厭]|好き|嫌い|苦手|好み"),
        (2, r"\b(?:likes?|loves?|enjoys?|hates?|dislikes?|can't stand|fan of|fond of|keen on|me gusta\w*|me "
r"encanta\w*|odio|detesto|adora|"
            r"mag|mögen|liebt?|hasst?|gern|gerne|allergic)\b|习惯|習慣|不吃|不喝"),
        (1, r"\b(?:usually|tends? to|avoids?|suele|suelo|meistens|normalerweise)\b|[爱愛]"),
    ),
    Kind.DECISION: (
        (3, r"\b(?:decided|decision|agreed (?:to|on|that)|settled on|opted (?:for|to)|chose|chosen|we(?:'ll| "
r"will) (?:use|go with)|"
            r"let's go with|going with|hemos decidido|decidimos|decidido|acordamos|acordado|elegimos|optamos|"
r"entschieden|beschlossen|geeinigt|entscheidung)\b"
            r"|[决決]定|[选選]定|敲定|拍板|ことにしました|ことにした|に決め|に決ま"),
        (2, r"\b(?:switch(?:ed|ing) (?:to|from)|migrat(?:ed|ing) to|picked|adopted|nos quedamos con|cambiamos a|"
r"umgestiegen|gewechselt|wechseln)\b"
            r"|[选選]了|改用|[换換]成|採用|采用|切り替え|統一"),
        (1, r"\b(?:approved|rejected|instead of|en lugar de|statt)\b|同意"),
    ),
    Kind.ENTITY: (
        (3, r"\b(?:is (?:my|our|the user's|his|her|their) (?:\w+ ){0,2}(?:sister|brother|mother|father|wife|"
r"husband|partner|son|daughter|"
            r"friend|boss|manager|colleague|dog|cat|client|team|project|service|landlord|neighbou?r|doctor))\b"),
        (3, r"\b(?:stands for|is (?:the )?(?:code ?name|name|nickname) (?:of|for)|is called|is named|se llama|"
r"heißt)\b|(?:的名字|名字)(?:是|叫)|叫做|の名前は|という名前"),
        (2, r"(?-i:[A-Z][\w-]{1,60}) is (?:our|my|the) (?:new )?\w+|(?-i:[A-Z][\w-]{1,60}) (?:es|ist) (?:mi|nuestr[oa]|"
r"mein|meine|unser|unsere)\b"),
        (1, r"\b(?:owns|maintains|leads|works (?:at|for))\b"),
    ),
    Kind.EPISODE: (
        (2, r"\b(?:yesterday|last (?:night|week|month|year|monday|tuesday|wednesday|thursday|friday|saturday|"
r"sunday|summer|winter|spring|autumn|fall)|"
            r"\w+ (?:days|weeks|months|years) ago|this morning|ayer|la semana pasada|el año pasado|hace \w+ "
r"(?:días|semanas|meses|años)|gestern|letzte[ns]? (?:woche|monat|jahr)|vor \w+ (?:tagen|wochen|"
r"monaten|jahren))\b"
            r"|昨天|上(?:周|週|个月|個月)|去年|前天|昨日|先週|先月"),
        (1, r"\b(?:went|met|visited|attended|happened|got|bought|came|saw|took|gave|told|fui|fuimos|conocí|pasó|"
r"ging|gingen|traf|war|besuchte)\b"
            r"|去了|[见見]了|[买買]了|行きました|行った|会いました|でした"),
    ),
    Kind.FACT: (
        (2, r"\b(?:my name|lives? in|works? (?:at|for|as)|born|birthday|years old|allergic|deadline|is due|phone|"
r"e-?mail|address|"
            r"me llamo|viv[eo] en|trabaj[ao] (?:en|de|como)|nac[ií]|cumpleaños|ich heiße|wohn[et] in|arbeite[t]? "
r"(?:bei|als)|geboren|geburtstag)\b"
            r"|我叫|住在|工作|生日|[过過]敏|截止|住んで|働いて|誕生日|アレルギー"),
        (1, r"\b(?:is|are|was|has|have|am|es|son|está|tiene|tengo|soy|ist|sind|hat|habe|bin)\b|\bi'm\b|是|有|です|ます|"
r"だ(?:よ)?$"),
        (1, r"\d"),
    ),
}  # fmt: skip

_PRECEDENCE = (
    Kind.RULE, Kind.DECISION, Kind.PREFERENCE, Kind.PROCEDURE, Kind.ENTITY, Kind.EPISODE, Kind.FACT,
)  # fmt: skip
"""Who wins where the cues are even: what is to be held to before what merely is."""


@cache
def _compiled(pattern: str) -> Pattern[str]:
    return compile(pattern, IGNORECASE)


def scores(text: str) -> dict[Kind, int]:
    """How much the words of `text` speak for each kind."""
    plain = text[:_MAX_CHARS].replace("’", "'")
    return {
        kind: sum(weight for weight, pattern in cues if _compiled(pattern).search(plain))
        for kind, cues in _CUES.items()
    }


def classify(text: str) -> Kind:
    """The kind the words of `text` speak for most; `other` where they speak for none."""
    found = scores(text)
    best = max(_PRECEDENCE, key=lambda kind: found[kind])
    return best if found[best] else Kind.OTHER
