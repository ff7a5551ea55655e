# ./dev bench: each figure beside what it is compared with, from one run.

# Runs all parts, or the named one with its options.
bench() {
  part=${1:-all}
  [ $# -eq 0 ] || shift
  case $part in
    all | envelope | start | engines | rotation | verify | audit | kms) ;;
    *) fail "./dev bench does not know the part $part" "./dev bench envelope|start|engines|rotation|verify|audit|kms" ;;
  esac
  rm -rf "$here/target/keyfleet-bench/bench" # it may have jars of earlier versions
  run_maven -q -pl cli,bench -am package -DskipTests
  if [ "$part" != all ]; then
    "bench_$part" "$@"
    return
  fi
  for part in envelope start engines rotation verify audit kms; do
    "bench_$part"
  done
}

# bench_java MEMORY PART [OPTIONS]: runs a part with the garbage collector of `keyfleet server`.
bench_java() {
  memory=$1
  shift
  "$jdk/bin/java" -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED "-Xmx$memory" -cp "$here/target/keyfleet-bench/bench/*" keyfleet.bench.Bench "$@"
}

bench_engines() {
  prepare_postgres
  prepare_nats
  bench_java 1g engines "$@"
}

# With the memory limit that a rotation must stay within.
bench_rotation() {
  prepare_postgres
  bench_java 256m rotation "$@"
}

bench_verify() {
  prepare_postgres
  bench_java 1g verify "$@"
}

bench_audit() {
  prepare_postgres
  bench_java 1g audit "$@"
}

bench_envelope() {
  csv=$here/target/bench-envelope.csv
  "$jdk/bin/java" -cp "$here/target/keyfleet-bench/bench/*" org.openjdk.jmh.Main EnvelopeBench -rf csv -rff "$csv" >"$here/target/bench-envelope.log" 2>&1 ||
    fail "the benchmark failed: see target/bench-envelope.log" "./dev build"
  echo "envelope, one thread, ops/s                 (ratio: to plain AES-256-GCM on the same bytes)"
  awk -F, 'NR > 1 { gsub(/"/, ""); n = split($1, name, "."); ops[name[n], $8] = $5; size[$8] = 1 }
    END { for (s in size) { split("sealValue openValue rewrapValue", ours, " "); split("plainGcmEncrypt plainGcmDecrypt plainGcmEncrypt", base, " ")
      for (i = 1; i <= 3; i++) printf "  %-12s %5s B  %10.0f   %-16s %10.0f   %.2f\n", ours[i], s, ops[ours[i], s], base[i], ops[base[i], s], ops[ours[i], s] / ops[base[i], s] } }' "$csv" | sort
}

# Compares our plugin with the Kubernetes reference plugin with a key hierarchy. One Go client drives both; each has its key in memory.
bench_kms() {
  build_go bench/kms/reference || fail "./dev bench kms needs the Go peer" "install Go"
  reference=$built
  build_go bench/kms/client || fail "./dev bench kms needs the Go client" "install Go"
  work=$(mktemp -d)
  (
    export KEYFLEET_HOME="$work/home" KEYFLEET_STORE="sqlite:$work/fleet.db" KEYFLEET_KEYRING=kms
    KEYFLEET_KEK_KMS_V1=$("$here/keyfleet" kek generate)
    export KEYFLEET_KEK_KMS_V1
    "$here/keyfleet" kek announce --use=kms --version=1 2>"$work/announce.log" || fail "$(cat "$work/announce.log")" "./dev build"
    "$built" "$work" "$here/keyfleet" "$reference"
  )
  rm -rf "$work"
}

# Compares the cold start of commands with that of OpenBao's CLI, which our users have: without a store at most 0.9 times its
# time, with a store at most 1.5 times. etcdctl, which does as little work as a Go client can, is there for information.
bench_start() {
  ensure_package hyperfine hyperfine
  prepare_openbao
  bao=${KEYFLEET_TEST_OPENBAO:-}
  [ -n "$bao" ] || fail "./dev bench start needs OpenBao's CLI, and it cannot be fetched: see $cache/openbao.log" "check the network, then run it again"
  build_etcdctl || echo "dev: cannot build etcdctl and etcd: their rows are left out" >&2
  "$here/keyfleet" --version >/dev/null
  KEYFLEET_KEK_V1=$("$here/keyfleet" kek generate)
  export KEYFLEET_KEK_V1
  measure_cold_starts "$bao version" "$here/keyfleet --version" "$here/keyfleet kek verify --local" ${etcdctl:+"$etcdctl version"}
  compare_medians "$here/keyfleet --version" "$bao version" 0.9
  compare_medians "$here/keyfleet kek verify --local" "$bao version" 0.9
  if [ -n "$etcdctl" ]; then
    compare_medians "$here/keyfleet --version" "$etcdctl version"
    compare_medians "$here/keyfleet kek verify --local" "$etcdctl version"
  fi
  bench_start_with_stores
}

