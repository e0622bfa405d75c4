"""Turns the command blocks of a page into one shell script. Where one needs Docker, an engine of ours stands for ArangoDB."""

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
running=()
stop() { code=$?; for one in "${running[@]}"; do kill "$one" 2>/dev/null && wait "$one" || true; done; exit $code; }
trap stop EXIT
ready() {  # address, process, its log
  for _ in $(seq 600); do
    curl -s "$1" >/dev/null && return
    kill -0 "$2" || break
    sleep 0.2
  done
  cat "$3"
  exit 1
}
arangodb() {  # address, password of root
  aqlited --data-dir "arangodb-${1#*:}" --listen "$1" --root-password "$2" >arangodb.log 2>&1 &
  running+=($!)
  ready "http://$1/_api/version" $! arangodb.log
}
serve() {  # a command that serves until it is told to stop
  TRACEWRIGHT_LISTEN="$SECOND_LISTEN" "$@" >second.log 2>&1 &
  running+=($!)
  ready "http://$SECOND_LISTEN/readyz" $! second.log
  curl -sf "http://$SECOND_LISTEN/readyz"
  kill $!
  wait $! || { cat second.log; exit 1; }
}
"""


def main(page, program, compose_file, *replacements):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    fences = re.findall(r"^```(\w.*)$", text, re.MULTILINE)
    blocks = BLOCK.findall(text)
    assert len(blocks) == len(fences), f"a block with an unknown mark is never run: {fences}"
    with open(compose_file, encoding="utf-8") as file:
        services = yaml.safe_load(file)["services"].values()
    replacements = [replacement.split("=", 1) for replacement in replacements]

    print(HEAD)
    for number, (kind, mark, code) in enumerate(blocks, 1):
        if mark == " docker":
            code = without_docker(code, program, services)
        for written, meant in replacements:
            code = code.replace(written, meant)
        title = f"{number}: {code.splitlines()[0][:70]}"
        if kind == "output":
            print(f"expect out.txt {shlex.quote(code.rstrip())}\n")
        elif mark == " server":
            print(f"say {shlex.quote(title)}\n({code}) >server.log 2>&1 &\nrunning+=($!)")
            print('ready "http://$TRACEWRIGHT_LISTEN/readyz" $! server.log\n')
        elif kind == "python":
            print(f"say {shlex.quote(title)}\npython - <<'END-OF-BLOCK' | tee out.txt\n{code}END-OF-BLOCK\n")
        else:
            # Not in a pipe: variables and functions must last.
            print(f"say {shlex.quote(title)}\n{{\n{code}}} >out.txt\ncat out.txt\n")


def without_docker(code, program, services):
    """The block with `docker compose up` as an engine at the port and with the password of the compose file."""
    known = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    lines = []
    for line in filter(None, code.splitlines()):
        words = shlex.split(line)
        if words[0] == "docker":
            assert words[:2] == ["docker", "compose"] and "up" in words, line
            profiles = [after for before, after in zip(words, words[1:]) if before == "--profile"]
            [started] = [s for s in services if s.get("profiles", []) == profiles and "ports" in s]
            password = started["environment"].get("ARANGO_ROOT_PASSWORD", "")
            [published] = started["ports"]
            lines.append(f"arangodb {published.rpartition(':')[0]} {shlex.quote(password)}")
        else:
            assert words[0] == "tracewright", line
            for flag in (word for word in words if word.startswith("--")):
                assert f"{flag} " in known, f"there is no flag {flag}"
            lines.append(f"serve {line}" if words[1].startswith("--") else line)
    return "".join(f"{line}\n" for line in lines)


main(*sys.argv[1:])
