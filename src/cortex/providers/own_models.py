"""Embedding models of one's own: an ONNX file and its tokenizer, copied into the model store and pinned there.

<models>/<name>/model.onnx, tokenizer.json      exactly the bytes that were added
<models>/<name>/own-model.json                  how it is spoken to, and the digests of its files
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cortex.errors import EngineError, InvalidRequest, ModelUnavailable
from cortex.providers.digests import sha256_of
from cortex.providers.models import ADD_HINT, PINNED, ModelFile, ModelStore, PinnedModel

MANIFEST = "own-model.json"
MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
LEAST_TOKENS, MOST_TOKENS = 8, 32_768

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_WEIGHTS = ("model.onnx_data", "model.onnx.data")
"""Where exporters put the weights of models that are too large for one file."""
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_LONG = 256
"""How often a text is repeated to see whether the model reads as many tokens as it is said to."""
_TRIED = ("The harbour opens at dawn", "Seven bakers quarrel about yeast")


class Pooling(StrEnum):
    """How the vectors of a text's tokens become one."""

    MEAN = "mean"
    CLS = "cls"

    def of(self, tokens: NDArray[np.float32]) -> NDArray[np.float32]:
        pooled: NDArray[np.float32] = tokens.mean(axis=0) if self is Pooling.MEAN else tokens[0]
        return pooled


@dataclass(frozen=True, slots=True)
class InputFormat:
    """How inputs are prepared for a model, as its description says."""

    pooling: Pooling = Pooling.MEAN
    query_prefix: str = ""
    passage_prefix: str = ""
    max_tokens: int = 512

    @property
    def prefixes(self) -> str:
        """Both, for the identity of the vectors; empty where queries are embedded as documents are."""
        both = f"{self.query_prefix}|{self.passage_prefix}"
        return both if both != "|" else ""

    @classmethod
    def checked(cls, pooling: str, query_prefix: str, passage_prefix: str, max_tokens: int) -> InputFormat:
        if pooling not in set(Pooling):
            raise InvalidRequest(
                f"{pooling!r} is not known", field="pooling", hint="give mean or cls, as the model's description says"
            )
        if isinstance(max_tokens, bool) or not LEAST_TOKENS <= max_tokens <= MOST_TOKENS:
            raise InvalidRequest(
                f"{max_tokens} is outside {LEAST_TOKENS} to {MOST_TOKENS}",
                field="max_tokens",
                hint="give what the model's description says, often 512",
            )
        return cls(Pooling(pooling), query_prefix, passage_prefix, max_tokens)


