# ./dev test: static checks, tests, fuzzing, the bill of materials, the reproducible build, and a list of the skipped
# tests.

run_checks() {
  KEYFLEET_COMMIT=$(commit_id)
  export KEYFLEET_COMMIT
  if [ -n "${SIM_SEED:-}" ]; then
    replay_seed
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
  # The application that tests start is built first: beside the tests of another module it would take minutes.
  "$here/keyfleet" --version >/dev/null
  # Two modules at a time: most tests of the engines and of processes wait rather than compute.
  run_maven -T 2 verify
  check_sbom
  check_reproducible
  report_skipped
}

# SIM_SEED=N ./dev test: replays one simulated history and runs nothing else.
replay_seed() {
  run_maven -q -pl sim -am package -Dtest='SwarmTest#anySeed_keepsEveryPromise' -Dsurefire.failIfNoSpecifiedTests=false
}

# Checks that every shipped jar is in the bill of materials, in the form GROUP/ARTIFACT@VERSION?classifier=…&type=jar.
check_sbom() {
  named=$here/target/keyfleet/bom.jars
  sed -n 's|.*"purl" : "pkg:maven/[^/]*/\([^@]*\)@\([^?]*\)?\(.*\)".*|\1-\2 \3|p' "$here/target/keyfleet/bom.json" |
    sed -e 's/ .*classifier=\([^&]*\).*/-\1/' -e 's/ .*//' >"$named"
  for jar in "$here"/target/keyfleet-cli/app/*.jar; do
    grep -qxF "$(basename "$jar" .jar)" "$named" || fail "$(basename "$jar") is missing from the SBOM" "look at target/keyfleet/bom.json"
  done
  echo "dev: the SBOM names every jar of the application"
}

# Checks that a second build of the same commit in another folder has the same bytes. The launcher has made that build
# in its own folder, at the latest for the tests that call it.
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
  # shellcheck disable=SC2086 # one file name per word; these have no spaces
  grep -h -B1 '<skipped' $skipped | sed -n -e 's/.*<testcase name="\([^"]*\)" classname="\([^"]*\)".*/  \2.\1/p' -e 's/.*message="\([^"]*\)".*/    \1/p'
  if [ "${CI:-}" = true ]; then fail "CI fails while tests are skipped" "install what the skipped tests need"; fi
}
