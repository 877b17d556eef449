"""What the site needs beyond the pages: a hook of MkDocs, named in mkdocs.yml."""

from __future__ import annotations

import re
from typing import Any

_CODE = re.compile(r"<code>[^<]*</code>")


def on_page_content(html: str, **_: Any) -> str:
    """Where the source is looked at, a pipe within a table has to be escaped in code too; here that shows."""
    return _CODE.sub(lambda code: code[0].replace("\\|", "|"), html)