@dataclass(frozen=True, slots=True)
class OwnModel:
    """A model that somebody added."""

    name: str
    speech: InputFormat
    dimension: int
    output: str
    unread: tuple[str, ...]
    """The scripts that its vocabulary has no words of."""
    files: tuple[ModelFile, ...]

    @property
    def pinned(self) -> PinnedModel:
        speech = self.speech
        purpose = f"embedding: {self.dimension} dimensions, {speech.pooling} pooling, up to {speech.max_tokens} tokens"
        return PinnedModel(self.name, purpose, "your own", None, self.files)

    @property
    def identity(self) -> str:
        """Its name and whatever changes its vectors but for the prefixes: other files are another model."""
        parts = (*(file.sha256 for file in self.files), self.speech.pooling, str(self.speech.max_tokens), self.output)
        return f"{self.name}@{hashlib.sha256(' '.join(parts).encode()).hexdigest()[:12]}"

    def to_json(self) -> str:
        payload = {**asdict(self), "files": [{"name": f.name, "sha256": f.sha256, "size": f.size} for f in self.files]}
        return json.dumps(payload, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> OwnModel:
        files = tuple(ModelFile(each["name"], "", each["sha256"], int(each["size"])) for each in said["files"])
        speech = InputFormat.checked(**said["speech"])
        return cls(said["name"], speech, int(said["dimension"]), said["output"], tuple(said["unread"]), files)


def registered(models: Path) -> dict[str, OwnModel]:
    """Every model that was added, by name; one whose description is damaged is left out."""
    found = {}
    for manifest in sorted(models.glob(f"*/{MANIFEST}")):
        try:
            found[manifest.parent.name] = _read(manifest)
        except ModelUnavailable:
            continue
    return found


def named(models: Path, name: str) -> OwnModel:
    """The model that was added under `name`."""
    manifest = models / name / MANIFEST
    if not _NAME.fullmatch(name) or not manifest.is_file():
        known = ", ".join(registered(models)) or "none were added"
        raise ModelUnavailable(
            f"no model {name!r} is in {models}", hint=f"run `cortex models add FOLDER --name {name}`; known: {known}"
        )
    return _read(manifest)


def _read(manifest: Path) -> OwnModel:
    try:
        found = OwnModel.from_json(json.loads(manifest.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, LookupError, EngineError) as error:
        raise ModelUnavailable(f"{manifest} cannot be read ({type(error).__name__})", hint=ADD_HINT) from error
    return replace(found, name=manifest.parent.name)


# --- adding -----------------------------------------------------------------------------------------------------------


def add(models: Path, source: Path, name: str, speech: InputFormat) -> OwnModel:
    """Copy the model in the folder `source` into the model store under `name`, once it has embedded something.

    Nothing is changed where anything is wrong with it.
    """
    _refuse_name(models, name)
    files = _found(source)
    made: list[OwnModel] = []

    def check(folder: Path) -> None:
        made.append(_tried(folder, name, speech))
        (folder / MANIFEST).write_text(made[0].to_json(), encoding="utf-8")

    ModelStore(models).install(name, files, check)
    return made[0]


def _refuse_name(models: Path, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise InvalidRequest(
            f"{name!r} cannot be the name of a folder", field="name", hint="up to 64 letters, digits, '.', '_' and '-'"
        )
    if name in PINNED or (models / name).exists():
        raise InvalidRequest(
            f"{name!r} is taken", field="name", hint=f"choose another, or remove {models / name} if you added it"
        )


def _found(source: Path) -> dict[str, Path]:
    """The files of a model by the names they will have, in the folder or where model hubs keep them."""
    if not source.is_dir():
        raise _unusable(f"{source} is not a folder", f"give the one with {MODEL}")
    places = (source, source / "onnx")
    files: dict[str, Path] = {}
    for wanted, hint in (
        (MODEL, "export the model to ONNX, or download that file from the model hub; see docs/embedders.md"),
        (TOKENIZER, "download it from where the model is from: a vocab.txt or a sentencepiece file alone is not read"),
    ):
        found = next((place / wanted for place in places if (place / wanted).is_file()), None)
        if found is None:
            raise _unusable(f"{source} has no {wanted}", hint)
        files[wanted] = found
    for weights in _WEIGHTS:
        if (beside := files[MODEL].with_name(weights)).is_file():
            files[weights] = beside
    for file in files.values():
        if not os.access(file, os.R_OK):
            raise _unusable(f"{file} cannot be read", "check its permissions")
    return files


def _unusable(message: str, hint: str) -> InvalidRequest:
    return InvalidRequest(message, field="path", hint=hint)


def _tried(folder: Path, name: str, speech: InputFormat) -> OwnModel:
    """What the files in `folder` turn out to be, once they have embedded something."""
    from cortex.providers.onnx import plain_session
    from cortex.providers.tokenizer_file import TokenizerFile

    session = _opened(lambda: plain_session(folder / MODEL), MODEL, "export it again: onnxruntime does not open it")
    tokens = _opened(
        lambda: TokenizerFile(folder / TOKENIZER, speech.max_tokens),
        TOKENIZER,
        "it has to be one of the tokenizers library",
    )
    output = _output(session)
    vectors = [_embedded(session, tokens, output, speech, text) for text in _TRIED]
    _embedded(session, tokens, output, speech, " ".join(_TRIED[:1] * _LONG))
    if np.allclose(vectors[0], vectors[1], atol=1e-6):
        raise _unusable(
            f"{MODEL} gives the same vector for different texts",
            f"check that {TOKENIZER} is that of the model, and pooling what its description says",
        )
    files = tuple(ModelFile(file.name, "", sha256_of(file), file.stat().st_size) for file in sorted(folder.iterdir()))
    return OwnModel(name, speech, len(vectors[0]), output, tuple(tokens.unread_scripts()), files)


def _opened(open_: Any, what: str, hint: str) -> Any:
    try:
        return open_()
    except EngineError:  # what it takes is not installed
        raise
    except Exception as error:
        raise _unusable(f"{what} cannot be read: {type(error).__name__}", hint) from error


def _output(session: Any) -> str:
    """The output with the vectors of the tokens; by its name, or the first that can be it."""
    inputs = {each.name for each in session.get_inputs()}
    if "input_ids" not in inputs or inputs - _INPUTS:
        raise _unusable(
            f"{MODEL} takes {', '.join(sorted(inputs))}",
            f"it has to take input_ids, and beside it only {', '.join(sorted(_INPUTS - {'input_ids'}))}",
        )
    outputs: dict[str, int] = {each.name: len(each.shape or ()) for each in session.get_outputs()}
    fitting = [name for name, rank in outputs.items() if rank in (0, 3)]
    for name in ("last_hidden_state", "token_embeddings", *fitting):
        if name in fitting:
            return name
    raise _unusable(
        f"{MODEL} gives {', '.join(outputs)}, none of which has a vector for each token",
        "export it for feature extraction, without pooling: batch, tokens, dimensions",
    )


def _embedded(session: Any, tokens: Any, output: str, speech: InputFormat, text: str) -> NDArray[np.float32]:
    from cortex.providers.onnx import feed

    try:
        ids, kinds = tokens.framed([speech.passage_prefix + text])
        found = session.run([output], feed(session, ids, kinds))[0]
    except Exception as error:
        raise _unusable(
            f"{MODEL} could not embed a text: {type(error).__name__}",
            f"check that {TOKENIZER} is that of the model, and max_tokens what its description says",
        ) from error
    if found.ndim != 3 or found.shape[:2] != ids.shape or not np.isfinite(found).all() or not found.any():
        raise _unusable(
            f"{output} of {MODEL} has the shape {found.shape} for {ids.size} tokens, or numbers that are none",
            "it has to be batch, tokens, dimensions; export it for feature extraction",
        )
    pooled = speech.pooling.of(found[0])
    length = float(np.linalg.norm(pooled))
    if not length:
        raise InvalidRequest(f"{MODEL} gives no vector for a text", field="pooling", hint="try the other one")
    unit: NDArray[np.float32] = (pooled / np.float32(length)).astype(np.float32)
    return unit
