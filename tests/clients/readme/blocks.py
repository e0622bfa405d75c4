"""Turns the command blocks of pages that follow each other (README.md,docs/next.md) into one shell script."""

import re
import shlex
import sys
from pathlib import Path

BLOCK = re.compile(r"^```(sh|python|output)( server| docker)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)

HEAD = """\
set -euo pipefail
say() { printf '\\n== block %s\\n' "$*"; }
expect() {  # what was printed, what the page promises
  if ! diff <(printf '%s\\n' "$2") <(sed 's/[[:space:]]*$//' "$1"); then
    echo "the page promises another output (< promised, > printed)" >&2
    exit 1
  fi
}
service= log=
stop() {  # the service that runs, which must end without an error
  [ -n "$service" ] || return 0
  kill "$service" 2>/dev/null || true
  wait "$service" || { cat "$log" >&2; return 1; }
  service=
}
trap 'code=$?; stop || code=1; exit $code' EXIT
ready() {
  for _ in $(seq 3000); do
    curl -s "http://$TRACEWRIGHT_LISTEN/readyz" >/dev/null && return
    kill -0 "$service" || break
    sleep 0.2
  done
  cat "$log" >&2
  exit 1
}
serve() {  # a command that serves until it is told to stop
  log=serve.log
  "$@" >"$log" 2>&1 &
  service=$!
  ready
  curl -sf "http://$TRACEWRIGHT_LISTEN/readyz"
  stop
}
"""


def main(pages, *replacements):
    text = "\n".join(Path(page).read_text(encoding="utf-8") for page in pages.split(","))
    fences = re.findall(r"^```(\w.*)$", text, re.MULTILINE)
    blocks = BLOCK.findall(text)
    assert len(blocks) == len(fences), f"a block with an unknown mark is never run: {fences}"
    replacements = [replacement.split("=", 1) for replacement in replacements]

    print(HEAD)
    for number, (kind, mark, code) in enumerate(blocks, 1):
        title = shlex.quote(f"{number}: {code.splitlines()[0][:70]}")
        for written, meant in replacements:
            code = code.replace(written, meant)
        if kind == "output":
            print(f"expect out.txt {shlex.quote(code.rstrip())}\n")
        elif mark == " server":
            print(f"say {title}\nlog=server.log\n{{\nexec {code}}} >$log 2>&1 &\nservice=$!\nready\n")
        elif kind == "python":
            print(f"say {title}\npython - <<'END-OF-BLOCK' | tee out.txt\n{code}END-OF-BLOCK\n")
        else:
            if mark == " docker":
                # As the page says: the port must be free.
                print("stop")
                code = re.sub(r"^(?=tracewright --)", "serve ", code, flags=re.MULTILINE)
            # Not in a pipe: variables and functions must last.
            print(f"say {title}\n{{\n{code}}} >out.txt\ncat out.txt\n")


main(*sys.argv[1:])
