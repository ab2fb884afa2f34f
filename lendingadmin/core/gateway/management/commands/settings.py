"""`manage.py settings --write`: ask for what a first installation needs, and write `.env`."""

import os
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from getpass import getpass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from django.core.management.base import BaseCommand, CommandError

from lendingadmin.core.gateway import env_file

BASE_DIR = Path(__file__).resolve().parents[5]
NEXT = (
    "Next: `manage.py release`, then `manage.py createsuperuser` for two people, then start the web"
    " process and the worker (README, from step 4)."
)


class Command(BaseCommand):
    """Write the settings of a first installation. manage.py runs this command without settings."""

    help = (
        "With --write: asks for the address of the lending service, the client id and its secret,"
        " the project, the apps, the address of the dashboard and the database; makes the keys;"
        " writes them to .env, readable only by its owner; and runs lending_check."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--write", action="store_true", required=True, help="write the file")
        parser.add_argument("--file", type=Path, default=BASE_DIR / ".env", help="default: .env")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="replace an existing file; its keys and its other lines stay",
        )
        parser.add_argument(
            "--no-input",
            action="store_true",
            help="read the values from the environment, with the names of docs/configure.md",
        )
        parser.add_argument(
            "--containers",
            action="store_true",
            help=(
                "for compose.yaml: make a password for its database and do not ask for the address"
            ),
        )

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        if file.exists() and not options["replace"]:
            raise CommandError(f"{file} exists already. Use --replace to change it.")
        if not file.parent.is_dir():
            raise CommandError(f"There is no folder {file.parent}.")
        values = env_file.read_values(file)
        questions: tuple[env_file.Question, ...] = env_file.QUESTIONS
        if options["containers"]:
            questions = tuple(one for one in questions if one.name != "DATABASE_URL")
            values.setdefault(env_file.POSTGRES_PASSWORD, env_file.make_postgres_password())
        present = values | {
            one.name: os.environ[one.name] for one in questions if one.name in os.environ
        }
        values |= (
            self._take(questions, present) if options["no_input"] else self._ask(questions, present)
        )
        if earlier := values.get("SECRET_KEY_FALLBACKS"):
            values["SECRET_KEY"] = f"{values.get('SECRET_KEY', '')},{earlier}"
        # Without these keys, nothing in a database can be read. Only AUDIT_KEYS may be missing.
        if not values.keys() & env_file.KEYS.keys():
            values |= {name: make() for name, make in env_file.KEYS.items()}
        try:
            env_file.write(file, env_file.render(values))
        except (OSError, ValueError) as error:
            raise CommandError(f"{file} can't be written: {error}") from None
        self.stdout.write(
            f"Written: {file}, which only its owner can read. Store a copy of its keys in another"
            " place than the copies of the database.\n"
        )
        self._check(values)
        self.stdout.write(NEXT)

    def _take(
        self, questions: tuple[env_file.Question, ...], present: Mapping[str, str]
    ) -> dict[str, str]:
        """Return the values that are present.

        Raise CommandError with the problems of all wrong values.
        """
        problems = {one.name: _find_problem(one, present.get(one.name, "")) for one in questions}
        said = [f"{name}: {problem}" for name, problem in problems.items() if problem]
        if said:
            raise CommandError("\n".join(said))
        return {one.name: present[one.name] for one in questions}

    def _ask(
        self, questions: tuple[env_file.Question, ...], present: Mapping[str, str]
    ) -> dict[str, str]:
        """Ask the questions and return the answers.

        Repeat a question until its reader accepts the answer.
        """
        self.stdout.write(
            "Press Enter for the value in brackets. Ctrl-C stops and writes nothing.\n"
        )
        answers = {}
        try:
            for one in questions:
                while True:
                    answer = _ask_one(one, present.get(one.name, ""))
                    problem = _find_problem(one, answer)
                    if not problem:
                        break
                    self.stderr.write(f"  {problem}")
                answers[one.name] = answer
        except (EOFError, KeyboardInterrupt):
            raise CommandError("Nothing was written. Without a terminal, use --no-input.") from None
        return answers

    def _check(self, values: Mapping[str, str]) -> None:
        """Run `lending_check` with these values. Raise CommandError if something fails."""
        self.stdout.flush()
        command = [sys.executable, str(BASE_DIR / "manage.py"), "lending_check"]
        done = subprocess.run(command, cwd=BASE_DIR, env=os.environ | dict(values), check=False)
        if done.returncode:
            raise CommandError(
                "The settings are written, but lending_check found problems. Correct the file, for"
                " example with --replace, and run `manage.py lending_check`. For a proxy, a "
                "certificate authority or another address for tokens, set LENDING_PROXY, "
                "LENDING_CA_FILE or LENDING_AUTH_URL."
            )


def _find_problem(question: env_file.Question, answer: str) -> str:
    """Return the reason why settings.py or the file would refuse the answer; else an empty text."""
    if not answer:
        return "a value is needed"
    try:
        question.reader(answer)
        env_file.quote(answer)
    except ValueError as error:
        return str(error)
    return ""


def _ask_one(question: env_file.Question, default: str) -> str:
    """Ask one question once. Secrets are not shown, also while they are typed."""
    shown = "unchanged" if question.is_secret else _hide_password(default)
    prompt = f"{question.words}{f' [{shown}]' if default else ''}: "
    answer = (getpass(prompt) if question.is_secret else input(prompt)).strip() or default
    return _add_password(answer) if question.name == "DATABASE_URL" else answer


def _hide_password(address: str) -> str:
    password = urlsplit(address).password if "://" in address else None
    return address.replace(f":{password}@", ":…@", 1) if password else address


def _add_password(address: str) -> str:
    """Ask for the password if the address of a database has a user but no password."""
    parts = urlsplit(address)
    if not parts.username or parts.password:
        return address
    password = quote(getpass(f"Password of {parts.username} (empty: none): "), safe="")
    return address.replace("@", f":{password}@", 1) if password else address
