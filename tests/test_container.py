"""Containerfile and compose.yaml: their rules, and what the image holds and does."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import pytest
import yaml
from django.urls import resolve

from lendingadmin import __version__
from tests.databases import copy_to_file
from tests.example import OWN_KEYS
from tests.lints.test_variables import read_example, read_table
from tests.processes import ROOT
from tests.web_process import find_free_port, read_command, wait_for

TEXT = (ROOT / "Containerfile").read_text()
STEPS = [
    line.split(None, 1)
    for line in re.sub(r"\\\n|^#.*\n", "", TEXT, flags=re.M).splitlines()
    if line
]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]
OURS = ("release", "web", "worker")


def list_steps(name: str) -> list[str]:
    """What follows an instruction, each time that it stands there."""
    return [rest for step, rest in STEPS if step == name]


def list_sources() -> list[str]:
    """What the image takes of this folder."""
    steps = [step.split() for step in list_steps("COPY") if not step.startswith("--from")]
    return [source.rstrip("/") for *sources, _ in steps for source in sources]


def read_admitted() -> list[str]:
    """What .dockerignore lets into the build, which else lets nothing in."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    assert rules[0] == "*"
    return [rule.removeprefix("!") for rule in rules if rule.startswith("!")]


def test_the_image_takes_what_is_there_and_nothing_else_is_let_in() -> None:
    assert sorted(list_sources()) == sorted(read_admitted())
    assert all((ROOT / source).exists() for source in list_sources())
    assert not {".env", "var", "tls", ".git", "tests"} & set(read_admitted())


def test_the_image_is_of_nobody_in_particular() -> None:
    assert list_steps("USER") == ["10001:10001"]
    assert "--require-hashes" in TEXT and "requirements.lock" in TEXT
    assert {one.split()[0] for one in list_steps("FROM")} == {
        "docker.io/library/python:3.13-slim-trixie"
    }


