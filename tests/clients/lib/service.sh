# Sourced by the client suites: a fresh service with the demo factory, in a temporary folder, on ports of its own.
#
#   start_service [ARGS]   starts it and waits until it is ready; sets URL, ENGINE_URL and DATA
#   skip REASON            ends the suite; with CI=true that is a failure
#   python_env DIR         a virtual environment with the requirements.txt of the suite; sets PYTHON
#   clean_up               does nothing; a suite that starts more than the service redefines it
#
# TRACEWRIGHT_BIN names a program to test instead of the one that is built here.
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
WORK=$(mktemp -d)
SERVICE_PID=

clean_up() { :; }

finish() {
  local code=$?
  # what cannot be taken down is a failure as any other
  if ! clean_up && [ $code -eq 0 ]; then
    code=1
  fi
  if [ -n "$SERVICE_PID" ]; then
    kill "$SERVICE_PID" 2>/dev/null || true
    wait "$SERVICE_PID" 2>/dev/null || true
  fi
  if [ $code -ne 0 ] && [ -f "$WORK/service.log" ]; then
    echo "--- the end of the service's log" >&2
    tail -n 20 "$WORK/service.log" >&2
  fi
  rm -rf "$WORK"
  exit $code
}
trap finish EXIT

skip() {
  echo "skipped: $1"
  if [ "${CI:-}" = true ]; then
    echo "with CI=true nothing may be skipped" >&2
    exit 1
  fi
  exit 0
}

need() {
  command -v "$1" >/dev/null 2>&1 || skip "$1 is not installed"
}

if [ -z "${TRACEWRIGHT_BIN:-}" ]; then
  # Of the whole workspace: with the features, and so the libraries, that its tests were compiled with.
  (cd "$ROOT" && cargo build --quiet --workspace --bin tracewright)
  TRACEWRIGHT_BIN="${CARGO_TARGET_DIR:-$ROOT/target}/debug/tracewright"
fi
export TRACEWRIGHT_BIN

# A port that nobody listens at just now.
free_port() {
  local port
  while true; do
    port=$((20000 + RANDOM % 12000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
}

wait_until_ready() {
  for _ in $(seq 600); do
    curl -sf "$1/readyz" >/dev/null 2>&1 && return
    if [ -n "$SERVICE_PID" ] && ! kill -0 "$SERVICE_PID" 2>/dev/null; then break; fi
    sleep 0.2
  done
  echo "the service does not answer at $1" >&2
  return 1
}

start_service() {
  local port engine
  port=$(free_port) engine=$(free_port)
  URL="http://127.0.0.1:$port" ENGINE_URL="http://127.0.0.1:$engine" DATA="$WORK/data"
  export URL ENGINE_URL DATA
  "$TRACEWRIGHT_BIN" serve --demo --listen "127.0.0.1:$port" --database-embedded-listen "127.0.0.1:$engine" \
    --data-dir "$DATA" --admin-password Admin-password-1 "$@" >"$WORK/service.log" 2>&1 &
  SERVICE_PID=$!
  wait_until_ready "$URL"
}

python_env() {
  need python3
  local env="$1/.venv"
  if ! [ -x "$env/bin/python" ] || [ "$1/requirements.txt" -nt "$env/.ready" ]; then
    python3 -m venv "$env" || skip "python3 has no venv module"
    "$env/bin/pip" install --quiet --disable-pip-version-check -r "$1/requirements.txt"
    touch "$env/.ready"
  fi
  PYTHON="$env/bin/python"
}
