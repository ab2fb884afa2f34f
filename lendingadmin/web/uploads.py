"""Files that people upload. They are only in memory, and their size is limited.

Django's own handler writes large files to a disk. These files contain personal data, so they are
never written to a disk unencrypted.
"""

from io import BytesIO
from typing import Any

from django.core.files.uploadedfile import InMemoryUploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload

LONGEST = 20_000_000  # bytes: the largest statement; no event of the service is as long
GIVE_UP = 64_000_000


class CutOff(InMemoryUploadedFile):
    """Replacement, without content, for a file that was longer than LONGEST."""


class BoundedMemory(FileUploadHandler):
    """Drops the content of a file longer than LONGEST; ends the connection after GIVE_UP bytes.

    The handler reads a little more than it accepts, so that the person sees the form with an error
    and not a broken connection.
    """

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self._kept, self._length = BytesIO(), 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self._length += len(raw_data)
        if self._length > GIVE_UP:
            raise StopUpload(connection_reset=True)
        if self._length > LONGEST:
            self._kept = BytesIO()
        else:
            self._kept.write(raw_data)

    def file_complete(self, file_size: int) -> InMemoryUploadedFile:
        made = CutOff if self._length > LONGEST else InMemoryUploadedFile
        self._kept.seek(0)
        return made(
            file=self._kept,
            field_name=self.field_name,
            name=self.file_name or "file",
            content_type=self.content_type or "",
            size=file_size,
            charset=self.charset,
            content_type_extra=self.content_type_extra,
        )
