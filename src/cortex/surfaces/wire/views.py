"""Saved views of the dashboard."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cortex.services.saved_views import MOST_NAME_CHARS, MOST_QUERY_CHARS, SavedView
from cortex.surfaces.wire.fields import AT, Moment
from cortex.surfaces.wire.model import Request, Response, SequenceResponse, example

ViewName = Annotated[str, Field(min_length=1, max_length=MOST_NAME_CHARS, description="The name of the view.")]
_VIEW = {"name": "Infrastructure", "page": "memories", "query": "scope=infra&sort=-uses", "at": AT}


class SaveViewRequest(Request):
    """A view to keep; one with the same name is replaced."""

    name: ViewName
    query: str = Field(max_length=MOST_QUERY_CHARS, description="Filters and order: the query of the page's address.")
    page: str = Field("memories", min_length=1, max_length=MOST_NAME_CHARS, description="The page that it is of.")

    model_config = example({"name": "Infrastructure", "query": "scope=infra&sort=-uses"})


class RemoveViewRequest(Request):
    """The view to remove."""

    name: ViewName

    model_config = example({})


class SavedViewResponse(Response):
    """One saved view."""

    result = SavedView
    name: str
    page: str
    query: str
    at: Moment = Field(description="When it was saved.")

    model_config = example(_VIEW)


class SavedViewsResponse(SequenceResponse):
    """The saved views, by name."""

    items = "views"
    views: tuple[SavedViewResponse, ...]

    model_config = example({"views": [_VIEW]})
