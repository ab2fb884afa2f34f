"""Files that people send: in memory only, and never more than LONGEST of them."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import StopUpload
from django.test import RequestFactory

from lendingadmin.web import uploads
from lendingadmin.web.uploads import BoundedMemory, CutOff


def handler() -> BoundedMemory:
    made = BoundedMemory(RequestFactory().post("/"))
    made.new_file("file", "x.json", "application/json", None)
    return made


def test_a_file_within_the_limit_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "LONGEST", 6)
    reading = handler()
    reading.receive_data_chunk(b"abc", 0)
    reading.receive_data_chunk(b"def", 3)
    file = reading.file_complete(6)
    assert not isinstance(file, CutOff)
    assert file.read() == b"abcdef"


def test_past_the_limit_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "LONGEST", 6)
    reading = handler()
    for start in range(0, 12, 3):
        reading.receive_data_chunk(b"abc", start)
    file = reading.file_complete(12)
    assert isinstance(file, CutOff)
    assert file.read() == b""


def test_far_past_it_the_connection_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "GIVE_UP", 5)
    reading = handler()
    reading.receive_data_chunk(b"abc", 0)
    with pytest.raises(StopUpload) as stopped:
        reading.receive_data_chunk(b"def", 3)
    assert stopped.value.connection_reset


def test_the_product_reads_files_with_it() -> None:
    body = {"file": SimpleUploadedFile("x.json", b"{}"), "name": "n"}
    request = RequestFactory().post("/", body)
    assert type(request.upload_handlers[0]) is BoundedMemory
    assert (request.POST["name"], request.FILES["file"].read()) == ("n", b"{}")
