"""Tiny embedding models, made on the spot: one table of token vectors, and a vocabulary of whole words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

INT64, FLOAT = 7, 1
BERT_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
FRAME = ("[UNK]", "[CLS]", "[SEP]")


def make(
    folder: Path,
    words: Iterable[str],
    *,
    dimension: int = 32,
    inputs: Sequence[str] = BERT_INPUTS,
    output: str = "last_hidden_state",
    rank: int = 3,
    table: NDArray[np.float32] | None = None,
    framed: bool = True,
) -> Path:
    """A folder with `model.onnx` and `tokenizer.json`, as exporters leave it."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = {word: id for id, word in enumerate(dict.fromkeys((*FRAME, *(word.lower() for word in words))))}
    if table is None:
        table = np.random.default_rng(7).normal(size=(len(vocabulary), dimension)).astype(np.float32)
    (folder / "model.onnx").write_bytes(model(table, inputs, output, rank))
    tokenizer(vocabulary, framed).save(str(folder / "tokenizer.json"))
    return folder


def tokenizer(vocabulary: dict[str, int], framed: bool) -> Tokenizer:
    made = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    made.normalizer = Lowercase()
    made.pre_tokenizer = Whitespace()
    made.add_special_tokens(list(FRAME))
    if framed:
        marks = [("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])]
        made.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=marks)
    return made


def model(table: NDArray[np.float32], inputs: Sequence[str], output: str, rank: int) -> bytes:
    """An ONNX file by hand: `output = Gather(table, input_ids)`, and for rank 2 the mean over the tokens of it."""
    shape = ["batch", "tokens", table.shape[1]]
    nodes = [_node("Gather", ["table", inputs[0]], [output if rank == 3 else "gathered"])]
    if rank == 2:
        axes = _field(5, _text(1, "axes") + _number(8, 1) + _number(20, 7))  # AttributeProto: ints 8, type 20 = INTS
        keep = _field(5, _text(1, "keepdims") + _number(3, 0) + _number(20, 2))
        nodes.append(_node("ReduceMean", ["gathered"], [output], axes + keep))
        shape = ["batch", table.shape[1]]
    weights = _field(5, b"".join(_number(1, size) for size in table.shape)
                     + _number(2, FLOAT) + _text(8, "table") + _field(9, table.tobytes()))  # fmt: skip
    graph = b"".join(
        [
            *(_field(1, node) for node in nodes),
            _text(2, "tiny"),
            weights,
            *(_field(11, _value(name, INT64, ["batch", "tokens"])) for name in inputs),
            _field(12, _value(output, FLOAT, shape)),
        ]
    )
    return _number(1, 8) + _field(7, graph) + _field(8, _text(1, "") + _number(2, 13))


def _node(kind: str, inputs: Sequence[str], outputs: Sequence[str], attributes: bytes = b"") -> bytes:
    named = b"".join(_text(1, name) for name in inputs) + b"".join(_text(2, name) for name in outputs)
    return named + _text(4, kind) + attributes


def _value(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    sizes = b"".join(_field(1, _text(2, size) if isinstance(size, str) else _number(1, size)) for size in shape)
    return _text(1, name) + _field(2, _field(1, _number(1, kind) + _field(2, sizes)))


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _text(number: int, content: str) -> bytes:
    return _field(number, content.encode())


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
