# Sourced by the suites that drive a browser, after service.sh.
#
#   find_browser           sets BROWSER; Debian's chromium is installed when it is missing and that is possible
find_browser() {
  BROWSER=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
  [ -z "$BROWSER" ] || return 0
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 || skip "chromium is not installed"
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium; } \
    >"$WORK/apt.log" 2>&1 || skip "chromium cannot be installed here: $(tail -n 1 "$WORK/apt.log")"
  BROWSER=$(command -v chromium)
}
