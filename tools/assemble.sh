# Builds the application for ./keyfleet: jars, AOT caches and the JVM's arguments, in a folder named by their digest, so
# that a process that still runs from the previous build keeps its files.

assemble() {
  find_jdk
  make_folder "$apps"
  acquire_lock
  if ! is_built; then
    fetch_maven
    touch "$stamp.new" # before the build, so that files edited meanwhile are newer
    build_jars
    install_app
    mv "$stamp.new" "$stamp"
    delete_old_builds
  fi
  rm -rf "$apps/lock"
}

# Only one process builds at a time. A process that finds the lock of a dead process takes it over.
acquire_lock() {
  tries=0
  until mkdir "$apps/lock" 2>/dev/null; do
    owner=$(cat "$apps/lock/pid" 2>/dev/null || true)
    if [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; then
      mv "$apps/lock" "$apps/lock.$$" 2>/dev/null && rm -rf "$apps/lock.$$"
      continue
    fi
    [ $tries -gt 0 ] || echo "keyfleet: waiting for another start (pid ${owner:-unknown}) to finish the build" >&2
    tries=$((tries + 1))
    [ $tries -lt 600 ] || fail "another start (pid ${owner:-unknown}) has been building for ten minutes" "stop it, then rm -r $apps/lock"
    sleep 1
  done
  echo $$ >"$apps/lock/pid"
  trap 'rm -rf "$apps/lock"; exit 130' INT TERM
}

build_jars() {
  log=$apps/build.log
  rm -rf "$apps/build/keyfleet-cli/app" # Maven would keep the jars of earlier versions
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
  app=$apps/$(cat "$new"/lib/*.jar "$jdk/release" "$here"/tools/* | digest 256)
  rm -rf "$app"
  mv "$new" "$app"
  unpack_sqlite_library
  bundle_jars
  write_jvm_arguments
  train_cache local "$app/java-local.args"
  train_cache store "$app/java.args"
  write_server_arguments
  train_plugin_cache
  record_mtime "$jdk/release"
  record_mtime "$security"
  printf '%s\n%s\n' "$app" "$jdk" >"$apps/current.new"
  mv "$apps/current.new" "$apps/current"
}

# Unpacks SQLite's native library once; otherwise its driver unpacks it at every start, as it does on other platforms.
unpack_sqlite_library() {
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

# Bundles all jars into one, which the JVM opens faster than thirty. Still the JVM reads its 20,000 entries at every
# start, because some code always looks for a missing class; so commands without a store have a smaller bundle.
bundle_jars() {
  "$jdk/bin/java" "$here/tools/BundleJars.java" "$app/keyfleet.jar" "$app"/lib/*.jar
  "$jdk/bin/java" "$here/tools/BundleJars.java" "$app/keyfleet-local.jar" \
    "$app"/lib/keyfleet-*.jar "$app"/lib/jackson-core-*.jar "$app"/lib/picocli-*.jar
}

# Each arguments file has one class path. A JDK other than that of the build uses the plain jars.
write_jvm_arguments() {
  security=$jdk/conf/security/java.security
  path=
  for jar in "$app"/lib/*.jar; do path=$path${path:+:}$jar; done
  print_common_arguments >"$app/java-plain.args"
  { print_common_arguments | use_both_compilers && limit_server_memory; } >"$app/java-plain-server.args"
  { print_common_arguments | use_both_compilers && limit_plugin_memory; } >"$app/java-plain-plugin.args"
  path=$app/keyfleet.jar
  if [ -z "${native:-}" ]; then path=$path$(printf ':%s' "$app"/lib/sqlite-jdbc-*.jar); fi
  { print_common_arguments && prefer_sunjce && disable_training_replay && disable_locale_data; } >"$app/java.args"
  sed "s|$app/keyfleet.jar|$app/keyfleet-local.jar|" "$app/java.args" >"$app/java-local.args"
}

# Both need the AOT cache of the commands, which is in their arguments by now.
write_server_arguments() {
  { use_both_compilers <"$app/java.args" && limit_server_memory; } >"$app/java-server.args"
  { use_both_compilers <"$app/java.args" && limit_plugin_memory; } >"$app/java-plugin.args"
}

# Long-running processes use both compilers.
use_both_compilers() {
  grep -v -e TieredStopAtLevel -e CompileThresholdScaling -e AOTReplayTraining -e VMOptions -e locale.providers -e Xmx
}

# Without a limit the JVM takes a quarter of the machine before it collects garbage. A server needs about 50 MB of heap for
# a rotation. One that runs out of memory ends, so that what supervises it starts it again, instead of living on without
# one of its threads. The C library returns unused memory to the system.
limit_server_memory() {
  cat <<ARGUMENTS
-Xmx128m
-Xss512k
-XX:ReservedCodeCacheSize=64m
-XX:MaxMetaspaceSize=128m
-XX:TrimNativeHeapInterval=5000
-XX:-HeapDumpOnOutOfMemoryError
-XX:+ExitOnOutOfMemoryError
ARGUMENTS
}

# A plugin runs beside every API server, so it must stay small: a small heap, and one small arena for Netty.
limit_plugin_memory() {
  cat <<ARGUMENTS
-Xmx64m
-Xss512k
-XX:ReservedCodeCacheSize=48m
-XX:MaxMetaspaceSize=96m
-XX:TrimNativeHeapInterval=2000
-XX:-HeapDumpOnOutOfMemoryError
-XX:+ExitOnOutOfMemoryError
-Dio.netty.allocator.numDirectArenas=1
-Dio.netty.allocator.numHeapArenas=1
-Dio.netty.allocator.maxOrder=3
-Dio.netty.leakDetection.level=disabled
ARGUMENTS
}

# train_cache COMMANDS FILE: makes an AOT cache with what these commands need, and adds it to that arguments file. It is
# valid for exactly these jars and this JDK: JDK 25.0.3 runs the code of a cache of older jars without a warning
# (JDK-8377932), so the cache is in the folder that is named by their digest. Without a cache commands work, but slower.
train_cache() {
  keys=$app/training
  mkdir -m 0700 "$keys"
  (umask 077 && digest 256 "$app/keyfleet.jar" >"$keys/main.v1.key")
  [ "$1" = local ] || start_training_fleet "$2"
  (run_in_training "$2" -XX:AOTCacheOutput="$app/$1.aot" keyfleet.cli.AotTraining "$1" >"$app/training-$1.log" 2>&1) || true
  [ "$1" = local ] || stop_training_fleet
  rm -r "$keys"
  if [ -s "$app/$1.aot" ]; then
    printf -- '-XX:AOTCache="%s"\n' "$app/$1.aot" >>"$2"
  fi
}

# run_in_training FILE ARGUMENT…: replaces the shell with java, with two keys and a separate store, and without the
# user's environment.
run_in_training() {
  file=$1
  shift
  cd "$keys" && exec env -i PATH="$PATH" LC_ALL=C.UTF-8 KEYFLEET_KEK_V2="$(digest 256 "$jdk/release")" KEYFLEET_PROVIDER="file:$keys,env" KEYFLEET_STORE=sqlite:fleet.db \
    "$jdk/bin/java" "@$file" "$@" </dev/null
}

# Starts a fleet of one process, so that commands find a heartbeat.
start_training_fleet() {
  (run_in_training "$1" keyfleet.cli.Main kek announce --version=1 >"$app/training-fleet.log" 2>&1) || true
  run_in_training "$1" keyfleet.cli.Main server --listen 127.0.0.1:0 >>"$app/training-fleet.log" 2>&1 &
  fleet=$!
}

stop_training_fleet() {
  kill $fleet 2>/dev/null || true
  wait $fleet 2>/dev/null || true
}

# Makes the plugin's AOT cache from a plugin that serves some thousand calls of another process, with the profiles of its
# compiled code. The socket is in a temporary folder, because its path must be short. Without this cache the plugin uses
# that of the commands.
train_plugin_cache() {
  work=$(mktemp -d)
  grep -v AOTCache "$app/java-plugin.args" >"$app/java-plugin.new"
  (cd "$work" && env -i PATH="$PATH" LC_ALL=C.UTF-8 MALLOC_ARENA_MAX=1 KEYFLEET_HOME=home KEYFLEET_STORE=sqlite:fleet.db \
    KEYFLEET_KEK_KMS_V1="$(digest 256 "$jdk/release")" sh -c '
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

# Commands need the security provider SunJCE, and the JDK starts the three providers before it in its list first. If the
# list is the default one, SunJCE swaps places with one of them; they have no service in common.
prefer_sunjce() {
  if grep -q '^security.provider.2=SunRsaSign$' "$security" && grep -q '^security.provider.5=SunJCE$' "$security"; then
    printf 'security.provider.2=SunJCE\nsecurity.provider.5=SunRsaSign\n' >"$app/java.security"
    printf -- '-Djava.security.properties="%s"\n' "$app/java.security"
  fi
}

# A cache can also have profiles of compiled code, and a JVM thread looks for them at the initialization of each class.
# With this compiler there are none.
disable_training_replay() {
  printf -- '%s\n' -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockDiagnosticVMOptions -XX:-AOTReplayTraining
}

# Commands have one language, but SQLite's driver loads the names of days in the user's language.
disable_locale_data() {
  printf -- '%s\n' -Djava.locale.providers=SPI
}

# Fastest start: the fast compiler with a high threshold, a collector with one thread, a small heap, and
# reflection without method handles. No attach, no core file, no perf file: keys are in this memory. Errors of the JVM go
# to standard error, because standard output is for data.
print_common_arguments() {
  cat <<ARGUMENTS
-XX:+UseSerialGC
-XX:TieredStopAtLevel=1
-XX:CompileThresholdScaling=5
-XX:-UsePerfData
-Xms16m
-Xmx256m
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
delete_old_builds() {
  # shellcheck disable=SC2012 # the names are digests
  ls -dt "$apps"/*/lib 2>/dev/null | tail -n +5 | while read -r lib; do rm -rf "${lib%/lib}"; done
}
