# ./dev bench: each figure beside what it is compared with, from one run.

# Runs all parts, or the named one with its options.
bench() {
  part=${1:-all}
  [ $# -eq 0 ] || shift
  case $part in
    all | envelope | start | engines | rotation | verify | kms) ;;
    *) fail "./dev bench does not know the part $part" "./dev bench envelope|start|engines|rotation|verify|kms" ;;
  esac
  rm -rf "$here/target/keyfleet-bench/bench" # it may have jars of earlier versions
  run_maven -q -pl cli,bench -am package -DskipTests
  if [ "$part" != all ]; then
    "bench_$part" "$@"
    return
  fi
  for part in envelope start engines rotation verify kms; do
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
  bench_java 1g verify "$@"
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

# Compares the cold start of commands with a Go client that does as little work.
bench_start() {
  ensure_package hyperfine hyperfine
  etcdctl=$cache/etcdctl-$(cat "$here"/bench/etcdctl/go.* | digest 256 | cut -c 1-12)
  [ -x "$etcdctl" ] || (cd "$here/bench/etcdctl" && go build -o "$etcdctl" go.etcd.io/etcd/etcdctl/v3)
  "$here/keyfleet" --version >/dev/null
  KEYFLEET_KEK_V1=$("$here/keyfleet" kek generate)
  export KEYFLEET_KEK_V1
  measure_cold_starts "$etcdctl version" "$here/keyfleet --version" "$here/keyfleet kek verify --local"
  if [ -n "${KEYFLEET_TEST_ETCD:-}" ]; then
    bench_start_with_stores
  else
    echo "  kek verify --target=1 beside etcdctl get: not measured: KEYFLEET_TEST_ETCD is not set"
  fi
}

# The same with one read from a store: a fleet of one process in SQLite, and a key in etcd.
bench_start_with_stores() {
  folder=$(mktemp -d)
  export KEYFLEET_STORE="sqlite:$folder/fleet.db" ETCDCTL_ENDPOINTS=127.0.0.1:23790
  "$KEYFLEET_TEST_ETCD" --data-dir "$folder/etcd" --listen-client-urls http://$ETCDCTL_ENDPOINTS --advertise-client-urls http://$ETCDCTL_ENDPOINTS \
    --listen-peer-urls http://127.0.0.1:23800 >"$folder/etcd.log" 2>&1 &
  servers=$!
  "$here/keyfleet" kek announce --version=1 >/dev/null
  "$here/keyfleet" server --listen 127.0.0.1:0 >"$folder/server.log" 2>&1 &
  servers="$servers $!"
  retry 60 "$etcdctl" put k v
  retry 60 "$here/keyfleet" kek verify --target=1
  measure_cold_starts "$etcdctl get k" "$here/keyfleet kek verify --target=1"
  # shellcheck disable=SC2086 # two pids
  kill $servers
  wait
  rm -r "$folder"
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

# measure_cold_starts REFERENCE COMMAND…: three rounds, each in another order, because the speed of a machine varies;
# the median of all runs counts.
measure_cold_starts() {
  reference=$1
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
  echo "cold start, ms, $(wc -l <"$times") runs           (ratio: to ${reference##*/})"
  sort -t "$(printf '\t')" -k 1,1 -k 2,2n "$times" | awk -F'\t' -v reference="$reference" '
    { runs[$1, ++n[$1]] = $2 }
    function middle(c) { return (runs[c, int((n[c] + 1) / 2)] + runs[c, int(n[c] / 2) + 1]) / 2 }
    function line(c, name) { name = c; sub(/^[^ ]*\//, "", name)
      printf "  %-32s median %6.1f   min %6.1f   ratio %4.1f (min %4.1f)\n", name, middle(c), runs[c, 1], middle(c) / middle(reference), runs[c, 1] / runs[reference, 1] }
    END { line(reference); for (c in n) if (c != reference) line(c) }'
}
