# ./dev test: gates, tests, fuzzing, the bill of materials, the reproducible build, and an honest list of what
# was skipped.

check() {
  KEYFLEET_COMMIT=$(commit)
  export KEYFLEET_COMMIT
  if [ -n "${SIM_SEED:-}" ]; then
    replay
    return
  fi
  prepare_softhsm
  prepare_clocks
  prepare_postgres
  prepare_systemd
  prepare_nats
  prepare_upstream
  prepare_etcd
  prepare_kube_apiserver
  prepare_openbao
  prepare_moto
  prepare_python
  # Two rooms at a time: most tests of the engines and of processes wait rather than work.
  run_maven -T 2 verify
  fuzz
  check_sbom
  check_reproducible
  report_skipped
}

# SIM_SEED=N ./dev test: one simulated history again, and nothing else.
replay() {
  run_maven -q -pl sim -am package -Dtest='SwarmTest#anySeed_keepsEveryPromise' -Dsurefire.failIfNoSpecifiedTests=false
}

fuzz() {
  echo "dev: fuzzing, ten seconds a parser"
  JAZZER_FUZZ=1 run_maven -q -pl crypto,rollout surefire:test -Dtest='*FuzzTest' -Dsurefire.failIfNoSpecifiedTests=false \
    -Dsurefire.reportNameSuffix=fuzz
}

# Every jar that we ship is in the bill of materials, which names one as GROUP/ARTIFACT@VERSION?classifier=…&type=jar.
check_sbom() {
  named=$here/target/keyfleet/bom.jars
  sed -n 's|.*"purl" : "pkg:maven/[^/]*/\([^@]*\)@\([^?]*\)?\(.*\)".*|\1-\2 \3|p' "$here/target/keyfleet/bom.json" |
    sed -e 's/ .*classifier=\([^&]*\).*/-\1/' -e 's/ .*//' >"$named"
  for jar in "$here"/target/keyfleet-cli/app/*.jar; do
    grep -qxF "$(basename "$jar" .jar)" "$named" || fail "$(basename "$jar") is missing from the SBOM" "look at target/keyfleet/bom.json"
  done
  echo "dev: the SBOM names every jar of the application"
}

# The same commit, built again elsewhere, is the same bytes. The launcher has built it in its own folder, for the
# tests that call it if not before.
check_reproducible() {
  "$here/keyfleet" --version >/dev/null
  again=$cache/app$here/.builds/build
  (cd "$here/target" && find . -path './keyfleet-cli/app/*.jar') | while read -r jar; do
    cmp "$here/target/$jar" "$again/$jar" || fail "$jar differs between two builds" "diffoscope target/$jar $again/$jar"
  done
  echo "dev: two builds gave the same bytes"
}

report_skipped() {
  skipped=$(grep -l '<skipped' "$here"/target/*/surefire-reports/*.xml 2>/dev/null || true)
  if [ -z "$skipped" ]; then
    echo "dev: nothing was skipped"
    return
  fi
  echo "dev: SKIPPED:"
  # shellcheck disable=SC2086 # one file name a word; ours have no spaces
  grep -h -B1 '<skipped' $skipped | sed -n -e 's/.*<testcase name="\([^"]*\)" classname="\([^"]*\)".*/  \2.\1/p' -e 's/.*message="\([^"]*\)".*/    \1/p'
  if [ "${CI:-}" = true ]; then fail "CI does not pass while tests are skipped" "install what they name"; fi
}
