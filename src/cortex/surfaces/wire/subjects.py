"""A person: found, exported and erased over all users of an agent."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import Field

from cortex.domain.person import MOST_ALIASES, MOST_NAME_CHARS
from cortex.services.subjects import SubjectCertificate, SubjectErased, SubjectMatch, SubjectReport
from cortex.surfaces.wire.fields import AT, ID, Id, LaneName, Moment, ReceiptField
from cortex.surfaces.wire.model import Json, Request, Response, SequenceResponse, example

Name = Annotated[str, Field(min_length=1, max_length=MOST_NAME_CHARS)]
Also = Annotated[
    list[Name] | None,
    Field(max_length=MOST_ALIASES, description="Other names: nicknames, addresses, numbers, handles."),
]
_PERSON: Json = {"person": "Anna Schmidt", "also": ["anna@acme.example"]}
_MATCH: Json = {
    "user": "default", "id": ID, "lane": "memories", "roles": {"mention": "sure"}, "sure": True, "live": True,
    "backups": ["main-20260105T090000Z.000012.backup"],
}  # fmt: skip
_CERTIFICATE: Json = {
    "id": ID, "at": AT, "agent": "main", "users": 1, "erasures": [ID], "erased": 1, "queries": 0,
    "backups": ["main-20260105T090000Z.000012.backup"], "left": 0, "likely": 0, "places": [], "pending": "",
    "clean": True,
}  # fmt: skip


class PersonRequest(Request):
    """A person, by name and other names."""

    person: Name = Field(description="The full name; a first name alone is likely somebody else's as well.")
    also: Also = None


class FindSubjectRequest(PersonRequest):
    """The person to find."""

    backups: bool = Field(True, description="Search the backups as well.")
    with_text: bool = Field(False, description="Include texts.")

    model_config = example(_PERSON)


class ExportSubjectRequest(PersonRequest):
    """The person whose data to export."""

    with_text: bool = Field(False, description="Include texts.")
    likely: bool = Field(False, description="Include likely matches.")

    model_config = example(_PERSON | {"with_text": True})


class EraseSubjectRequest(PersonRequest):
    """The person to erase."""

    likely: bool = Field(False, description="Erase likely matches too.")
    ids: list[Id] | None = Field(None, max_length=10_000, description="Erase these likely matches too.")

    model_config = example(_PERSON)


class SubjectMatchFields(Response):
    """A memory, turn or outcome that the person is in."""

    result = SubjectMatch
    user: str
    id: Id
    lane: LaneName
    roles: dict[str, str] = Field(
        description="`speaker`, `sender`, `subject`, `mention` or `extracted`: sure or likely."
    )
    sure: bool
    live: bool = Field(description="Whether it is in the memory of now, and not in backups alone.")
    backups: tuple[str, ...] = Field(description="The backups that hold it.")
    text: str | None = Field(None, description="Its text, with `with_text`.")


class FindSubjectResponse(Response):
    """Where a person is, the sure and the likely apart; ids, and texts only with `with_text`."""

    sure: tuple[SubjectMatchFields, ...]
    likely: tuple[SubjectMatchFields, ...]
    queries: dict[str, int] = Field(
        description="How many kept queries, states of sessions and jobs surely name the person, by user."
    )
    files: tuple[str, ...] = Field(description="Lines of files that name the person. They are not changed here.")
    users: int = Field(description="How many users were searched.")
    backups: tuple[str, ...] = Field(description="The backups that were searched.")
    holding: tuple[str, ...] = Field(description="Of these, those that hold anything of the person.")
    unreadable: tuple[str, ...] = Field(description="Backups that cannot be read.")
    receipt: ReceiptField

    model_config = example({
        "sure": [_MATCH], "likely": [], "queries": {}, "files": [], "users": 1,
        "backups": ["main-20260105T090000Z.000012.backup"], "holding": ["main-20260105T090000Z.000012.backup"],
        "unreadable": [],
        "receipt": {"id": ID, "op": "find_subject"},
    })  # fmt: skip

    def value(self) -> SubjectReport:
        matches = sorted((each.value() for each in (*self.sure, *self.likely)), key=lambda each: (each.user, each.id))
        return SubjectReport(
            matches=tuple(matches), queries=self.queries, files=self.files,
            users=self.users, backups=self.backups, holding=self.holding, unreadable=self.unreadable,
            receipt=self.receipt,
        )  # fmt: skip


class ExportSubjectResponse(SequenceResponse):
    """One record for each memory, turn and outcome, as an export has it, with user and roles."""

    items = "records"
    records: tuple[Json, ...]

    model_config = example({
        "records": [{"user": "default", "sure": True, "roles": {"mention": "sure"}, "type": "memory", "id": ID,
                     "text": "The invoice goes to Anna Schmidt"}],
    })  # fmt: skip


class SubjectCertificateFields(Response):
    """What was erased of a person: ids and numbers, never a name or a text."""

    result = SubjectCertificate
    id: Id
    at: Moment
    agent: str
    users: int = Field(description="Whose memory held something of the person.")
    erasures: tuple[str, ...] = Field(description="The ids of the erasures, which have certificates of their own.")
    erased: int
    queries: int = Field(description="Kept queries that were dropped.")
    backups: tuple[str, ...] = Field(description="The backups that were searched afterwards.")
    left: int = Field(description="How many sure matches were found afterwards.")
    likely: int = Field(description="How many likely matches are left.")
    places: tuple[str, ...] = Field(description="Where something is left that is not erased here, such as files.")
    pending: str = Field(description="Why it is not finished; empty once it is.")
    clean: bool = Field(description="Whether nothing that is surely of the person was found afterwards.")


class SubjectCertificateResponse(SubjectCertificateFields):
    """The certificate of an erasure of a person."""

    model_config = example(_CERTIFICATE)


class EraseSubjectResponse(Response):
    """The certificate of the erasure."""

    certificate: SubjectCertificateFields
    receipt: ReceiptField

    model_config = example({"certificate": _CERTIFICATE, "receipt": {"id": ID, "op": "erase_subject"}})

    @classmethod
    def of(cls, result: SubjectErased, request: Any = None) -> Self:  # noqa: ARG003
        return cls(certificate=SubjectCertificateFields.of(result.certificate), receipt=result.receipt)

    def value(self) -> SubjectErased:
        return SubjectErased(self.certificate.value(), self.receipt)
