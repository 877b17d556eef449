"""How the code is cut: `python -m bench.house`.

private reaches     modules that touch a `_private` attribute of another object or module
repeated classes    class names that several modules define
participles         files named by a bare participle, such as `checking.py`
biggest files       by lines
the knot            rooms (packages of src/cortex, and its modules) that import each other in a circle
"""

from __future__ import annotations

import argparse
import ast
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[1] / "src" / "cortex"
BIGGEST = 12

_NOUNS = frozenset(
    """
    batching caching chunking feed grading listing packing ranking rendering reranking scoring seed sorting testing
    wiring
    """.split()
)
"""Words that end like a participle and are nouns of the field."""
_PARTICIPLES = frozenset({"given", "heard", "kept", "made", "said", "taken", "told"})
_PUBLIC = frozenset({"_asdict", "_exit", "_field_defaults", "_fields", "_make", "_replace", "_version"})
"""Names with an underscore that are public: of named tuples, of `os`, and where the version is."""


@dataclass(frozen=True, slots=True, order=True)
class Reach:
    """One place where a private attribute of something else is touched."""

    module: str
    line: int
    attribute: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line} {self.attribute}"


@dataclass(frozen=True)
class House:
    """The modules of a package."""

    source: Path = SOURCE

    @cached_property
    def modules(self) -> Mapping[str, ast.Module]:
        """By dotted name below the package; a package itself is called by its own name."""
        return {self._name(path): ast.parse(path.read_text(encoding="utf-8")) for path in self._files}

    @cached_property
    def lines(self) -> Mapping[str, int]:
        return {
            str(path.relative_to(self.source)): len(path.read_text(encoding="utf-8").splitlines())
            for path in self._files
        }

    @cached_property
    def reaches(self) -> tuple[Reach, ...]:
        return tuple(sorted(reach for name, tree in self.modules.items() for reach in _reaches(name, tree)))

    @cached_property
    def repeated_classes(self) -> Mapping[str, tuple[str, ...]]:
        """Public class names that several modules define at their top, with these modules."""
        where: defaultdict[str, list[str]] = defaultdict(list)
        for name, tree in self.modules.items():
            for node in tree.body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    where[node.name].append(name)
        return {name: tuple(modules) for name, modules in sorted(where.items()) if len(modules) > 1}

    @cached_property
    def participles(self) -> tuple[str, ...]:
        return tuple(str(path.relative_to(self.source)) for path in self._files if _is_participle(path.stem))

    @property
    def biggest(self) -> list[tuple[str, int]]:
        return sorted(self.lines.items(), key=lambda each: -each[1])[:BIGGEST]

    @cached_property
    def rooms(self) -> Mapping[str, frozenset[str]]:
        """Which rooms each room imports."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for name, tree in self.modules.items():
            for imported in self._imports(tree):
                if (room := _room(imported)) != _room(name):
                    found[_room(name)].add(room)
        return {room: frozenset(found[room]) for room in sorted({_room(name) for name in self.modules})}

    @cached_property
    def knot(self) -> tuple[tuple[str, ...], ...]:
        """Groups of rooms of which each imports every other, directly or by others of the group."""
        reached = {room: _reached(room, self.rooms) for room in self.rooms}
        groups = {
            tuple(sorted({room, *(other for other in reached[room] if room in reached[other])})) for room in self.rooms
        }
        return tuple(sorted(group for group in groups if len(group) > 1))

    @property
    def knotted(self) -> int:
        """How many rooms are in a knot."""
        return sum(map(len, self.knot))

    def to_json(self) -> dict[str, Any]:
        return {
            "lines": sum(self.lines.values()),
            "private_reaches": [str(reach) for reach in self.reaches],
            "repeated_classes": self.repeated_classes,
            "participles": self.participles,
            "biggest_files": dict(self.biggest),
            "knot": self.knot,
        }

    @cached_property
    def _files(self) -> tuple[Path, ...]:
        return tuple(sorted(self.source.rglob("*.py")))

    def _name(self, path: Path) -> str:
        return ".".join(path.relative_to(self.source.parent).with_suffix("").parts).removesuffix(".__init__")

    def _imports(self, tree: ast.Module) -> Iterator[str]:
        """Modules of the package that are imported anywhere: an import in a function only hides a circle."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name in self.modules)
            elif isinstance(node, ast.ImportFrom):
                wholes = [f"{node.module}.{alias.name}" for alias in node.names]
                names = [whole if whole in self.modules else str(node.module) for whole in wholes]
                yield from (name for name in names if name in self.modules)


