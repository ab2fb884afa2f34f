"""Run as a process: the reconciler, so many minutes later."""

import importlib
import sys

import django


def main(*minutes: str) -> None:
    django.setup()
    clock = importlib.import_module("tests.proof.clock")
    crashing = importlib.import_module("tests.proof.crashing")
    with clock.moving_clock() as moving:
        for pause in minutes:
            moving.move(minutes=float(pause))
            crashing.reconcile_all()


if __name__ == "__main__":
    main(*sys.argv[1:])
