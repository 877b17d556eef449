"""A program that takes the arguments of qmd 2.8 and answers in its forms, keeping its index as JSON.

Searching, it also misbehaves in every way a program can, as QMD_LIKE says. QMD_LIKE_MARK names a file that it writes
the ids of its processes to as soon as all of them run. It is started hundreds of times, so it imports little, and what
few starts need only there.
"""

from __future__ import annotations

import json
import math
import os
import re
import signal
import sys
import time
import zlib
from collections import Counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NoReturn

MISBEHAVIOUR = os.environ.get("QMD_LIKE", "")
MODES = ("search", "vsearch", "query")
VALUED = ("--index", "--name", "--mask", "-n", "--min-score")
UNREAD = {"node_modules", ".git", ".cache", "vendor", "dist", "build"}

if TYPE_CHECKING:
    Index = dict[str, dict[str, Any]]


def main() -> None:
    options, words = parsed(sys.argv[1:])
    if "--index" not in options:
        fail("without --index, a .qmd folder on the way up would be followed")
    command, *rest = words or [""]
    if command in MODES:
        search(options, " ".join(rest))
    elif command == "collection":
        collection(options, rest)
    elif command == "update":
        update()
    elif command == "embed":
        print("✓ All content hashes already have embeddings.")
    else:
        fail(f"Unknown command: {command}")


def parsed(arguments: list[str]) -> tuple[dict[str, str], list[str]]:
    """Options and words, as lenient as Node's parseArgs: unknown options are flags, and `--` ends them."""
    options: dict[str, str] = {}
    words: list[str] = []
    left = iter(arguments)
    for each in left:
        if each == "--":
            words += left
        elif each.startswith("-") and len(each) > 1:
            name, equals, value = each.partition("=")
            options[name] = value if equals or name not in VALUED else next(left, "")
        else:
            words.append(each)
    return options, words


def fail(*complaints: str) -> NoReturn:
    print(*complaints, sep="\n", file=sys.stderr)
    sys.exit(1)


def read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


# --- collections ---------------------------------------------------------------------------------


def loaded() -> Index:
    try:
        return json.loads(read(os.environ["INDEX_PATH"]))
    except FileNotFoundError:
        return {}


def save(index: Index) -> None:
    write(os.environ["INDEX_PATH"], json.dumps(index))


def collection(options: dict[str, str], words: list[str]) -> None:
    index = loaded()
    name = options.get("--name", "")
    match words:
        case ["list"] if not index:
            print("No collections found. Run 'qmd collection add .' to create one.")
        case ["list"]:
            print(f"Collections ({len(index)}):\n")
            for each, kept in index.items():
                print(f"{each} (qmd://{each}/)\n  Pattern:  {kept['pattern']}\n  Files:    {len(kept['files'])}\n")
        case ["add", _] if name in index:
            fail(f"Collection '{name}' already exists.", "Use a different name with --name <name>")
        case ["add", folder] if not os.path.isdir(folder):
            fail("Collection path does not exist.", f"  Received: {folder}")
        case ["add", folder]:
            print(f"Creating collection '{name}'...")
            index[name] = {"path": os.path.realpath(folder), "pattern": options["--mask"], "files": {}}
            reread(index[name])
            save(index)
            print(f"✓ Collection '{name}' created successfully")
        case ["remove", gone] if gone not in index:
            fail(f"Collection not found: {gone}")
        case ["remove", gone]:
            del index[gone]
            save(index)
            print(f"✓ Removed collection '{gone}'")
        case _:
            fail("Usage: qmd collection add/list/remove")


def update() -> None:
    if MISBEHAVIOUR == "no update":
        fail("SqliteError: database is locked")
    index = loaded()
    print(f"Updating {len(index)} collection(s)...\n")
    for number, (name, kept) in enumerate(index.items(), start=1):
        print(f"[{number}/{len(index)}] {name} ({kept['pattern']})")
        reread(kept)
    save(index)
    print("✓ All collections updated.")


def reread(kept: dict[str, Any]) -> None:
    import glob

    root = kept["path"]
    kept["files"] = {
        relative: text
        for pattern in braces(kept["pattern"])
        for relative in glob.glob(pattern, root_dir=root, recursive=True)
        if not UNREAD & set(relative.split("/")[:-1])
        if (text := read(os.path.join(root, relative))).strip()
    }


def braces(pattern: str) -> list[str]:
    """`{a,b/*}` and `*.{md,mdx}` as the patterns they stand for."""
    if found := re.search(r"\{([^{}]*)\}", pattern):
        return [
            each
            for part in found[1].split(",")
            for each in braces(pattern[: found.start()] + part + pattern[found.end() :])
        ]
    return [pattern]


# --- searching -----------------------------------------------------------------------------------


def search(options: dict[str, str], query: str) -> None:
    if not query:
        fail("Usage: qmd search [options] <query>")
    most = int(options.get("-n", "20"))
    rows = [row(file, text, score, query, options["--index"]) for file, text, score in ranked(loaded(), query)]
    answer = json.dumps(rows[:most], indent=2, ensure_ascii=False)
    if MISBEHAVIOUR:
        misbehave(answer)
    else:
        print(answer)


