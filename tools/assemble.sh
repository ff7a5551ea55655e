# Builds the application for ./keyfleet: jars, AOT cache and the JVM's arguments, in a folder named by their
# digest, so that a process that still runs from the previous build keeps its files.

assemble() {
  find_jdk
  mkdir -p "$apps"
  take_lock
  if ! is_built; then
    fetch_maven
    touch "$stamp.new" # before the build: what is edited meanwhile is newer
    compile
    install_app
    mv "$stamp.new" "$stamp"
    forget_old_builds
  fi
  rm -rf "$apps/lock"
}

# A folder is made by one process only. Whoever finds the lock of a dead process takes it over.
take_lock() {
  tries=0
  until mkdir "$apps/lock" 2>/dev/null; do
    owner=$(cat "$apps/lock/pid" 2>/dev/null || true)
    if [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; then
      mv "$apps/lock" "$apps/lock.$$" 2>/dev/null && rm -rf "$apps/lock.$$"
      continue
    fi
    [ $tries -gt 0 ] || echo "keyfleet: waiting for another start (pid ${owner:-unknown}) that builds" >&2
    tries=$((tries + 1))
    [ $tries -lt 600 ] || fail "another start has been building for ten minutes" "end it, then rm -r $apps/lock"
    sleep 1
  done
  echo $$ >"$apps/lock/pid"
  trap 'rm -rf "$apps/lock"; exit 130' INT TERM
}

compile() {
  log=$apps/build.log
  rm -rf "$apps/build/keyfleet-cli/app" # Maven would leave the jars of earlier versions beside the new ones
  run_maven -q -pl cli -am package -Dmaven.test.skip=true -Dkeyfleet.out="$apps/build" >"$log" 2>&1 &
  build=$!
  seconds=0
  [ -t 2 ] || echo "keyfleet: building, which takes a minute the first time" >&2
  while kill -0 $build 2>/dev/null; do
    [ ! -t 2 ] || printf '\rkeyfleet: building, which takes a minute the first time: %s s ' $seconds >&2
    seconds=$((seconds + 1))
    sleep 1
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
  wait $build || {
    grep -E '^\[ERROR\]' "$log" | head -n 5 >&2
    rm -rf "$apps/lock"
    fail "the build failed: see $log" "./dev build"
  }
}

install_app() {
  new=$apps/new
  rm -rf "$new"
  mkdir -p "$new"
  cp -R "$apps/build/keyfleet-cli/app" "$new/lib"
  app=$apps/$(cat "$new"/lib/*.jar "$jdk/release" "$here"/tools/* | sha 256)
  rm -rf "$app"
  mv "$new" "$app"
  unpack_sqlite
  bundle_jars
  write_arguments
  train local "$app/java-local.args"
  train store "$app/java.args"
  write_lasting_arguments
  train_plugin
  keep_time "$jdk/release"
  keep_time "$security"
  printf '%s\n%s\n' "$app" "$jdk" >"$apps/current.new"
  mv "$apps/current.new" "$apps/current"
}

# SQLite's library lies beside the jars, or its driver would unpack it at every start. Where it cannot be found the driver does.
unpack_sqlite() {
  case $(uname -s)/$(uname -m) in
    Linux/x86_64) platform=Linux/x86_64/libsqlitejdbc.so ;;
    Linux/aarch64) platform=Linux/aarch64/libsqlitejdbc.so ;;
    Darwin/arm64) platform=Mac/aarch64/libsqlitejdbc.dylib ;;
    Darwin/x86_64) platform=Mac/x86_64/libsqlitejdbc.dylib ;;
    *) return 0 ;;
  esac
  if ! ls /lib/ld-musl-* >/dev/null 2>&1; then
    (cd "$app" && "$jdk/bin/jar" -xf "$app"/lib/sqlite-jdbc-*.jar "org/sqlite/native/$platform")
    native=$app/org/sqlite/native/${platform%/*}
  fi
}

# All jars in one, which is opened quicker than thirty. Even so its 20,000 entries are read at every start, as somebody
# always asks for a class that is in none of them; what commands without a store need is in a smaller one.
bundle_jars() {
  "$jdk/bin/java" "$here/tools/BundleJars.java" "$app/keyfleet.jar" "$app"/lib/*.jar
  "$jdk/bin/java" -cp "$app/keyfleet.jar" "$here/tools/BundleJars.java" "$app/keyfleet-local.jar" \
    "$app"/lib/keyfleet-*.jar "$app"/lib/jackson-core-*.jar "$app"/lib/picocli-*.jar
}

# Each file of arguments names one class path. Another JDK than the build's takes the jars as they are.
write_arguments() {
  security=$jdk/conf/security/java.security
  path=
  for jar in "$app"/lib/*.jar; do path=$path${path:+:}$jar; done
  arguments >"$app/java-plain.args"
  path=$app/keyfleet.jar
  if [ -z "${native:-}" ]; then path=$path$(printf ':%s' "$app"/lib/sqlite-jdbc-*.jar); fi
  { arguments && prefer_jce && no_replay && no_locales; } >"$app/java.args"
  sed "s|$app/keyfleet.jar|$app/keyfleet-local.jar|" "$app/java.args" >"$app/java-local.args"
}

# For processes that stay: the whole compiler. A plugin lives beside every API server: its heap has a small limit, Netty
# one arena of a small size, and what the C library no longer needs goes back to the system.
write_lasting_arguments() {
  grep -v -e TieredStopAtLevel -e CompileThresholdScaling -e AOTReplayTraining -e VMOptions -e locale.providers "$app/java.args" >"$app/java-server.args"
  cat "$app/java-server.args" - >"$app/java-plugin.args" <<ARGUMENTS
-Xmx64m
-Xss512k
-XX:ReservedCodeCacheSize=48m
-XX:MaxMetaspaceSize=96m
-XX:TrimNativeHeapInterval=2000
-Dio.netty.allocator.numDirectArenas=1
-Dio.netty.allocator.numHeapArenas=1
-Dio.netty.allocator.maxOrder=3
-Dio.netty.leakDetection.level=disabled
ARGUMENTS
}

# train COMMANDS ARGUMENTS: makes an AOT cache of what these commands need, and names it in that file. It belongs to
# exactly these jars and this JDK: on 25.0.3 a cache of older jars runs their code without a word (JDK-8377932), which
# is why it lies in the folder that is named by their digest. Without a cache the commands are slower, and work.
train() {
  keys=$app/training
  mkdir -m 0700 "$keys"
  (umask 077 && sha 256 "$app/keyfleet.jar" >"$keys/main.v1.key")
  [ "$1" = local ] || begin_fleet "$2"
  (in_training "$2" -XX:AOTCacheOutput="$app/$1.aot" keyfleet.cli.AotTraining "$1" >"$app/training-$1.log" 2>&1) || true
  [ "$1" = local ] || end_fleet
  rm -r "$keys"
  if [ -s "$app/$1.aot" ]; then
    printf -- '-XX:AOTCache="%s"\n' "$app/$1.aot" >>"$2"
  fi
}

# in_training ARGUMENTS…: becomes java with two keys and a store of its own, and nothing of the user's.
in_training() {
  file=$1
  shift
  cd "$keys" && exec env -i PATH="$PATH" LC_ALL=C.UTF-8 KEYFLEET_KEK_V2="$(sha 256 "$jdk/release")" KEYFLEET_PROVIDER="file:$keys,env" KEYFLEET_STORE=sqlite:fleet.db \
    "$jdk/bin/java" "@$file" "$@" </dev/null
}

# A fleet of one process, so that commands find somebody to ask about.
begin_fleet() {
  (in_training "$1" keyfleet.cli.Main kek announce --version=1 >"$app/training-fleet.log" 2>&1) || true
  in_training "$1" keyfleet.cli.Main server --listen 127.0.0.1:0 >>"$app/training-fleet.log" 2>&1 &
  fleet=$!
}

end_fleet() {
  kill $fleet 2>/dev/null || true
  wait $fleet 2>/dev/null || true
}

# The plugin's own cache, of one that serves some thousand calls in training: with what it compiled then, and how. The
# calls come from another process. The socket lies where its path is short. Without this cache it has the commands'.
train_plugin() {
  work=$(mktemp -d)
  grep -v AOTCache "$app/java-plugin.args" >"$app/java-plugin.new"
  (cd "$work" && env -i PATH="$PATH" LC_ALL=C.UTF-8 MALLOC_ARENA_MAX=1 KEYFLEET_HOME=home KEYFLEET_STORE=sqlite:fleet.db \
    KEYFLEET_KEK_KMS_V1="$(sha 256 "$jdk/release")" sh -c '
      "$1" "@$2/java.args" keyfleet.cli.Main kek announce --keyring=kms --use=kms --version=1
      "$1" "@$2/java-plugin.new" -XX:AOTCacheOutput="$2/plugin.aot" keyfleet.cli.Main kms-plugin --listen "unix://$PWD/run/kms.sock" &
      trap "kill $!" INT TERM
      "$1" "@$2/java.args" keyfleet.cli.AotTraining drill "$PWD/run/kms.sock"
      kill $!
      wait $!
    ' sh "$jdk/bin/java" "$app") </dev/null >"$app/training-plugin.log" 2>&1 || true
  rm -r "$work"
  if [ -s "$app/plugin.aot" ]; then
    printf -- '-XX:AOTCache="%s"\n' "$app/plugin.aot" >>"$app/java-plugin.new"
    mv "$app/java-plugin.new" "$app/java-plugin.args"
  else
    rm "$app/java-plugin.new"
  fi
}

# A command needs the provider SunJCE, and the JDK starts the three before it in its list on the way there. If
# the list is the stock one, SunJCE changes places with one of them, none of which has a service in common.
prefer_jce() {
  if grep -q '^security.provider.2=SunRsaSign$' "$security" && grep -q '^security.provider.5=SunJCE$' "$security"; then
    printf 'security.provider.2=SunJCE\nsecurity.provider.5=SunRsaSign\n' >"$app/java.security"
    printf -- '-Djava.security.properties="%s"\n' "$app/java.security"
  fi
}

# A cache also remembers what was compiled, and a thread of the JVM looks that up at each class that is initialised:
# nothing was, with this compiler.
no_replay() {
  printf -- '%s\n' -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:-AOTReplayTraining
}

# Commands speak one language, and SQLite's driver looks up the names of days in the user's.
no_locales() {
  printf -- '%s\n' -Djava.locale.providers=SPI
}

# A quick compiler that is slow to step in, one collector thread, a small heap at first, and reflection without
# method handles start fastest. No attach, no core file, no perf file: keys are in this memory. The JVM's own
# complaints go to standard error, since standard output is data.
arguments() {
  cat <<ARGUMENTS
-XX:+UseSerialGC
-XX:TieredStopAtLevel=1
-XX:CompileThresholdScaling=5
-XX:-UsePerfData
-Xms16m
-Djdk.reflect.useNativeAccessorOnly=true
-XX:+DisableAttachMechanism
-XX:-CreateCoredumpOnCrash
-Xlog:disable
-Xlog:all=error:stderr
--enable-native-access=ALL-UNNAMED
-cp
"$path"
ARGUMENTS
  [ -z "${native:-}" ] || printf -- '-Dorg.sqlite.lib.path="%s"\n' "$native"
}

# Keeps this build and the three before it: a process may still run from them.
forget_old_builds() {
  # shellcheck disable=SC2012 # the names are digests
  ls -dt "$apps"/*/lib 2>/dev/null | tail -n +5 | while read -r lib; do rm -rf "${lib%/lib}"; done
}
