# ./dev soak: the long tests. With --runs it is the simulation alone.

soak() {
  if [ $# -gt 0 ]; then
    simulate "$@"
    return
  fi
  run_maven -q -pl sim -am package -Dtest='keyfleet/sim/*Test' -Dsurefire.failIfNoSpecifiedTests=false \
    -Dkeyfleet.untested= -Dkeyfleet.record="$here/docs/RELIABILITY.md"
  JAZZER_FUZZ=1 run_maven -pl crypto,rollout,kms -am test -Dtest='*FuzzTest' -Dsurefire.failIfNoSpecifiedTests=false -Djazzer.max_duration=600s
  simulate --runs 1000000 --from 0
}

# What is kept is added to the track record; the last line is the summary.
simulate() {
  run_maven -q -pl sim -am package -DskipTests
  "$jdk/bin/java" -XX:+UseParallelGC -XX:ParallelGCThreads=1 -Xmn256m -cp "$here/target/keyfleet-sim/app/*" keyfleet.sim.Soak \
    --record "$here/docs/RELIABILITY.md" --commit "$(commit)" "$@"
}