def test_the_image_holds_no_secret_and_no_setting_of_a_place() -> None:
    named = set(re.findall(r"([A-Z][A-Z_]+)=", " ".join(list_steps("ENV"))))
    assert named == {
        *("PATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "BIND", "PORT", "AUDIT_ANCHOR")
    }
    assert not list_steps("ARG") and "rm .env.example" in TEXT


@pytest.mark.parametrize("process", OURS)
def test_a_container_starts_what_the_procfile_starts(process: str, tmp_path: Path) -> None:
    for name in ("gunicorn", "python"):
        make_program(tmp_path / name, f'echo {name} "$@"')
    started = subprocess.run(
        ["sh", str(ROOT / "deploy/container/start"), process],
        cwd=ROOT,
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    # The image holds the static files already.
    wanted = read_command(process).removesuffix(" && python manage.py collectstatic --no-input")
    wanted = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", wanted).replace('"', "")
    assert started.stdout.split() == wanted.split()


def ask(address: str) -> str:
    """What answers there; asked by a program of its own, as the image's health check does."""
    script = "import sys, urllib.request as u; print(u.urlopen(sys.argv[1], timeout=20).read())"
    asked = subprocess.run(
        [sys.executable, "-c", script, address], capture_output=True, text=True, check=False
    )
    return asked.stdout


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """What the image takes of this folder, laid out and built as it does it."""
    for source in list_sources():
        (tmp_path / source).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / source).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / source, tmp_path / source, ignore=ignored)
        else:
            shutil.copy(ROOT / source, tmp_path / source)
    subprocess.run(
        [
            "sh",
            "-c",
            "set -a; . ./.env.example; set +a; python manage.py collectstatic -v0 --no-input",
        ],
        cwd=tmp_path,
        env={"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        check=True,
    )
    (tmp_path / ".env.example").unlink()
    return tmp_path


def build_settings(database: str) -> dict[str, str]:
    """The example's, with what a single container has of its own."""
    own = {"DATABASE_URL": database, "CACHE_URL": "dbcache://cache", "EMAIL_URL": "consolemail://"}
    return read_example() | OWN_KEYS | own | {"AUDIT_ANCHOR": "none", "OIDC_ISSUER": ""}


@pytest.mark.drill
def test_what_the_image_holds_is_enough_to_serve(image: Path, tmp_path: Path) -> None:
    port, database = find_free_port(), tmp_path / "own.sqlite3"
    copy_to_file(database)
    environ = {
        **build_settings(f"sqlite:///{database}"),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PORT": str(port),
        "WEB_CONCURRENCY": "1",
    }
    start = ["sh", "deploy/container/start"]
    subprocess.run(
        [*start, "release"], cwd=image, env=environ, check=True, capture_output=True, timeout=300
    )
    with (tmp_path / "web.log").open("w") as log:
        web = subprocess.Popen([*start, "web"], cwd=image, env=environ, stderr=log)
    try:
        wait_for(port)
        assert "ready" in ask(f"http://127.0.0.1:{port}/readyz"), (tmp_path / "web.log").read_text()
    finally:
        # The shell has given its place to the web process, which ends in order.
        web.terminate()
        assert web.wait(timeout=60) == 0


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_writes_nowhere_and_gains_no_right(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service
    if name == "caddy":  # of its image, and for ports below 1024
        assert service["cap_add"] == ["NET_BIND_SERVICE"]
    else:
        assert not service["user"].startswith(("0", "root")) and "cap_add" not in service


@pytest.mark.parametrize("name", SERVICES)
def test_an_image_of_others_is_named_by_its_version(name: str) -> None:
    image = SERVICES[name]["image"]
    assert re.fullmatch("lendingadmin" if name in OURS else r"[\w./-]+:\d[\w.-]*", image), image


def test_the_version_is_in_one_place() -> None:
    files = ("Containerfile", "compose.yaml", "Makefile", "pyproject.toml", "README.md")
    assert not [name for name in files if __version__ in (ROOT / name).read_text()]


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_fills_neither_the_disk_nor_the_memory(name: str) -> None:
    log = SERVICES[name]["logging"]
    assert log == {"driver": "json-file", "options": {"max-size": "10m", "max-file": "5"}}
    assert re.fullmatch(r"\d+[mg]", SERVICES[name]["mem_limit"])


def make_program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def copying(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """A function that runs the nightly copies until they wait for the next night."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "data").mkdir()
    script = (ROOT / "deploy/container/copies").read_text()
    assert script.count("/var/lib/postgresql/data") == 1
    (tmp_path / "copies").write_text(
        script.replace("/var/lib/postgresql/data", str(tmp_path / "data"))
    )

    def copy(dump: str = 'echo dump >"${2#--file=}"', check: str = "true") -> Any:
        for name, text in {"pg_dump": dump, "pg_restore": check, "sleep": "exit 7"}.items():
            make_program(tmp_path / "bin" / name, text)
        return subprocess.run(
            ["sh", str(tmp_path / "copies")],
            env={"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )

    return copy


def list_copies(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "data").iterdir())


def test_a_night_s_copy_is_complete_private_and_made_once(copying: Any, tmp_path: Path) -> None:
    today = f"lendingadmin-{datetime.now(UTC):%Y-%m-%d}"
    assert copying().returncode == 7  # it waits
    (copy,) = (tmp_path / "data").iterdir()
    assert (copy.name, copy.stat().st_mode & 0o777) == (today, 0o600)
    assert copying(dump="exit 9").returncode == 7  # there is one already, so none is made
    assert list_copies(tmp_path) == [today]


@pytest.mark.parametrize("fault", [{"dump": "exit 9"}, {"check": "exit 9"}])
def test_a_failed_copy_is_none_and_removes_none(
    fault: dict[str, str], copying: Any, tmp_path: Path
) -> None:
    old = tmp_path / "data" / "lendingadmin-2020-01-01"
    old.touch()
    os.utime(old, (0, 0))
    assert copying(**fault).returncode == 9
    assert [name for name in list_copies(tmp_path) if not name.endswith(".part")] == [old.name]
    copying()
    assert old.name not in list_copies(tmp_path)


def test_only_the_proxy_is_reached_from_outside() -> None:
    ports = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert ports == {"caddy": ["80:80", "443:443"]}
    assert COMPOSE["networks"]["inside"]["internal"] is True
    assert {name for name, one in SERVICES.items() if one["networks"] == ["inside"]} == {
        *("postgres", "redis", "copies")
    }


def test_each_waits_for_what_it_needs() -> None:
    waits = {
        name: {other: how["condition"] for other, how in service.get("depends_on", {}).items()}
        for name, service in SERVICES.items()
    }
    healthy, done = "service_healthy", "service_completed_successfully"
    assert waits["release"] == {"postgres": healthy, "redis": healthy}
    assert waits["web"] == waits["worker"] == {"release": done, "redis": healthy}
    assert waits["copies"] == {"release": done}
    assert waits["caddy"] == {"web": healthy}
    for others in waits.values():
        for other, condition in others.items():
            check = SERVICES[other]["healthcheck"]
            assert check.get("test") if condition == healthy else check == {"disable": True}


def test_health_is_asked_at_an_address_that_there_is() -> None:
    (own,) = list_steps("HEALTHCHECK")
    for check in (own, json.dumps(SERVICES["web"]["healthcheck"]["test"])):
        found = re.search(r"http://127\.0\.0\.1:(\d+)(/\w+)", check)
        assert found and found[1] == SERVICES["web"]["environment"]["PORT"]
        assert resolve(found[2]).url_name == "healthz"
    assert list_steps("EXPOSE") == [SERVICES["web"]["environment"]["PORT"]]
    assert SERVICES["worker"]["healthcheck"]["test"][-1] == "worker_check"


def test_what_is_set_is_in_the_table_and_no_secret_stands_there() -> None:
    known = {row[0].strip("`") for row in read_table()}
    for name in (*OURS, "caddy"):
        assert set(SERVICES[name]["environment"]) <= known
    secret = [line for line in TEXT.splitlines() if re.search(r"PASSWORD|SECRET|KEYS?=", line)]
    assert not secret
    for service in SERVICES.values():
        for name, value in service["environment"].items() if "environment" in service else ():
            assert "PASSWORD" not in name or value.startswith("${POSTGRES_PASSWORD:?"), name
    assert "${POSTGRES_PASSWORD:?" in SERVICES["web"]["environment"]["DATABASE_URL"]


def test_what_is_kept_is_a_volume_that_is_declared() -> None:
    mounts = [mount for service in SERVICES.values() for mount in service.get("volumes", ())]
    named = {mount.split(":")[0] for mount in mounts if not mount.startswith(".")}
    assert named == set(COMPOSE["volumes"])
    files = {mount.split(":")[0] for mount in mounts if mount.startswith(".")}
    assert {file for file in files if not (ROOT / file).exists()} == {
        *("./tls/dashboard.pem", "./tls/dashboard.key", "./ca")
    }
    assert all(mount.endswith(":ro") for mount in mounts if mount.startswith("."))


class Engine(NamedTuple):
    """What builds and runs images here, and the words that run one in a container."""

    name: str
    run: list[str]
    ask: list[str]


_RIGHTS = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]
_PLACES = ["--tmpfs", "/tmp", "--tmpfs", "/app/var/metrics:uid=10001,gid=10001,mode=0700"]
# In a container of its own kind, buildah may not make another; a changed root is enough for it.
_CHROOT = ["--isolation", "chroot"]
ENGINES = [
    *(
        Engine(name, ["run", "--rm", *_RIGHTS, *_PLACES, "--name"], ["exec"])
        for name in ("docker", "podman")
    ),
    Engine("buildah", ["run", *_CHROOT], ["run", *_CHROOT]),
]


def run_engine(name: str, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([name, *words], cwd=ROOT, capture_output=True, text=True, check=False)


def find_engine() -> Engine:
    """The first engine that works here. Skips, saying why, without one or without base images."""
    for engine in ENGINES:
        if shutil.which(engine.name) and run_engine(engine.name, "info").returncode == 0:
            base = list_steps("FROM")[0].split()[0]
            is_here = run_engine(engine.name, "images", "--quiet", base).stdout
            if not is_here and run_engine(engine.name, "pull", base).returncode:
                pytest.skip(f"{engine.name} can't fetch {base} here: the image was not built")
            return engine
    names = ", ".join(engine.name for engine in ENGINES)
    pytest.skip(f"none of {names} works here: the image was not built")


@pytest.fixture
def container() -> Iterator[Callable[..., str]]:
    """A function that asks a container of the image, which serves; it gives back what it prints."""
    engine, name = find_engine(), f"lendingadmin-test-{uuid4().hex[:12]}"
    is_buildah = engine.name == "buildah"
    settings = build_settings("sqlite:////tmp/own.sqlite3") | {"PORT": str(find_free_port())}
    given = [word for key, value in settings.items() for word in ("--env", f"{key}={value}")]
    serve = ["sh", "-c", "python manage.py release && exec sh deploy/container/start web"]
    isolation = _CHROOT if is_buildah else []
    built = run_engine(
        engine.name, "build", *isolation, "--file", "Containerfile", "--tag", name, "."
    )
    assert built.returncode == 0, built.stderr[-3000:]
    if is_buildah:
        assert run_engine("buildah", "from", "--name", name, name).returncode == 0
        command = ["buildah", *engine.run, *given, name, "--", *serve]
    else:
        command = [engine.name, *engine.run, name, *given, name, *serve]
    process = subprocess.Popen(command)

    def ask(*words: str) -> str:
        told = [name, "--", *words] if is_buildah else [name, *words]
        return run_engine(engine.name, *engine.ask, *told).stdout

    def read(path: str) -> str:
        address = f"http://127.0.0.1:{settings['PORT']}{path}"
        script = f"import urllib.request as u; print(u.urlopen('{address}').read().decode())"
        return ask("python", "-c", script)

    try:
        until = time.monotonic() + 180
        while not read("/readyz").startswith("ready") and time.monotonic() < until:
            time.sleep(2)
        yield lambda *words: read("/readyz") if words == ("readyz",) else ask(*words)
    finally:
        process.terminate()
        process.wait(timeout=60)
        run_engine(engine.name, "rm", *([] if is_buildah else ["--force"]), name)
        run_engine(engine.name, "rmi", "--force", name)


@pytest.mark.drill
def test_the_image_serves_as_nobody_in_particular(container: Callable[..., str]) -> None:
    assert container("readyz").startswith("ready")
    assert container("id", "-u") == "10001\n"
