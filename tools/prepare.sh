# Installs the servers and tools that tests need, where that is allowed. For a missing one its variable stays empty, and
# the tests that need it are skipped and listed.

. "$here/tools/servers.sh"

# ensure_package COMMAND-OR-FILE PACKAGE: installs the Debian package if its file is missing and this user may.
ensure_package() {
  if [ -e "$1" ] || command -v "$1" >/dev/null; then return; fi
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "dev: installing $2" >&2
    { apt-get install -y -qq "$2" || { apt-get update -qq && apt-get install -y -qq "$2"; }; } >"$cache/apt.log" 2>&1 ||
      echo "dev: cannot install $2: see $cache/apt.log" >&2
  fi
}

prepare_softhsm() {
  ensure_package softhsm2-util softhsm2
}

prepare_systemd() {
  ensure_package systemd-analyze systemd
}

# For tests of processes with a wrong wall clock.
prepare_clocks() {
  ensure_package "/usr/lib/$(uname -m)-linux-gnu/faketime/libfaketimeMT.so.1" libfaketime
}

prepare_postgres() {
  ensure_package /usr/lib/postgresql postgresql
}

# A virtual Python environment with exactly the packages that the tests need.
prepare_python() {
  venv=$cache/python-$(digest 256 "$here/it/requirements.txt" | cut -c 1-12)
  if ! [ -x "$venv/bin/python" ]; then
    rm -rf "$venv.new"
    # Debian has venv in a separate package.
    python3 -c 'import ensurepip' 2>/dev/null || ensure_package /usr/share/python-wheels python3-venv
    if python3 -m venv "$venv.new" >"$cache/python.log" 2>&1 &&
      "$venv.new/bin/python" -m pip install -q -r "$here/it/requirements.txt" >>"$cache/python.log" 2>&1; then
      mv "$venv.new" "$venv"
    else
      echo "dev: cannot set up Python: see $cache/python.log" >&2
      return
    fi
  fi
  export KEYFLEET_TEST_PYTHON="$venv/bin/python"
}
