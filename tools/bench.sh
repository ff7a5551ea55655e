# ./dev bench: each figure beside what it is measured against, from one run.

# All parts, or the one that is named; options after its name are the part's own.
bench() {
  part=${1:-all}
  [ $# -eq 0 ] || shift
  case $part in
    all | envelope | start | engines | rotation | verify | kms) ;;
    *) fail "./dev bench has no part $part" "./dev bench envelope|start|engines|rotation|verify|kms" ;;
  esac
  run_maven -q -pl cli,bench -am package -DskipTests
  if [ "$part" != all ]; then
    "bench_$part" "$@"
    return
  fi
  for part in envelope start engines rotation verify kms; do
    "bench_$part"
  done
}

# bench_java MEMORY PART [OPTIONS]: with the collector of `keyfleet server`
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

# In as little memory as it must do with.
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

# Our plugin beside Kubernetes' own with a key hierarchy, driven by one Go client, each with a key in memory.
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

# Cold start of the command beside a Go client that does as little.
bench_start() {
  apt_has hyperfine hyperfine
  etcdctl=$cache/etcdctl-$(cat "$here"/bench/etcdctl/go.* | sha 256 | cut -c 1-12)
  [ -x "$etcdctl" ] || (cd "$here/bench/etcdctl" && go build -o "$etcdctl" go.etcd.io/etcd/etcdctl/v3)
  "$here/keyfleet" --version >/dev/null
  json=$here/target/bench-start.json
  KEYFLEET_KEK_V1=$("$here/keyfleet" kek generate) hyperfine -N --warmup 5 --runs 40 --export-json "$json" \
    "$etcdctl version" "$here/keyfleet --version" "$here/keyfleet kek verify --local" >"$here/target/bench-start.log" 2>&1
  echo "cold start, ms                              (ratio: to etcdctl version)"
  awk -F'[:,]' '/"command"/ { gsub(/[" ]*$/, "", $2); n = split($2, words, "/"); name = words[n] } /"median"/ { median = $2 * 1000 }
    /"min"/ { min = $2 * 1000; if (!base) { base = median; best = min }
      printf "  %-28s median %6.1f   min %6.1f   ratio %4.1f (min %4.1f)\n", name, median, min, median / base, min / best }' "$json"
}
