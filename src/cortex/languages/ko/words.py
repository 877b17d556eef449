"""Korean: its words."""

from __future__ import annotations

from cortex.languages.words import Questions, RelationWords, Similarity, Words, phrase

WORDS = Words(
    lang="ko",
    order=30,
    letters="[\uac00-\ud7af]",
    small_talk="네 예 응 아니요 알겠습니다 고마워 감사합니다 안녕 안녕하세요",
    small_talk_phrases="""
    정말 감사합니다, 정말 고마워, 좋은 아침, 안녕히 주무세요, 안녕히 계세요, 다음에 봐요, 네
    알겠어요, 네 알겠습니다, 수고하셨습니다, 좋은 하루 되세요
    """,
    changed="이제|더 ?이상|(?:으로|로) (?:바뀌|바꿨|변경|옮겼|옮기|이사|올랐|내렸|늘었|"
    "줄었|미뤄|연기|당겨)|바뀌었|변경됐|변경되|올랐|내렸|늘었|줄었|대신|그만뒀|끊었|팔았"
    "|새로(?:운)?|부터는|(?:이|가) 됐|(?:이|가) 되었",
    corrected="정정|잘못 말했|착각했|헷갈렸|아니라",
    takes_back="아니|아니요|아뇨",
    manner="한국어로|영어로|반말|존댓말|짧게|간단히|간결하게|이모지|불러",
    conditions=(
        r"^(?P<about>[^,.?!]{1,30}?)(?:을|를|에 대해|에 관해|"
        r"에 대해서)?\s*(?:물어보면|물어볼 때|질문하면|부탁하면|요청하면|얘기하면|추천할 때)",
    ),
    kinds={
        "rule.lasting": "앞으로|이제부터|지금부터|다음부터",
        "rule.strong": "항상|절대|반드시|무조건|꼭 |하지 마|금지",
        "procedure.order": "먼저.{1,500}(?:다음|그리고)",
        "preference.states": "좋아해|좋아하|싫어해|싫어하|선호",
        "decision.taken": "기로 했|결정했|정했|확정",
        "entity.called": "이름은|라고 불",
        "episode.when": "어제|지난주|지난달|작년",
        "fact.about": "제 이름|살아요|살고|일해요|일하고|생일|태어",
        "fact.is": "이에요|예요|입니다|있어|있습",
    },
    reporting_pattern="사용자",
    injection=(
        phrase(
            "override",
            1.0,
            r"(?:이전|앞선|위의|모든|기존|시스템)[^.\n]{0,10}(?:지시|명령|규칙|프롬프트|지침)[^.\n]{0,6}(?:무시|잊)",
        ),
        phrase("override", 0.3, "개발자 모드|시스템 프롬프트|당신은 이제"),
        phrase(
            "order",
            0.5,
            "지금부터|앞으로|이제부터|항상|반드시|때마다|물어보면",
            "하세요|하십시오|해라|해야|답변|대답|추천|보내|말하",
        ),
        phrase("concealment", 0.5, r"사용자에게[^.\n]{0,10}(?:말하지|알리지|언급하지)"),
        phrase("authority", 0.5, "관리자(?:가|의) (?:요구|지시)"),
    ),
    similarity=Similarity(
        never="적이? 없|한 번도",
        ended="더 ?이상",
        denied="(?<!보)안 |않|없|못",
        opposites=(("싫어", "싫어", "안 좋아"), ("없", "없", "안 있")),
        weekdays=("월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일"),
        persons={"first": "나 저 내 제 나는 저는 제가 내가 우리 저희"},
        limit_patterns={"perhaps": "아마|어쩌면", "only": "만 |뿐", "if": "만약|라면 |다면 "},
        filling="정말|아주|진짜|너무|참고로",
        preference="보다",
    ),
    questions=Questions(
        earlier="예전|전에|원래|처음",
        number="몇|얼마",
        date="언제",
        name="어디|누구|누가",
        fact="무엇|뭐|어느|어떤",
        rules="규칙|지침",
        recommendation="추천",
        polar="[^?？]{0,60}(?:까요|습니까|나요)",
        oneself="나는|저는|제가|내가|우리",
        refers="그것|그건|그거|이것|이건|거기",
        unanswered="모르겠(?:어요|습니다|네요|다)|모릅니다|몰라요?[.!]*$|정보가 없",
        units={"duration": "분 시간 일 주 개월 년", "money": "원"},
    ),
    relations=RelationWords(
        several="여동생 남동생 동생 누나 언니 오빠 형 아들 딸 아이 친구 동료 이웃 개 강아지 고양이",
    ),
)
