"""Lists of Korean words and patterns, by the names in `cortex.languages.lists`."""

from __future__ import annotations

LISTS = {
    "passwords unspaced": "비밀번호|암호",
    "password is unspaced": "는|은",
    "keys unspaced": "토큰",
    "past the owner": "사용자",
    "this project": r"(?:이|우리) ?(?:프로젝트|저장소|레포|코드베이스|패키지|모듈|서비스|브랜치)",
}
