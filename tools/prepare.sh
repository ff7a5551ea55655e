# Servers and tools that tests need, installed where that is allowed. What cannot be had stays empty, and the
# tests that need it are skipped by name.

. "$here/tools/servers.sh"

# apt_has COMMAND-OR-FILE PACKAGE: installs a Debian package if its file is missing and we may.
apt_has() {
  if [ -e "$1" ] || command -v "$1" >/dev/null; then return; fi
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "dev: installing $2" >&2
    { apt-get install -y -qq "$2" || { apt-get update -qq && apt-get install -y -qq "$2"; }; } >"$cache/apt.log" 2>&1 ||
      echo "dev: could not install $2: see $cache/apt.log" >&2
  fi
}

prepare_softhsm() {
  apt_has softhsm2-util softhsm2
}

prepare_systemd() {
  apt_has systemd-analyze systemd
}

# Processes whose calendar is wrong.
prepare_clocks() {
  apt_has "/usr/lib/$(uname -m)-linux-gnu/faketime/libfaketimeMT.so.1" libfaketime
}

prepare_postgres() {
  apt_has /usr/lib/postgresql postgresql
}

# A Python of our own with exactly the packages that the tests name.
prepare_python() {
  venv=$cache/python-$(sha 256 "$here/it/requirements.txt" | cut -c 1-12)
  if ! [ -x "$venv/bin/python" ]; then
    rm -rf "$venv.new"
    # Debian packs venv apart from Python.
    python3 -c 'import ensurepip' 2>/dev/null || apt_has /usr/share/python-wheels python3-venv
    if python3 -m venv "$venv.new" >"$cache/python.log" 2>&1 &&
      "$venv.new/bin/python" -m pip install -q -r "$here/it/requirements.txt" >>"$cache/python.log" 2>&1; then
      mv "$venv.new" "$venv"
    else
      echo "dev: could not set up Python: see $cache/python.log" >&2
      return
    fi
  fi
  export KEYFLEET_TEST_PYTHON="$venv/bin/python"
}
