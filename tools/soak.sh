# ./dev soak: the long tests. With --runs only the simulation, with `plugin` only the KMS plugin.

soak() {
  case ${1:-all} in
    all) ;;
    plugin)
      shift
      soak_plugin "$@"
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
