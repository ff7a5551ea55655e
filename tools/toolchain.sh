# Shared by ./keyfleet and ./dev: folders, the JDK, Maven. The caller sets `here` to the checkout. POSIX sh; the
# functions that every start of ./keyfleet calls start no process.

maven_version=3.10.0
maven_sha512=908b1501bfb420bf7c8affb855534a9c407fd6099367bfb9f2f2dcb8e9799102bffb84518cde74c679bd76870247c6528683abdd620581bffa90f95d92d175aa

# fail SENTENCE REMEDY
fail() {
  printf 'keyfleet: %s\nTry: %s\n' "$1" "$2" >&2
  exit 1
}

[ -n "${XDG_CACHE_HOME:-}${HOME:-}" ] || fail "has no folder for what it builds: HOME and XDG_CACHE_HOME are unset" 'export XDG_CACHE_HOME=$(mktemp -d)'
cache=${XDG_CACHE_HOME:-${HOME:-}/.cache}/keyfleet

# make_folder FOLDER: creates a folder of the cache.
make_folder() {
  if mkdir -p "$1" 2>/dev/null && [ -w "$1" ]; then return; fi
  fail "user $(id -un) cannot write to $1, where the application is built (HOME is ${HOME:-unset})" 'export XDG_CACHE_HOME=$(mktemp -d)'
}

# is_jdk FOLDER: is it a JDK of 25 or newer?
is_jdk() {
  [ -r "$1/release" ] && [ -x "$1/bin/javac" ] || return 1
  while IFS='=' read -r name value; do
    [ "$name" = JAVA_VERSION ] || continue
    value=${value#\"}
    value=${value%%[!0-9]*}
    [ "${value:-0}" -ge 25 ]
    return
  done <"$1/release"
  return 1
}

# record_mtime FILE: records the file's time for the build in `app`, so that the next start notices a newer file and an
# older one.
record_mtime() {
  [ -e "$1" ] || return 0
  touch -r "$1" "$app/${1##*/}.time"
  has_recorded_mtime "$1" || rm "$app/${1##*/}.time"
}

# has_recorded_mtime FILE: does the file still have the time that it had when the application was built? If that time
# could not be recorded exactly: is the file at least not newer than the build?
has_recorded_mtime() {
  time=$app/${1##*/}.time
  if [ -e "$time" ]; then
    ! [ "$1" -nt "$time" ] && ! [ "$1" -ot "$time" ]
  else
    ! [ "$1" -nt "$app/java.args" ]
  fi
}

# find_jdk: sets `jdk` to the first JDK of 25 or newer in JAVA_HOME, on the PATH, or in the usual folders.
find_jdk() {
  jdk=${JAVA_HOME:-}
  if [ -n "$jdk" ] && is_jdk "$jdk"; then return; fi
  if on_path=$(command -v java) && on_path=$(readlink -f "$on_path" 2>/dev/null); then
    jdk=${on_path%/bin/java}
    if is_jdk "$jdk"; then return; fi
  fi
  for jdk in /usr/lib/jvm/* /usr/java/* /opt/* /opt/java/* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home "$HOME"/Library/Java/JavaVirtualMachines/*/Contents/Home \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home; do
    if is_jdk "$jdk"; then return; fi
  done
  fail "needs a JDK of 25 or newer; none is in JAVA_HOME, on the PATH or in the usual folders" \
    "install one (Debian: temurin-25-jdk or openjdk-25-jdk-headless; macOS: brew install openjdk@25), or set JAVA_HOME"
}

# digest BITS [FILE…]: prints only the SHA-2 digest.
digest() {
  bits=$1
  shift
  if command -v "sha${bits}sum" >/dev/null; then set -- "sha${bits}sum" "$@"; else set -- shasum -a "$bits" "$@"; fi
  "$@" | cut -d ' ' -f 1
}

# fetch_maven: sets `maven` to the pinned Maven. An installed Maven of any version fetches it from its repository.
fetch_maven() {
  maven=$cache/apache-maven-$maven_version/bin/mvn
  if [ -x "$maven" ]; then return; fi
  command -v mvn >/dev/null || fail "needs an installed Maven to fetch the pinned one, and none is on the PATH" "apt-get install maven, or brew install maven"
  make_folder "$cache"
  fetched=$(mktemp -d "$cache/maven.XXXXXX")
  # shellcheck disable=SC2086 # Maven before 3.9 does not read MAVEN_ARGS by itself
  (cd "$fetched" && mvn -q -B ${MAVEN_ARGS:-} org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy \
    -Dartifact=org.apache.maven:apache-maven:$maven_version:tar.gz:bin -DoutputDirectory="$fetched") </dev/null >"$fetched/log" 2>&1 ||
    fail "cannot fetch Maven $maven_version: see $fetched/log" "check the network and Maven's settings, then run it again"
  archive=$fetched/apache-maven-$maven_version-bin.tar.gz
  [ "$(digest 512 "$archive")" = $maven_sha512 ] ||
    fail "the fetched Maven $maven_version does not have the published digest: $archive" "check the repository that your Maven uses"
  tar -C "$fetched" -xzf "$archive"
  # Another first start may have been faster; its copy is the same.
  mv "$fetched/apache-maven-$maven_version" "$cache/" 2>/dev/null || [ -x "$maven" ]
  rm -rf "$fetched"
}

# run_maven ARGUMENT…: runs the pinned Maven on the JDK of find_jdk.
run_maven() {
  JAVA_HOME=$jdk MAVEN_OPTS="--sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -XX:TieredStopAtLevel=1" \
    "$maven" -B -ntp -f "$here/pom.xml" "$@" </dev/null
}

# commit_id: prints the commit of the checkout, with a + if the sources have changed since.
commit_id() {
  id=$(git -C "$here" rev-parse --short HEAD 2>/dev/null) || id=unknown
  git -C "$here" diff --quiet HEAD -- '*.java' 2>/dev/null || id=$id+
  echo "$id"
}