# Sets `etcdctl` and `etcd` to their programs, or `etcdctl` to nothing.
build_etcdctl() {
  etcdctl=$cache/etcdctl-$(cat "$here"/bench/etcdctl/go.* | digest 256 | cut -c 1-12)
  if build_go it/servers/etcd; then
    etcd=$built
    if [ -x "$etcdctl" ] || (cd "$here/bench/etcdctl" && go build -o "$etcdctl" go.etcd.io/etcd/etcdctl/v3); then return; fi
  fi
  etcdctl=
  return 1
}

# The same with one read from a store: a fleet of one process in SQLite, a dev server of OpenBao, and a key in etcd. All
# servers listen on loopback only. In a subshell, so that they end with it however it ends.
bench_start_with_stores() (
  folder=$(mktemp -d)
  servers=
  trap 'stop_servers' EXIT
  trap 'exit 130' INT TERM
  export KEYFLEET_STORE="sqlite:$folder/fleet.db" BAO_ADDR=http://127.0.0.1:23810 ETCDCTL_ENDPOINTS=127.0.0.1:23790
  # Its data is in memory. Without the option it would replace the user's token in their home folder.
  "$bao" server -dev -dev-no-store-token -dev-listen-address="${BAO_ADDR#http://}" >"$folder/bao.log" 2>&1 &
  servers=$!
  "$here/keyfleet" kek announce --version=1 >"$folder/announce.log" 2>&1 || fail "$(cat "$folder/announce.log")" "./dev build"
  "$here/keyfleet" server --listen 127.0.0.1:0 >"$folder/server.log" 2>&1 &
  servers="$servers $!"
  if [ -n "$etcdctl" ]; then
    "$etcd" --data-dir "$folder/etcd" --listen-client-urls http://$ETCDCTL_ENDPOINTS --advertise-client-urls http://$ETCDCTL_ENDPOINTS \
      --listen-peer-urls http://127.0.0.1:23800 >"$folder/etcd.log" 2>&1 &
    servers="$servers $!"
    retry 60 "$etcdctl" put k v
  fi
  retry 60 "$bao" status
  retry 60 "$here/keyfleet" kek verify --target=1
  measure_cold_starts "$bao status" "$here/keyfleet kek verify --target=1" ${etcdctl:+"$etcdctl get k"}
  compare_medians "$here/keyfleet kek verify --target=1" "$bao status" 1.5
  [ -z "$etcdctl" ] || compare_medians "$here/keyfleet kek verify --target=1" "$etcdctl get k"
)

stop_servers() {
  # shellcheck disable=SC2086 # one word per pid
  [ -z "$servers" ] || kill $servers 2>/dev/null || true
  wait
  rm -rf "$folder"
}

# retry SECONDS COMMAND…: runs the command once a second until it succeeds.
retry() {
  tries=$1
  shift
  until "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || fail "$* does not work" "look at $folder"
    sleep 1
  done
}

# measure_cold_starts COMMAND…: writes the times of all runs to a file. Three rounds, each in another order, because the
# speed of a machine varies.
measure_cold_starts() {
  times=$here/target/bench-start.times
  : >"$times"
  for round in 1 2 3; do
    hyperfine -N --warmup 3 --runs 20 --export-json "$here/target/bench-start-$round.json" "$@" >"$here/target/bench-start-$round.log" 2>&1 ||
      fail "a command failed: see target/bench-start-$round.log" "run it by hand"
    awk '/"command":/ { sub(/^[^:]*: "/, ""); sub(/",$/, ""); name = $0 } /"times":/ { on = 1; next } /\]/ { on = 0 }
      on { sub(/,/, ""); printf "%s\t%.3f\n", name, $1 * 1000 }' "$here/target/bench-start-$round.json" >>"$times"
    first=$1
    shift
    set -- "$@" "$first"
  done
  echo "cold start, ms: median (min) of $(($(wc -l <"$times") / $#)) runs each, ours / theirs"
}

# compare_medians OURS THEIRS [BAR]: prints a row with both figures, their ratio, and whether it reaches the bar.
compare_medians() {
  sort -t "$(printf '\t')" -k 1,1 -k 2,2n "$times" | awk -F'\t' -v ours="$1" -v theirs="$2" -v bar="${3:-}" '
    { runs[$1, ++n[$1]] = $2 }
    function median(c) { return (runs[c, int((n[c] + 1) / 2)] + runs[c, int(n[c] / 2) + 1]) / 2 }
    function name(c) { sub(/^[^ ]*\//, "", c); sub(/^etcdctl-[^ ]*/, "etcdctl", c); return c }
    END {
      ratio = median(ours) / median(theirs)
      note = bar == "" ? "for information" : sprintf("%-7s (bar <= %sx)", ratio <= bar + 0 ? "reached" : "MISSED", bar)
      printf "  %-48s %6.1f (%.1f) / %6.1f (%.1f) %6.2fx  %s\n", name(ours) " / " name(theirs), median(ours), runs[ours, 1], median(theirs), runs[theirs, 1], ratio, note
    }'
}
