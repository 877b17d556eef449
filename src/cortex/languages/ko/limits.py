"""How Korean limits what is said: to a stretch of time, or to a project."""

from __future__ import annotations

from cortex.languages.limits import LimitWords

_FIRST, _LAST, _FINALS, _DOUBLE_S = 0xAC00, 0xD7A3, 28, 20
_PAST = "".join(
    chr(code) for code in range(_FIRST, _LAST + 1) if (code - _FIRST) % _FINALS == _DOUBLE_S and chr(code) not in "있겠"
)
"""Syllables that end in a double s, as stems of the past do; "있" is and "겠" will be."""

LIMITS = LimitWords(
    day=r"(?:오늘(?!부터)(?: ?(?:아침|저녁|밤|하루))?)",
    week=r"(?:이번 ?주(?:말)?(?!부터)|내일(?!부터)|모레|며칠(?: ?동안)?)",
    month=r"(?:이번 ?달(?!부터)|다음 ?주)",
    now=r"(?:방금|당분간|현재로서는|지금 막)",
    until=(r"{}\s?까지",),
    within=r"(?:앞으로|다음)\s{}(?:\s?(?:동안|간))",
    days={"내일": 1, "오늘 밤": 0, "모레": 2, "오늘": 0},
    weekdays=("월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일"),
    spans={"week": "(?:이번 ?주말?|주말)", "month": "(?:월말|이번 ?달 ?말?)", "year": "(?:연말|올해 ?말?)"},
    numbers={"한": 1, "두": 2, "세": 3, "네": 4, "일": 1, "이": 2, "삼": 3, "몇": 5},
    units={"일": 1, "주": 7, "달": 31, "개월": 31, "주일": 7},
    before=r"(?:(?:그런데|근데|그리고|하지만|안녕하세요|저기)[,\s]+){0,2}",
    after=r"(?P<alone>만| ?하루만|에만)?(?:은|는|엔|에는)?[,:]?\s",
    lasting="앞으로 ",
    orders=r"(?:주세요|지 ?마|마세요|말아|해 ?줘|하세요|십시오)",
    scope=(
        r"(?P<about>(?!이 |우리 )[\w&-]{1,30})\s?(?:프로젝트|저장소|리포지토리|팀)(?:에서는|에서|에는|에|동안은|동안"
        r"| 동안은?|는|은|의 경우)[,:]?\s"
        r"|(?:이|우리) (?:프로젝트|저장소|리포지토리|팀)(?:에서는|에서|에는|에|동안은|동안| 동안은?|는|은)[,:]?\s"
    ),
    stays=(
        r"(?:오늘|내일|이번 ?주|이번 ?달|지금|다음 ?주)부터|앞으로|매(?:일|주|달|년|번)|항상|늘 |더 이상|다음 ?달"
        r"|내년|올해|[0-9]{1,3} ?(?:주|달|개월|년) ?(?:뒤|후)|\d{4}년|\d{1,2}월"
    ),
    happened=rf"[{_PAST}](?=[어습다고지는던네죠음으]|$)",
    life_events=(
        r"돌아가[셨시]|세상을 떠|사망|태어났|실직|해고|잘렸|승진|취직|입사|결혼|이혼|약혼|파혼|임신|유산|장례"
        r"|진단(?:을|받)|퇴직|은퇴|졸업했|이사(?:했|를|가|간|를 )|헤어졌"
        r"|생일|기념일|심근경색|뇌졸중"
    ),
)  # fmt: skip
