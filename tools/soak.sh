# ./dev soak: the long tests. With --runs it is the simulation alone, with `plugin` the KMS plugin alone.

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
  run_maven -q -pl sim -am package -Dtest='keyfleet/sim/*Test' -Dsurefire.failIfNoSpecifiedTests=false \
    -Dkeyfleet.untested= -Dkeyfleet.record="$here/docs/RELIABILITY.md"
  JAZZER_FUZZ=1 run_maven -pl crypto,rollout,kms -am test -Dtest='*FuzzTest' -Dsurefire.failIfNoSpecifiedTests=false -Djazzer.max_duration=600s
  soak_plugin
  simulate --runs 1000000 --from 0
}

# What is kept is added to the track record; the last line is the summary.
simulate() {
  rm -rf "$here/target/keyfleet-sim/app" # with jars of earlier versions
  run_maven -q -pl sim -am package -DskipTests
  "$jdk/bin/java" -XX:+UseParallelGC -XX:ParallelGCThreads=1 -Xmn256m -cp "$here/target/keyfleet-sim/app/*" keyfleet.sim.SimulationSoak \
    --record "$here/docs/RELIABILITY.md" --commit "$(commit)" "$@"
}

# The plugin as the launcher starts it, at full rate, under faults, kills and a rotation: ten minutes, or --minutes N.
soak_plugin() {
  run_maven -q -pl it -am package -DskipTests
  "$here/keyfleet" --version >/dev/null
  "$jdk/bin/java" -XX:+UseSerialGC -Xmx768m --enable-native-access=ALL-UNNAMED \
    -cp "$here/target/keyfleet-it/test-classes:$(cat "$here/target/keyfleet-it/test.classpath")" keyfleet.it.soak.PluginSoak \
    --launcher "$here/keyfleet" --record "$here/docs/RELIABILITY.md" --commit "$(commit)" "$@"
}
