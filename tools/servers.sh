# Servers that tests start, built from pinned sources. Sourced by tools/prepare.sh, with `cache` and `sha` of
# tools/toolchain.sh. POSIX sh.

# nats-server, which is one Go module; its version stands in it/servers/nats/go.mod.
prepare_nats() {
  nats=$here/it/servers/nats
  built=$cache/nats-server-$(cat "$nats/go.mod" "$nats/go.sum" "$nats/main.go" | sha 256 | cut -c 1-12)
  if ! [ -x "$built" ]; then
    if ! command -v go >/dev/null; then
      echo "dev: NO NATS TESTS: nats-server is built from its Go module, and there is no go on the PATH" >&2
      return
    fi
    mkdir -p "$cache"
    echo "dev: building nats-server, which takes a minute once" >&2
    # Into a file of our own first: another run may build at the same time.
    if ! (cd "$nats" && go build -mod=readonly -trimpath -o "$built.$$" .) >"$cache/nats-server.log" 2>&1; then
      rm -f "$built.$$"
      echo "dev: NO NATS TESTS: could not build nats-server: see $cache/nats-server.log" >&2
      return
    fi
    mv "$built.$$" "$built"
  fi
  export KEYFLEET_TEST_NATS="$built"
}
