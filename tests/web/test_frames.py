"""Where a request's frames lie; how much that saves is measured, not tested."""

import mmap

import pytest
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from lendingadmin.web.middleware import FramesMiddleware


def test_every_other_middleware_runs_within_it() -> None:
    assert settings.MIDDLEWARE[0] == "lendingadmin.web.middleware.FramesMiddleware"


def test_its_frame_leaves_the_better_part_of_its_piece_to_others() -> None:
    claimed, piece = 8 * FramesMiddleware.__call__.__code__.co_stacksize, 16 * 1024
    while piece < claimed:
        piece *= 2
    assert piece % mmap.PAGESIZE == 0 and 240_000 < piece - claimed < 300_000


def test_answers_and_mistakes_pass_through() -> None:
    def fail(_: HttpRequest) -> HttpResponse:
        raise LookupError("as it was")

    answer, request = HttpResponse("whole"), HttpRequest()
    assert FramesMiddleware(lambda _: answer)(request) is answer
    with pytest.raises(LookupError, match="as it was"):
        FramesMiddleware(fail)(request)
