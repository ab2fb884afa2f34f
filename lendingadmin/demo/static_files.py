"""Collects static files, only when one of them has changed since the last time."""

import fcntl
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command


def collect_static() -> bool:
    """Bring STATIC_ROOT up to date; True when there was something to do.

    Several processes may ask at once: one collects, the others wait for it. With DEBUG there is
    never anything to do: the files are served from where they are written.
    """
    if settings.DEBUG:
        return False
    root = Path(settings.STATIC_ROOT)
    root.parent.mkdir(parents=True, exist_ok=True)
    mark = root.with_name(f"{root.name}.mark")
    with root.with_name(f"{root.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = fingerprint()
        if root.is_dir() and mark.is_file() and mark.read_text() == wanted:
            return False
        mark.unlink(missing_ok=True)
        call_command("collectstatic", interactive=False, clear=True, verbosity=0)
        mark.write_text(wanted)
    return True


def fingerprint() -> str:
    """A digest over name, size and time of every static file that there is to collect."""
    digest = sha256(str(settings.STORAGES["staticfiles"]).encode())
    for finder in get_finders():
        for path, storage in finder.list([]):
            state = Path(storage.path(path)).stat()
            digest.update(f"{path}\0{state.st_size}\0{state.st_mtime_ns}\n".encode())
    return digest.hexdigest()