def ranked(index: Index, query: str) -> list[tuple[str, str, float]]:
    """Files with every word of the query, or words that begin with it, by BM25."""
    files = [(f"{name}/{file}", text) for name, kept in index.items() for file, text in kept["files"].items()]
    excluded = any(word.startswith("-") for word in query.split())
    wanted = tokens(query)
    counts = [Counter(tokens(text)) for _, text in files]
    average = sum(map(Counter.total, counts)) / max(len(counts), 1)
    scored = []
    for (file, text), count in zip(files, counts, strict=True):
        found = [sum(times for word, times in count.items() if word.startswith(each)) for each in wanted]
        if wanted and all(found) and not excluded:
            rarity = math.log(1 + len(files) / (1 + sum(any(map(other.get, wanted)) for other in counts)))
            weight = sum(rarity * 2.2 * n / (n + 1.2 * (0.25 + 0.75 * count.total() / average)) for n in found)
            scored.append((file, text, weight / (1 + weight)))
    return sorted(scored, key=lambda each: (-each[2], each[0]))


def tokens(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def row(file: str, text: str, score: float, query: str, index: str) -> dict[str, Any]:
    lines = text.split("\n")
    matches = [sum(word in line.lower() for word in query.lower().split()) for line in lines]
    best = matches.index(max(matches))
    start, end = max(0, best - 1), min(len(lines), best + 3)
    body = "\n".join(lines[start:end])
    if len(body) > 300 and MISBEHAVIOUR != "generous":
        body = body[:297] + "..."
    return {
        "docid": f"#{zlib.crc32(text.encode()):08x}"[:7],
        "score": round(score, 2),
        "file": f"qmd://{file}?index={index}",
        "line": best + 1,
        "title": os.path.splitext(os.path.basename(file))[0],
        "snippet": f"@@ -{start + 1},{end - start} @@ ({start} before, {len(lines) - end} after)\n{body}",
    }


# --- misbehaving ---------------------------------------------------------------------------------


def misbehave(answer: str) -> None:
    match MISBEHAVIOUR:
        case "notes":
            print("[1/2] loading\n[node-llama-cpp] Using CPU\n[]\n[{broken\nTip: Run 'qmd embed' [soon]")
            print(answer)
            print("Done [ok].")
        case "old":
            print("No results found.")
        case "generous":
            rows = json.loads(answer)
            print(json.dumps([each for _ in range(20) for each in rows]))
        case "instead":
            print(read(os.environ["QMD_LIKE_ANSWER"]))
        case "environment":
            write(os.environ["QMD_LIKE_MARK"], json.dumps(dict(os.environ)))
            print("[]")
        case _:
            fall_out(answer)


def fall_out(answer: str) -> None:
    match MISBEHAVIOUR:
        case "exit 1":
            fail("file:///qmd.js:1", "SqliteError: database is \x1b[31mlocked", "Node.js v22")
        case "exit 1 after the answer":
            print(answer)
            fail()
        case "garbage":
            sys.stdout.buffer.write(bytes(range(256)) * 16)
        case "nothing":
            pass
        case "truncated":
            print(answer[: len(answer) // 2])
        case "huge":
            flood(sys.stdout.buffer)
        case "complains without end":
            mark(os.getpid())
            flood(sys.stderr.buffer)
        case "crash":
            import resource

            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            os.kill(os.getpid(), signal.SIGSEGV)
        case "hangs":
            mark(os.getpid())
            wait()
        case "hangs after the answer":
            print(answer, flush=True)
            mark(os.getpid())
            wait()
        case "hangs in a child that will not be ended":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            mark(os.getpid(), child())
            wait()
        case "hangs with its output closed":
            mark(os.getpid())
            sys.stdout.flush()
            os.close(1)
            os.close(2)
            wait()
        case "leaves a child that holds its output":
            print(answer, flush=True)
            mark(os.getpid(), child())
        case "leaves a child of another group that holds its output":
            print(answer, flush=True)
            mark(os.getpid(), child(start_new_session=True))
        case unknown:
            fail(f"QMD_LIKE: {unknown!r} is not known")


def flood(pipe: Any) -> None:
    for block in forever(b"x" * 65536):
        pipe.write(block)


def forever(block: bytes) -> Iterator[bytes]:
    while True:
        yield block


def child(**how: Any) -> int:
    import subprocess

    script = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    return subprocess.Popen([sys.executable, "-c", script], **how).pid


def wait() -> None:
    time.sleep(600)


def mark(*pids: int) -> None:
    """Tell who runs, all at once: a reader never sees half of it."""
    place = os.environ["QMD_LIKE_MARK"]
    write(f"{place}.written", " ".join(map(str, pids)))
    os.replace(f"{place}.written", place)


if __name__ == "__main__":
    main()
