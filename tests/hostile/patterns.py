"""Every regular expression of the package and how it is used, read off the source: nothing has to be listed by hand.

A pattern is written where it is used (`re.search(r"…", text)`), kept as a constant (`_WORD = re.compile(…)`), compiled
on first use by a function (`_re(_FENCE).search(text)`), or held by a value (`compiled(rule.pattern).match(text)`).
The first three are found by evaluating what stands in the source. For the last, `HELD` says which patterns it can be;
an expression it does not know is an error, so that no pattern is left out.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import cortex
from cortex.capture import amounts, classify, policies
from cortex.domain import changes, limits
from cortex.domain.ownership import clauses, phrases
from cortex.errors import ProviderMissing
from cortex.exchange import formats
from cortex.languages import LIMITS, WORDS
from cortex.languages.en import slots
from cortex.languages.packs import DEFAULT_PACKS

_WEIGHERS = [inspect.getclosurevars(pack.weigh).nonlocals for pack in DEFAULT_PACKS if pack.weigh is not None]
_CLAUSES = [pack.clauses for pack in DEFAULT_PACKS if pack.clauses]
_REFERENCES = [pack.references for pack in DEFAULT_PACKS if pack.references]
_FORMATS = [
    importlib.import_module(each.name) for each in pkgutil.iter_modules(formats.__path__, f"{formats.__name__}.")
]
_NAMES_OF_FILES = [
    each for format in _FORMATS for each in vars(format).values() if isinstance(each, str) and r"\." in each
]
_OF_RE = frozenset({"search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"})
_AT_ONE_PLACE = frozenset({"match", "fullmatch"})


@dataclass(frozen=True)
class Use:
    """A pattern and how it is used: `match` and `fullmatch` look at one place of a text, all else at every place."""

    pattern: re.Pattern[str]
    method: str
    where: str

    def __call__(self, text: str) -> None:
        if self.method in _AT_ONE_PLACE:
            getattr(self.pattern, self.method)(text)
        else:
            for _ in self.pattern.finditer(text):
                pass


@cache
def uses() -> tuple[Use, ...]:
    """Every pattern of the package, once for each way it is used in."""
    found: dict[tuple[str, int, str], Use] = {}
    for module in modules():
        for pattern, method, where in (*_written(module), *_kept(module)):
            if isinstance(pattern.pattern, str):
                method = method if method in _AT_ONE_PLACE else "finditer"
                found.setdefault((pattern.pattern, pattern.flags, method), Use(pattern, method, where))
    return tuple(found.values())


@cache
def modules() -> tuple[ModuleType, ...]:
    """Every module, but those of frameworks that are not installed."""
    found: list[ModuleType] = []
    for each in pkgutil.walk_packages(cortex.__path__, "cortex."):
        if not each.name.endswith("__main__"):
            with suppress(ProviderMissing):
                found.append(importlib.import_module(each.name))
    return tuple(found)


@cache
def _text(module: ModuleType) -> str:
    return Path(str(module.__file__)).read_text(encoding="utf-8")


@cache
def _source(module: ModuleType) -> ast.Module:
    return ast.parse(_text(module))


_Found = tuple[re.Pattern[str], str, str]


# --- patterns that are written or named where they are used -----------------------------------------


def _written(module: ModuleType) -> Iterator[_Found]:
    called_on = {node.value: node.attr for node in ast.walk(_source(module)) if isinstance(node, ast.Attribute)}
    for call, inside in _calls(module):
        target = ast.unparse(call.func)
        where = f"{module.__name__}:{call.lineno}"
        if target.removeprefix("re.") in _OF_RE and target.startswith("re."):
            yield from ((each, call.func.attr, where) for each in _patterns(call, inside, module, re.compile))
        elif target == "re.compile" and inside is not None and not _gives_pattern(inside):
            methods = _methods_inside(call, inside)
            yield from ((each, way, where) for each in _patterns(call, inside, module, re.compile) for way in methods)
        elif _compiles(helper := vars(module).get(target)):
            methods = {called_on[call]} if call in called_on else _methods_inside(call, inside)
            yield from ((each, way, where) for each in _patterns(call, inside, module, helper) for way in methods)


@cache
def _calls(module: ModuleType) -> list[tuple[ast.Call, ast.FunctionDef | None]]:
    """Every call in a module and the function it stands in."""
    found: list[tuple[ast.Call, ast.FunctionDef | None]] = []
    left: list[tuple[ast.AST, ast.FunctionDef | None]] = [(_source(module), None)]
    while left:
        node, inside = left.pop()
        if isinstance(node, ast.Call):
            found.append((node, inside))
        within = node if isinstance(node, ast.FunctionDef) else inside
        left += [(child, within) for child in ast.iter_child_nodes(node)]
    return found


def _methods_inside(call: ast.Call, inside: ast.FunctionDef | None) -> set[str]:
    """How a pattern is used that a function gives a name to; anyhow, where it has none."""
    for node in ast.walk(inside) if inside else ():
        if isinstance(node, ast.Assign) and node.value is call:
            name = ast.unparse(node.targets[0])
            return set(re.findall(rf"\b{name}\.(\w+)\(", ast.unparse(inside))) & _OF_RE or {"finditer"}
    return {"finditer"}


def _gives_pattern(function: ast.FunctionDef) -> bool:
    return function.returns is not None and "Pattern" in ast.unparse(function.returns)


def _compiles(helper: Any) -> bool:
    """Whether it is a function that compiles what it is given."""
    made = inspect.unwrap(helper) if callable(helper) else None
    if not isinstance(made, FunctionType) or not str(made.__annotations__.get("return")).endswith("Pattern[str]"):
        return False
    return made.__code__.co_argcount == 1


def _patterns(
    call: ast.Call, inside: ast.FunctionDef | None, module: ModuleType, compiles: Callable[..., re.Pattern[str]]
) -> list[re.Pattern[str]]:
    flags = next((each.value for each in call.keywords if each.arg == "flags"), None)
    more = [eval(ast.unparse(flags), vars(module))] if flags is not None else []
    return [compiles(shape, *more) for shape in sorted(set(_strings(call.args[0], inside, module))) if shape]


def _strings(given: ast.expr, inside: ast.FunctionDef | None, module: ModuleType) -> Iterable[str]:
    """Every string that an expression can be."""
    place = module.__name__.removeprefix("cortex.")
    told = HELD.get(place) or HELD.get(f"{place}.{inside.name}" if inside else "", {})
    try:
        return within(eval(ast.unparse(given), {**vars(module), **told}), str)
    except (NameError, AttributeError):
        pass
    if isinstance(given, ast.Subscript):
        given = given.value
    if isinstance(given, ast.Attribute):
        return _of_fields(given.attr, module)
    found = [*_bound(given.id, inside, module)] if isinstance(given, ast.Name) and inside else []
    assert found, f"{module.__name__}:{given.lineno}: which patterns can {ast.unparse(given)} be? Say it in HELD"
    return found


def _of_fields(name: str, module: ModuleType) -> list[str]:
    """What the values of a class that the module knows hold under that name: the `pattern` of every rule."""
    known = [each for each in vars(module).values() if isinstance(each, type)]
    values = [value for value in _values() if type(value) in known and hasattr(value, name)]
    return [shape for value in values for shape in within(getattr(value, name), str)]


@cache
def _values() -> list[Any]:
    """Every instance of a dataclass that a module of the package holds."""
    found = within([vars(module) for module in modules()], _Instance)
    return list({id(value): value for value in found}.values())


class _IsInstance(type):
    def __instancecheck__(cls, value: Any) -> bool:
        return is_dataclass(value) and not isinstance(value, type)


class _Instance(metaclass=_IsInstance):
    """Any instance of a dataclass."""


def _bound(name: str, inside: ast.FunctionDef, module: ModuleType) -> Iterator[str]:
    """What a name inside a function stands for: what it is given, set to, or goes through."""
    parameters = [each.arg for each in inside.args.args]
    if name in parameters:
        for call, caller in _calls(module):
            if ast.unparse(call.func) == inside.name:
                yield from _strings(call.args[parameters.index(name)], caller, module)
    for node in ast.walk(inside):
        if isinstance(node, ast.For | ast.comprehension) and ast.unparse(node.target) == name:
            yield from _strings(node.iter, inside, module)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            yield from _strings(node.value, inside, module)


def _every(values: Iterable[Any]) -> SimpleNamespace:
    """Values of one dataclass as one, each of its fields with those of all."""
    several = list(values)
    return SimpleNamespace(
        **{each.name: [getattr(value, each.name) for value in several] for each in fields(several[0])}
    )


_EVERY_LIMIT = _every(LIMITS.values())
_EVERY_SHAPE = _every(map(limits._shapes, LIMITS))

HELD: Mapping[str, Mapping[str, Any]] = {
    "capture.amounts.__init__": {
        "words": next(iter(amounts.AMOUNTS.values())),  # those of every language are made
        "rate": [rate for words in amounts.AMOUNTS.values() for rate in words.rates.values()],
    },
    "capture.classify": {"pattern": [pattern for cues in classify._CUES.values() for _, pattern in cues]},
    "languages.signs": {"pattern": [list(weigher.get("signs", {}).values()) for weigher in _WEIGHERS]},
    "languages.en.slots": {"unit": [unit for unit, _ in slots._UNITS]},
    "capture.policies": {"shape": [shape for _, shape in policies._SIGNS]},
    "capture.rules._lead": {"pattern": [(pack.explicit, pack.corrections, pack.leads) for pack in DEFAULT_PACKS]},
    "capture.clauses": {
        "words": _CLAUSES,
        "pattern": [pattern for words in _CLAUSES for pattern in (words.unreal, words.errands)],
    },
    "capture.standalone": {
        "words": _REFERENCES,
        "pronoun": [pattern for words in _REFERENCES for pattern in (words.person, words.thing)],
        "pattern": [pattern for words in _REFERENCES for pattern in (words.someone, words.something, words.several)],
    },
    "capture.statements": {"pattern": [[*pack.signs.values(), *pack.rule_signs.values()] for pack in DEFAULT_PACKS]},
    "domain.changes.find_changes": {"part": " ".join(changes._by_opening())},
    "domain.limits": {"lang": 0, "code": 0, "LIMITS": [_EVERY_LIMIT], "_shapes": lambda _: _EVERY_SHAPE},
    "domain.injection_detection._rules_for": {"letters": [words.letters for words in WORDS]},
    "domain.ownership.phrases": {
        "bucket": SimpleNamespace(any=[each.any for each in phrases.phrase_index().values()]),
        "pattern": [pattern for each in phrases.phrase_index().values() for _, pattern in each.fields],
        "field": list(phrases.ANYWHERE),
        "unspaced_pattern": lambda fields: [phrases.unspaced_pattern(field) for field in fields],
    },
    "domain.ownership.clauses._filling": {
        "words": [clauses._unspaced(code)[field][0] for code in ("ja", "zh") for field in ("link", "work", "judge")],
    },
    # Made of somebody's words, letter by letter.
    "domain.erasure": {"text": ["7", "ab"]},
    "domain.person": {
        "name": "ann lee",
        "digits": "491701234",
        "between": r"[\s()./-]{0,3}",
        "part": "田中",
        "parts": ["田中", "太郎"],
    },
    "recall.dates": {"spelled": r"last\s+week"},
    "recall.mentions": {"wanted": ["deploy", "rotati"]},
    "recall.plan": {"spelled": "ann"},
    # The program's own files, the operator's settings, and the files of an import by how they are called.
    "exchange.import_source": {"pattern": "|".join(_NAMES_OF_FILES)},
    "stores.postgres.erasure_marks": {"self": SimpleNamespace(_agent="main")},
    "stores.sqlite.generations": {"self": SimpleNamespace(_name="index")},
    "settings_file": {"key": "model", "section": "embedder"},
}
"""Of each module or function, what a name can be that the source does not tell."""

MADE: Mapping[str, Any] = {"capture.amounts": [vars(amounts._language(code)) for code in amounts.AMOUNTS]}
"""Of each module, what it makes on first use and keeps by a key."""


# --- patterns that are kept in the values of a module -----------------------------------------------


def _kept(module: ModuleType) -> Iterator[_Found]:
    made = MADE.get(module.__name__.removeprefix("cortex."))
    for name, value in (*vars(module).items(), ("made", made)):
        methods = _methods(name, value) if isinstance(value, re.Pattern) else {"finditer"}
        for pattern in within(value, re.Pattern):
            yield from ((pattern, method, f"{module.__name__}.{name}") for method in methods)


def _methods(name: str, pattern: re.Pattern[str]) -> frozenset[str]:
    """How a constant is used, here and where it is imported; anyhow, where it is handed on."""
    users = [module for module in modules() if name[0] != "_" or vars(module).get(name) is pattern]
    found = {method for module in users for method in re.findall(rf"\b{name}\.(\w+)\(", _text(module))}
    return frozenset(found & _OF_RE) or frozenset({"finditer"})


def within(value: Any, kind: type, depth: int = 6) -> Iterator[Any]:
    """What is of that kind in a value: in its items, its fields, and what a cached function without arguments gives."""
    if isinstance(value, kind):
        yield value
    if depth:
        for part in _parts(value):
            yield from within(part, kind, depth - 1)


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    if isinstance(value, tuple | list | set | frozenset):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, each.name) for each in fields(value)]
    if hasattr(value, "cache_clear") and not inspect.signature(value).parameters:
        return [value()] if value.__module__.startswith("cortex") else []
    return []
