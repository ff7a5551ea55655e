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
