# ./dev soak: the long tests. With --runs only the simulation, with `plugin` only the KMS plugin, with `memory` only the
# memory of a driver.

soak() {
  case ${1:-all} in
    all) ;;
    plugin)
      shift
      soak_plugin "$@"
      return
      ;;
    memory)
      shift
      soak_memory "$@"
      return
      ;;
    *)
      simulate "$@"
      return
      ;;
  esac
  run_maven -q -pl sim -am package -Dtest='keyfleet/sim/**/*Test' -Dsurefire.failIfNoSpecifiedTests=false \
    -Dkeyfleet.untested= -Dkeyfleet.record="$here/docs/RELIABILITY.md"
  run_maven integration-test -Dtest='*FuzzTest' -Dsurefire.failIfNoSpecifiedTests=false -Djazzer.max_duration=600s
  soak_plugin
  soak_memory
  simulate --runs 1000000 --from 0
}

# Adds the result to the track record in docs/RELIABILITY.md; the last line printed is the summary.
simulate() {
  rm -rf "$here/target/keyfleet-sim/app" # it may have jars of earlier versions
  run_maven -q -pl sim -am package -DskipTests
  "$jdk/bin/java" -XX:+UseParallelGC -XX:ParallelGCThreads=1 -Xmn256m -cp "$here/target/keyfleet-sim/app/*" keyfleet.sim.SimulationSoak \
    --record "$here/docs/RELIABILITY.md" --commit "$(commit_id)" "$@"
}

# Runs the plugin as the launcher starts it, at full rate, under faults, kills and a rotation, for ten minutes or
# --minutes N.
soak_plugin() {
  run_maven -q -pl it -am package -DskipTests
  "$here/keyfleet" --version >/dev/null
  "$jdk/bin/java" -XX:+UseSerialGC -Xmx768m --enable-native-access=ALL-UNNAMED \
    -cp "$here/target/keyfleet-it/test-classes:$(cat "$here/target/keyfleet-it/test.classpath")" keyfleet.it.soak.PluginSoak \
    --launcher "$here/keyfleet" --record "$here/docs/RELIABILITY.md" --commit "$(commit_id)" "$@"
}

# soak_memory [--records N] [--rotations N]: one `keyfleet server`, as the launcher starts it, drives ten rotations of 100,000
# records on SQLite. Prints its resident memory, and fails above 250 MB.
soak_memory() {
  records=100000 rotations=10
  while [ $# -gt 0 ]; do
    case $1 in
      --records) records=${2:-} ;;
      --rotations) rotations=${2:-} ;;
      *) fail "./dev soak memory does not know the option $1" "./dev soak memory --records 100000 --rotations 10" ;;
    esac
    [ $# -gt 1 ] || fail "$1 needs a number" "./dev soak memory --records 100000 --rotations 10"
    shift 2
  done
  "$here/keyfleet" --version >/dev/null
  run_maven -q -pl it -am package -Dtest='ServerMemoryTest#driverOfTenRotations*' -Dsurefire.failIfNoSpecifiedTests=false \
    -Dkeyfleet.untested= -Dkeyfleet.soak.records="$records" -Dkeyfleet.soak.rotations="$rotations"
}
