"""Who is named in a text: the person surely, the person likely, or somebody else who shares a name."""

from __future__ import annotations

import pytest

from cortex.domain.person import LIKELY, SURE, Person, Sureness
from cortex.errors import InvalidRequest

ANNA = Person("Anna Schmidt", ["annie", "anna.schmidt@acme.com", "+49 170 1234567", "@aschmidt"])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ask Anna Schmidt about the invoice", SURE),
        ("ANNA SCHMIDT signed it", SURE),
        ("anna schmidt hat angerufen", SURE),
        ("The invoice is Anna Schmidt's", SURE),
        ("Schmidt, Anna (accounting)", SURE),
        ("our colleague Anna\nSchmidt", SURE),
        ("Write to Anna.Schmidt@acme.com.", SURE),
        ("call 0049 (170) 123-4567", SURE),
        ("as @aschmidt says", SURE),
        ("Annie likes tea", SURE),
        ("mit Dr. Anna Schmidt", SURE),
        # Likely, and for a person to decide.
        ("Anna likes tea", LIKELY),
        ("Frau Schmidt likes tea", LIKELY),
        ("Anna Maria Schmidt", LIKELY),
        ("Anna M. Schmidt", LIKELY),
        ("Anna S. called", LIKELY),
        ("Anna Schmidts Büro", LIKELY),
        ("with Maria Anna Schmidt", LIKELY),
        ("Anna and Peter Schmidt came", LIKELY),
        ("anna.schmidt@other.com", LIKELY),
        # Somebody else, or nobody.
        ("Anna Müller likes tea", None),
        ("Anna von Berg", None),
        ("Anna M. called", None),
        ("Peter Schmidt likes tea", None),
        ("P. Schmidt likes tea", None),
        ("Anna-Lena Schmidt", None),
        ("Anna Schmidt-Meier", None),
        ("Johanna Schmidt", None),
        ("Annabelle", None),
        ("the Schmidtke case", None),
        ("Annie Leibovitz took it", None),
        ("joanna.schmidt@acme.com", None),
        ("9917012345678", None),
        ("", None),
    ],
)
def test_a_full_name_is_sure_a_part_likely_and_another_surname_another_person(
    text: str, found: Sureness | None
) -> None:
    assert ANNA.in_text(text) is found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I met May yesterday", SURE),
        ("my friend May likes tea", SURE),
        ("May's sister called", SURE),
        ("May likes tea", LIKELY),
        ("written by May", LIKELY),
        ("I like May Lee", LIKELY),
        ("Theresa May resigned", LIKELY),
        ("it may rain", None),
        ("May I ask?", None),
        ("May you live long", None),
        ("on May 5", None),
        ("on 5 May", None),
        ("since May 2024", None),
        ("in May we sail", None),
        ("from May to June, or May-June", LIKELY),
        ("the May meeting", None),
        ("mayor", None),
    ],
)
def test_a_person_called_may_is_neither_the_verb_nor_the_month(text: str, found: Sureness | None) -> None:
    assert Person("May").in_text(text) is found


def test_a_first_name_with_another_surname_is_never_the_person() -> None:
    may = Person("May Chen", ["May"])
    assert may.in_text("May Lee likes tea") is None
    assert may.in_text("I met May Chen") is SURE
    assert may.in_text("I met May") is SURE


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("Анна Иванова", "Я видел Анну Иванову", LIKELY),
        ("Анна Иванова", "Анна Иванова пришла", SURE),
        ("Анна Иванова", "Анна Петрова пришла", None),
        ("Иван Петров", "письмо Ивану Петрову", LIKELY),
        ("أحمد محمد", "قال أحمد محمد ذلك", SURE),
        ("أحمد محمد", "قَالَ أَحْمَد مُحَمَّد", SURE),
        ("أحمد محمد", "ذهبت لأحمد محمد", LIKELY),
        ("ريم محمد", "كريم محمد", LIKELY),  # `like Reem`, or Karim
        ("دانيال", "دانيالو", None),
        ("דוד כהן", "פגשתי את דוד כהן", SURE),
        ("王伟", "昨天和王伟去吃饭", SURE),
        ("王伟", "王伟，你好", SURE),
        ("王伟", "王伟明是另一个人", LIKELY),
        ("山田太郎", "山田太郎さんは来ます", SURE),
        ("山田 太郎", "山田太郎が来た", SURE),
        ("山田 太郎", "山田さんが来た", LIKELY),
        ("山田 太郎", "山田花子が来た", None),
        ("アンナ・シュミット", "アンナ・シュミットと話す", SURE),
        ("アンナ・シュミット", "アンナ・ミュラーと話す", None),
        ("アンナ", "マリアンナ", None),
        ("김민수", "김민수는 서울에 산다", SURE),
        ("김민수", "김민수씨가 왔다", SURE),
        ("김민수", "민수가 왔다", LIKELY),
        ("김민수", "박민수가 왔다", None),
        ("अनु शर्मा", "मैं अनु शर्मा से मिला", SURE),
        ("अनु शर्मा", "अन शर्मा", LIKELY),
        ("สมชาย ใจดี", "พบ สมชาย ใจดี เมื่อวาน", SURE),
        ("José García", "Jose Garcia called", SURE),
        ("Jürgen Müller", "Juergen Mueller called", SURE),
        ("Juergen Mueller", "Jürgen Müller called", SURE),
        ("Nguyễn Văn An", "Nguyễn Văn An đã gọi", SURE),
        ("Ayşe Yılmaz", "Ayşe Yılmaz'ın evi", SURE),
        ("Jean-Luc Picard", "Jean Luc Picard and Jean-Luc Picard", SURE),
        ("O'Brien", "I met O'Brien there", SURE),
    ],
)
def test_names_of_any_script(name: str, text: str, found: Sureness | None) -> None:
    assert Person(name).in_text(text) is found


def test_a_field_is_a_name_as_a_whole() -> None:
    assert ANNA.in_field("ANNIE") is SURE
    assert ANNA.in_field("Anna") is LIKELY
    assert ANNA.in_field("Anna Müller") is None
    assert Person("May").in_field("may") is SURE
    assert Person("Ann", ["u_42"]).in_field("U_42") is SURE
    assert ANNA.in_field("") is None


@pytest.mark.parametrize("name", ["", "A", "  ", "a\nb", "x" * 101, "…"])
def test_what_would_be_found_in_anything_is_refused(name: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        Person("Anna Schmidt", [name])
    assert refused.value.field == "also[0]"


def test_it_reads_a_long_text_of_many_names_quickly() -> None:
    text = "Anna Müller and Peter Schmidt may come in May. " * 1_300
    assert ANNA.in_text(text) is None
