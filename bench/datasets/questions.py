"""Sets of passages with questions: CMRC 2018, DRCD, JSQuAD and XQuAD. All of them are in the format of SQuAD."""

from __future__ import annotations

from bench.datasets.checkouts import Checkout, Repository
from bench.datasets.cut import Cut, Row

CMRC2018 = Repository("ymcui", "cmrc2018", "c0eb1b6ba219847457e6af3180da722bbeb656af", "CC BY-SA 4.0")
DRCD = Repository("DRCKnowledgeTeam", "DRCD", "b944790de5af02c5fbb7cd9cb1473d27d169eebf", "CC BY-SA 3.0")
JGLUE = Repository("yahoojapan", "JGLUE", "6f071c09316baae89c3d083a90985b4b1cb9968c", "CC BY-SA 4.0")
XQUAD = Repository("google-deepmind", "xquad", "7d30520c717524000f0d9d2f9c10a069acd9d285", "CC BY-SA 4.0")

XQUAD_LANGUAGES = ("en", "zh", "ar", "ru", "es", "de", "hi", "th")


def cmrc2018(checkout: Checkout) -> Cut:
    return _cut(checkout, "cmrc2018", {"zh": "squad-style-data/cmrc2018_dev.json"})


def drcd(checkout: Checkout) -> Cut:
    return _cut(checkout, "drcd", {"zh-Hant": "DRCD_dev.json"})


def jsquad(checkout: Checkout) -> Cut:
    return _cut(checkout, "jsquad", {"ja": "datasets/jsquad-v1.3/valid-v1.3.json"})


def xquad(checkout: Checkout) -> Cut:
    return _cut(checkout, "xquad", {language: f"xquad.{language}.json" for language in XQUAD_LANGUAGES})


def _cut(checkout: Checkout, name: str, files: dict[str, str]) -> Cut:
    """Every other article, from the first. The rest is held back."""
    records: list[Row] = []
    queries: list[Row] = []
    for language, path in files.items():
        for number, article in enumerate(checkout.json(path)["data"]):
            if number % 2:
                continue
            for at, paragraph in enumerate(article["paragraphs"]):
                id = f"{name}-{language}:{number}.{at}"
                # JSQuAD puts the title before the text.
                text = paragraph["context"].rpartition("[SEP]")[2].strip()
                records.append({"id": id, "scope": language, "text": text})
                queries += [
                    {
                        "qid": f"{language}:{question['id']}",
                        "scope": language,
                        "query": question["question"],
                        "relevant": [id],
                        "answer": question["answers"][0]["text"],
                    }
                    for question in paragraph["qas"]
                ]
    return Cut(records, queries)
