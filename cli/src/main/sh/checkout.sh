# Part of ./leasehold that only a checkout has: builds the command if it has not been built or its sources are newer, and sets
# "jar" and "cache". LEASEHOLD_BUILD=never skips that look at the sources. Messages of the build go to standard error.
target=$home/cli/target
cache=$target/launcher
built=$cache/built

is_stale() {
  [ -e "$built" ] || return 0
  cd "$home" || return 1
  [ -n "$(find pom.xml core/pom.xml core/src/main stores/jdbc/pom.xml stores/jdbc/src/main \
    stores/redis/pom.xml stores/redis/src/main stores/zookeeper/pom.xml stores/zookeeper/src/main cli/pom.xml cli/src/main \
    -newer "$built" -print 2>/dev/null | head -n 1)" ]
}

build() {
  echo 'leasehold: building, once; the first time takes a minute or two' >&2
  stamp=$cache/building.$$
  true 2>/dev/null >"$stamp" || fail "cannot write to $cache; LEASEHOLD_BUILD=never runs what has been built before"
  if (cd "$home" && ./mvnw -q -Pfast -pl cli -am -DskipTests package) </dev/null >&2 9>&-; then
    rm -rf "$cache/native" "$cache"/*.jsa
    mv "$stamp" "$built"
  else
    rm -f "$stamp"
    fail "the build failed, see above; to see more, run: cd $home && ./mvnw -Pfast -pl cli -am -DskipTests package"
  fi
}

if [ "${LEASEHOLD_BUILD:-}" != never ] && (is_stale); then
  (
    alone
    if (is_stale); then build; fi
  ) || exit
fi

jar=
for file in "$target"/leasehold-cli-*.jar; do
  case $file in
    *-sources.jar | *-javadoc.jar) ;;
    *) jar=$file ;;
  esac
done
[ -e "$jar" ] || fail "$target has no leasehold-cli-*.jar; run: cd $home && ./mvnw -Pfast -pl cli -am -DskipTests package"
