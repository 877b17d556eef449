"""Words that tell a message which hands over somebody else's words. `domain.ownership.handover` has the logic.

A table in the folder of each language. Words stand apart by spaces; `*` ends a stem, `_` joins the words of a phrase.
Case and accents do not count. Where a language writes without spaces, a word counts wherever its letters stand.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOverWords:
    """What one language says of texts, of those who wrote them and of work on them."""

    spaced: bool = True
    work: str
    """Work on the wording of a text, and what is wrong or better about it: translate, comma, more formal."""
    tone: str
    """How the user wants to say something: more kindly."""
    rework: str
    """The work that is done on texts alone, whatever they are called: translate, sum up."""
    code: str
    """What is reworked and is no prose."""
    flaw: str
    """What may be wrong with a text: typos, grammar."""
    unit: str
    """What the length of a text is counted in: "50 words"."""
    tongue: str
    """Languages, as what a text is to be turned into."""
    learn: str
    """What somebody wants to know about a language, and not about a text."""
    judge: str
    """Questions about a text and about much else: think, true, worth answering."""
    text: str
    """What a text is called."""
    this: str
    """What points at something that may be a text: "this CV", "this flat"."""
    point: str
    """What always points at a text: the following, below."""
    the: str = ""
    """What makes a text a certain one."""
    a: str = ""
    """What makes a text a new one."""
    link: str
    """Words that name nothing. A request of these and of work alone has its text in the message."""
    fraud: str
    """What a text is that is not to be trusted."""
    hire: str
    """Questions about those who apply."""
    come: str
    """How a text came here: got, found, copied, wrote."""
    publish: str
    """What others do with a text of theirs: print, hand in."""
    people: str
    """Others than the user."""
    story: str
    """What is made up: novel, scene, character."""
    hero: str
    """Whom one plays."""
    opening: str
    """A piece of a story, or how one begins."""
    goes_on: str
    """Requests for more of a story."""
    play: str
    """What starts a play, or gives a part in it."""
    part: str = ""
    """A part of the user in a play."""
    second: str
    """The assistant as the one who is something, or does something."""
    create: str
    """Requests to write something new from what the user says."""
    answer: str = ""
    """A new text that answers a given one."""
    that: str = ""
    """What opens the words to answer with: "reply that"."""
    own: str = ""
    """Requests about what the user says: "remember this"."""
    later: str = ""
    """What is done at another time, or always: the text is not here."""
    recipe: str = ""
    """Texts that are the user's own, whomever they come from: recipes, manuals."""
    i: str
    """The user as the one who speaks, in a statement."""
    say: str
    """How people begin to speak of themselves."""
    you: str = ""
    """The assistant and what it wrote before."""
    talk: str = ""
    """How the user goes on to speak about the task or aside."""
    greet: str = ""
    """How a letter or an introduction opens."""
    relation: str = ""
    """Whom a guest may be to the user."""
    their: str = ""
    """Whose relative a guest is: his, her."""
    intro: str = ""
    """How somebody says who is there."""
    name: str = ""
    """How somebody tells their name."""
    typing: str = ""
    """What somebody does who is there instead of the user."""
    device: str = ""
    away: str = ""
    """How the user left, or lent the keyboard."""
    back: str = ""
    """How the user comes back."""
    hands: str = ""
    """What hands the keyboard to somebody else."""
    heading: str = ""
    """Headings of a CV."""
