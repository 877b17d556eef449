"""`admin subject`: a person in the memory of all users and in the backups, found, exported and erased."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from cortex.errors import InvalidRequest
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import surface_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from cortex.services.subjects import SubjectCertificate, SubjectMatch, SubjectReport

LEFT = 1
"""Exit code if something of the person is left somewhere."""

MOST_ROWS = 50

subject = typer.Typer(help="A person in all users' memory and the backups: find, export, erase.", no_args_is_help=True)

Who = Annotated[str, typer.Argument(metavar="PERSON", help="The full name of the person.")]
Also = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="Another name: a nickname, an address, a number, a handle.")
]


@subject.command("find")
def subject_find(
    context: typer.Context,
    person: Who,
    also: Also = None,
    backups: Annotated[bool, typer.Option(help="Search the backups as well.")] = True,
    with_text: Annotated[
        bool, typer.Option("--with-text", help="Show texts: a line of each, with --json whole.")
    ] = False,
) -> None:
    """Find a person in all users' memory and the backups: sure and likely matches."""
    surface = surface_of(context)
    with surface.engine() as engine, output.progress("searching") as progress:
        found = engine.find_subject(person, also=also or (), backups=backups, with_text=with_text, progress=progress)
    if surface.json:
        from cortex.surfaces.wire.subjects import FindSubjectResponse

        output.show_response(FindSubjectResponse.of(found))
    else:
        output.show(*_report(found))


@subject.command("export")
def subject_export(
    context: typer.Context,
    person: Who,
    also: Also = None,
    with_text: Annotated[bool, typer.Option("--with-text", help="Include texts.")] = False,
    likely: Annotated[bool, typer.Option("--likely", help="Include likely matches.")] = False,
) -> None:
    """Print JSON lines: every memory, turn and outcome that a person is in, with its user."""
    surface = surface_of(context)
    with surface.engine() as engine:
        for line in engine.export_subject(person, also=also or (), with_text=with_text, likely=likely):
            sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")


@subject.command("erase")
def subject_erase(
    context: typer.Context,
    person: Who,
    also: Also = None,
    likely: Annotated[bool, typer.Option("--likely", help="Erase likely matches too.")] = False,
    id: Annotated[list[str] | None, typer.Option(metavar="ID", help="Erase this likely match too.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Skip the confirmation.")] = False,
) -> int:
    """Erase a person from all users' memory and the backups, with one certificate. This cannot be undone."""
    surface = surface_of(context)
    if not yes and not sys.stdin.isatty():
        raise InvalidRequest(
            "needs confirmation, and there is no terminal", field="subject erase", hint="give --yes to confirm"
        )
    with surface.engine() as engine:
        if not yes:
            with output.progress("searching") as progress:
                found = engine.find_subject(person, also=also or (), progress=progress)
            output.show(*_report(found))
            question = "This cannot be undone. Type `erase` to continue"
            if typer.prompt(question, default="", show_default=False) != "erase":
                raise typer.Abort
        with output.progress("erasing") as progress:
            done = engine.erase_subject(person, also=also or (), likely=likely, ids=id or (), progress=progress)
    if surface.json:
        from cortex.surfaces.wire.subjects import EraseSubjectResponse

        output.show_response(EraseSubjectResponse.of(done))
    else:
        output.show(*_certificate(done.certificate))
    return 0 if done.certificate.clean else LEFT


@subject.command("certificate")
def subject_certificate(
    context: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID", help="The ID of the certificate.")],
) -> int:
    """Show the certificate of an erasure again."""
    surface = surface_of(context)
    with surface.engine() as engine:
        found = engine.subject_certificate(id)
    if surface.json:
        from cortex.surfaces.wire.subjects import SubjectCertificateResponse

        output.show_response(SubjectCertificateResponse.of(found))
    else:
        output.show(*_certificate(found))
    return 0 if found.clean else LEFT


def _report(found: SubjectReport) -> Iterator[RenderableType]:
    from rich.text import Text

    from cortex.surfaces.cli import rendering

    for name, matches in (("sure", found.sure), ("likely", found.likely)):
        if not matches:
            continue
        if matches[0].text is None:
            table = rendering.table(name, "user", "lane", "match", "backups", whole=[name], right=["backups"])
            for each in matches[:MOST_ROWS]:
                table.add_row(each.id, output.one_line(each.user), *_where(each, name))
            yield table
        else:
            yield Text(name, "bold")
            for each in matches[:MOST_ROWS]:
                lane, roles, backups = _where(each, name)
                yield Text(f"{each.id}  {output.one_line(each.user)} · {lane} · {roles} · backups: {backups}", "dim")
                yield Text(f"   {output.one_line(each.text or '')}", no_wrap=True, overflow="ellipsis")
        if len(matches) > MOST_ROWS:
            yield Text(f"and {len(matches) - MOST_ROWS:,} more; --json lists them all", "dim")
    queries = sum(found.queries.values())
    searched = f"{rendering.several(found.users, 'user')} and {rendering.several(len(found.backups), 'backup')}"
    kept = rendering.several(queries, "kept query", "kept queries")
    yield Text(f"{len(found.sure):,} sure, {len(found.likely):,} likely and {kept} in {searched}", "bold")
    for lines in found.files[:MOST_ROWS]:
        yield rendering.notice(output.one_line(f"{lines} names the person"), "edit the file")
    for name in found.unreadable:
        yield rendering.notice(f"{name} cannot be read", "see `cortex backup drill`; remove it if it is of no use")


def _where(match: SubjectMatch, listed: str) -> tuple[str, str, str]:
    """The lane of a match, what the person is in it, and how many backups hold it."""
    roles = ", ".join(f"{role} ({sure})" if sure != listed else role for role, sure in match.roles.items())
    return match.lane.value, roles, f"{len(match.backups):,}" if match.live else f"{len(match.backups):,} only"


def _certificate(found: SubjectCertificate) -> Iterator[RenderableType]:
    from rich.text import Text

    from cortex.surfaces.cli import rendering

    yield Text(
        f"erased {found.erased:,} of {rendering.several(found.users, 'user')}, and {found.queries:,} kept queries",
        "bold",
    )
    if found.left:
        yield rendering.notice(f"{found.left:,} sure matches are left", "erase again")
    if found.likely:
        yield rendering.notice(
            f"{found.likely:,} likely matches are left",
            "see `cortex admin subject find`; erase them by --id or --likely",
        )
    for place in found.places:
        yield rendering.notice(output.one_line(f"left: {place}"), "it is not changed here")
    if found.pending:
        yield rendering.notice(f"not finished: {found.pending}", "run it again, or `cortex erase --finish`")
    if found.clean:
        searched = rendering.several(len(found.backups), "backup")
        yield Text(f"searched all users and {searched} again: nothing of the person is left")
    yield Text(f"certificate {found.id}")
