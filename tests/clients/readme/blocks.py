"""Turns the command blocks of a page into one shell script; checks those that need Docker."""

import re
import shlex
import subprocess
import sys

import yaml

BLOCK = re.compile(r"^```(sh|python|output)( server| docker)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)

HEAD = """\
set -euo pipefail
say() { printf '\\n== README block %s\\n' "$*"; }
expect() {  # what was printed, what the page promises
  if ! diff <(printf '%s\\n' "$2") <(sed 's/[[:space:]]*$//' "$1"); then
    echo "the page promises another output (< promised, > printed)" >&2
    exit 1
  fi
}
stop() { code=$?; [ -z "${server:-}" ] || { kill "$server"; wait "$server" || true; }; exit $code; }
trap stop EXIT
"""


def main(page, program, compose_file, *replacements):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    fences = re.findall(r"^```(\w.*)$", text, re.MULTILINE)
    blocks = BLOCK.findall(text)
    assert len(blocks) == len(fences), f"a block with an unknown mark is never run: {fences}"
    for replacement in replacements:
        written, meant = replacement.split("=", 1)
        blocks = [(kind, mark, code.replace(written, meant)) for kind, mark, code in blocks]

    print(HEAD)
    for number, (kind, mark, code) in enumerate(blocks, 1):
        title = f"{number}: {code.splitlines()[0][:70]}"
        if kind == "output":
            print(f"expect out.txt {shlex.quote(code.rstrip())}\n")
        elif mark == " docker":
            check_docker(code, program, compose_file)
            print(f"say {shlex.quote(f'{number}: needs Docker, checked without running it')}\n")
        elif mark == " server":
            print(f"say {shlex.quote(title)}\n({code}) >server.log 2>&1 &\nserver=$!\n{wait()}\n")
        elif kind == "python":
            print(f"say {shlex.quote(title)}\npython - <<'END-OF-BLOCK' | tee out.txt\n{code}END-OF-BLOCK\n")
        else:
            # Not in a pipe: variables and functions must last.
            print(f"say {shlex.quote(title)}\n{{\n{code}}} >out.txt\ncat out.txt\n")


def wait():
    return (
        'for _ in $(seq 600); do curl -sf "http://$TRACEWRIGHT_LISTEN/readyz" >/dev/null && break; '
        'kill -0 "$server" || { cat server.log; exit 1; }; sleep 0.2; done'
    )


def check_docker(code, program, compose_file):
    subprocess.run(["bash", "-n"], input=code, text=True, check=True)
    with open(compose_file, encoding="utf-8") as file:
        compose = yaml.safe_load(file)
    services = compose["services"].values()
    profiles = {profile for service in services for profile in service.get("profiles", [])}
    ports = {port.split(":")[1] for service in services for port in service.get("ports", [])}
    known = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    for line in filter(None, code.splitlines()):
        words = shlex.split(line)
        if words[0] == "docker":
            assert words[:2] == ["docker", "compose"], line
            named = {after for before, after in zip(words, words[1:]) if before == "--profile"}
            assert named <= profiles, f"{named} are no profiles of {compose_file}"
        else:
            assert words[0] == "tracewright", line
            for flag in (word for word in words if word.startswith("--")):
                assert f"{flag} " in known, f"there is no flag {flag}"
            for port in re.findall(r"http://127\.0\.0\.1:(\d+)", line):
                assert port in ports, f"nothing in {compose_file} answers at port {port}"


main(*sys.argv[1:])
