"""Words that tell whose words a text holds, one table in the folder of each language. `domain.ownership` has the logic.

Each field holds phrases, one a line, in the syntax of regular expressions without repetition beyond `?`, `{0,n}` and
`\\w+`. In a phrase `…` stands for a few words of the same sentence, and `@` for a name that is written large. A line
that begins with `|` goes on with the choice of the line before.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnershipWords:
    """What one language says around somebody else's words."""

    spaced: bool = True
    """Words are separated by spaces, and phrases begin and end with one."""
    asks: str
    """Requests to work on a text: "translate", "reply to". They open a clause, after `leads` or without."""
    asks_after: str = ""
    """The same where the verb closes the clause: "… übersetzen", "… を訳して". They may stand anywhere."""
    asks_loosely: str = ""
    """Requests that are about a text only where one is named: "explain this sentence"."""
    leads: str = ""
    """What a request opens with: "please", "can you"."""
    these: str = ""
    """What points at a text beside the request: "this", "the following"."""
    above: str
    """What points back where no text follows the request: "this", "the text above"."""
    nouns: str
    """What a text is called: mail, sentence, article."""
    links: str = ""
    """What may follow "this" where no noun does: "to", "for me"."""
    not_texts: str = ""
    """What a request is about that is not in the message: "our conversation", "what I told you"."""
    states: str
    """How a statement begins: it tells "translate I live in Oslo" from "translate my thesis"."""
    closes: str = ""
    """Words of a request that ends a message after a pasted text: "please", "can you"."""

    languages: str = ""
    """Names of languages: before a colon they tell of a translation."""
    works: str = ""
    """What work on a text is called: translation, grammar check."""
    people: str = ""
    """Whoever is not the user: sister, boss, stranger."""
    own_frames: str = ""
    """What opens the user's own words before a colon: "remember", "about me"."""

    received: str
    """What opens a text that somebody else wrote, up to the word for it: "here is the mail"."""
    wrote: str
    """How others say something, before a colon: "my boss wrote"."""
    selves: str = ""
    """Who says it where it is the user: "I said:" opens the user's own words."""

    salutes: str = ""
    """How a letter opens, before a name."""
    greets: str = ""
    """How a mail opens that has to have an ending as well to be one."""
    signs_off: str = ""
    """How a letter ends, on a line of its own."""
    dialogue: str = ""
    """Names of parts in a dialogue: Q, A, interviewer."""
    fields: str = ""
    """What stands before a colon and is nobody's name: city, note, Monday."""

    plays: str
    """What opens play or fiction; the rest of the message is that."""
    plays_on: str = ""
    """Play in which the user takes a part: the next messages are play too."""
    plays_no_more: str = ""
    guests: str = ""
    """What tells that somebody else is typing, where `HandOverWords` do not; the next messages are theirs too."""
    asks_for_others: str = ""
    """Somebody else's question passed on, before a colon: "my son wants to ask"."""
    guests_no_more: str = ""
    announces: str = ""
    """What says that the next message is a text to work on."""

    is_assistant: str
    """What only an assistant says of itself or asks."""
    assistant_opens: str = ""
    assistant_closes: str = ""