def _reaches(module: str, tree: ast.Module) -> Iterator[Reach]:
    """`x._private` where x is neither `self` nor an object of a class that the module defines."""
    nodes = list(ast.walk(tree))
    classes = frozenset(node.name for node in nodes if isinstance(node, ast.ClassDef))
    private = _private_names(nodes)
    imported = frozenset(
        alias.asname or alias.name.partition(".")[0]
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    )
    for node, foreign in _with_foreign(tree, imported, classes):
        if isinstance(node, ast.Attribute) and _is_private(node.attr):
            if _is_of_another(node, foreign) or (node.attr not in private and not _is_self(node.value)):
                yield Reach(module, node.lineno, ast.unparse(node))
        elif isinstance(node, ast.ImportFrom) and str(node.module).startswith("cortex"):
            yield from (
                Reach(module, node.lineno, f"{node.module}.{alias.name}")
                for alias in node.names
                if _is_private(alias.name)
            )


def _is_of_another(node: ast.Attribute, foreign: frozenset[str]) -> bool:
    """Whether the attribute belongs to something that was given from elsewhere, whatever the module itself defines."""
    if isinstance(node.value, ast.Name):
        return node.value.id in foreign
    # `self._engine._store`: what an object holds is another one.
    return isinstance(node.value, ast.Attribute) and not _is_self(node.value)


def _with_foreign(
    node: ast.AST, foreign: frozenset[str], classes: frozenset[str]
) -> Iterator[tuple[ast.AST, frozenset[str]]]:
    """Every node with the names that are foreign there: imported ones, and parameters of a type from elsewhere."""
    waiting = [(node, foreign)]
    while waiting:
        inner, names = waiting.pop()
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
            given = [*inner.args.posonlyargs, *inner.args.args, *inner.args.kwonlyargs]
            names |= {each.arg for each in given if _is_foreign(each.annotation, classes)}
        yield inner, names
        waiting += [(child, names) for child in ast.iter_child_nodes(inner)]


def _is_foreign(annotation: ast.expr | None, classes: frozenset[str]) -> bool:
    """Whether a type is a class, and none that the module defines."""
    named = {each.id for each in ast.walk(annotation) if isinstance(each, ast.Name)} if annotation else set()
    return not named & classes and any(name[:1].isupper() for name in named)


def _private_names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Private names that the module itself defines: another object of the same class may be touched by them."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_self(node.value):
            found.add(node.attr)
    return frozenset(found)


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in {"self", "cls"}


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in _PUBLIC


def _is_participle(stem: str) -> bool:
    """Words with an underscore are phrases, which may end in one."""
    return "_" not in stem and stem not in _NOUNS and (stem in _PARTICIPLES or stem.endswith(("ing", "ed")))


def _room(module: str) -> str:
    """The package below cortex that a module belongs to, or the module itself where it stands at the top."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def _reached(room: str, rooms: Mapping[str, Iterable[str]]) -> frozenset[str]:
    found: set[str] = set()
    waiting = [room]
    while waiting:
        new = set(rooms[waiting.pop()]) - found
        found |= new
        waiting += new
    return frozenset(found)


def show(house: House) -> None:
    by_module = Counter(reach.module for reach in house.reaches)
    print(f"{sum(house.lines.values()):,} lines of Python in {len(house.lines)} files\n")
    print(f"private reaches: {len(house.reaches)} in {len(by_module)} modules")
    for module, count in by_module.most_common():
        reached = Counter(reach.attribute for reach in house.reaches if reach.module == module)
        print(f"  {count:4}  {module}: {', '.join(reached)}")
    print(f"\nclass names that several modules define: {len(house.repeated_classes)}")
    for name, modules in house.repeated_classes.items():
        print(f"  {len(modules):4}  {name}: {', '.join(modules)}")
    print(f"\nfiles named by a bare participle: {len(house.participles)}")
    print("".join(f"  {name}\n" for name in house.participles))
    print("biggest files")
    print("".join(f"  {count:6,}  {name}\n" for name, count in house.biggest))
    print(f"knot: {house.knotted} of {len(house.rooms)} rooms import each other in a circle")
    for group in house.knot:
        print(f"  {', '.join(group)}")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.house", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    house = House()
    if parser.parse_args(arguments).json:
        print(json.dumps(house.to_json(), indent=2))
    else:
        show(house)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
