"""Tools of Node that measure the product; Node's own client fetches them when they run."""

import re
import shutil
import subprocess


def explain_missing(tool: str, least: int) -> str:
    """Why a tool that needs Node's version `least` can't run; empty where it can."""
    node = shutil.which("node")
    if node is None or shutil.which("npx") is None:
        return f"{tool} was not run: it needs Node {least} or newer with npx in PATH."
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    number = re.match(r"v(\d+)", told)
    if number is None or int(number[1]) < least:
        return f"{tool} was not run: Node {told.strip()} is older than {least}."
    return ""
