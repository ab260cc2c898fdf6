#!/bin/sh
# Tries the unpacked archive of the command: in a directory whose name has a space, through links, from another directory, without
# its drivers, where it may not write, and without Java. The argument is the tar.gz; the zip has to have the same in it.
# JAVA_HOME chooses the Java.
set -eu

archive=$1
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT

failed() {
  echo "$archive: $1" >&2
  exit 1
}
is() {
  [ "$2" = "$3" ] || failed "$1 is '$2', not '$3'"
}
has() {
  case $2 in *"$3"*) ;; *) failed "$1 does not have '$3': $2" ;; esac
}

mkdir "$dir/un packed" "$dir/home" "$dir/links" "$dir/elsewhere"
tar -xzf "$archive" -C "$dir/un packed"
home=$(echo "$dir/un packed"/leasehold-*)
unzip -q "${archive%.tar.gz}.zip" -d "$dir/zip"
diff -r "$home" "$dir/zip/${home##*/}" || failed 'the zip has something else in it'
[ -x "$dir/zip/${home##*/}/bin/leasehold" ] || failed 'what comes from the zip cannot be executed'
export HOME="$dir/home"
unset LEASEHOLD_STORE XDG_STATE_HOME XDG_CACHE_HOME LEASEHOLD_BUILD
mine=$HOME/.local/state/leasehold/locks.db

# A relative link to an absolute one, called by its name on the PATH.
ln -s "$home/bin/leasehold" "$dir/links/target"
ln -s target "$dir/links/leasehold"
PATH=$dir/links:$PATH
cd "$dir/elsewhere"

version=${home##*/leasehold-}
is 'the version' "$(leasehold --version 2>&1)" "leasehold $version"
is 'what a command prints' "$(leasehold run demo -- sh -c 'echo "$LEASEHOLD_NAME: $1"' sh 'a  b' 2>&1)" 'demo: a  b'
status=0
leasehold run demo sh -c 'exit 7' || status=$?
is 'the status of a command' "$status" 7
[ -s "$mine" ] || failed "the store is not $mine"
leasehold run demo -- sh -c 'leasehold ls; leasehold show demo --json' >out 2>&1 || failed "ls and show: $(cat out)"
has ls "$(cat out)" demo
has 'show --json' "$(cat out)" '"name":"demo"'
leasehold doctor >out 2>&1 || failed "doctor: $(cat out)"
has doctor "$(cat out)" 'it is on a local disk'

# The archive of classes is made once, and used: by JDK 17 for our own classes only if there is no space in the path.
[ -s "$(echo "$home"/cache/leasehold-"$version"/*.jsa)" ] || failed "there is no archive of classes in $home/cache"
cp -R "$home" "$dir/copied"
sed 's/-Xlog:disable -XX/-Xlog:disable -Xlog:class+load:file=loaded -XX/' "$home/bin/leasehold" >"$dir/copied/bin/logging"
rm -r "$dir/copied/cache"
sh "$dir/copied/bin/logging" run demo true
grep -q 'dev.leasehold.cli.Main source: shared objects file (top)' loaded || failed "the archive of classes is not used"

# Drivers: there, loaded only where asked for, and nothing is amiss without them.
is 'H2 with its driver' "$(leasehold run --store "jdbc:h2:mem:x;DB_CLOSE_DELAY=-1" demo echo h2 2>&1)" h2
! grep -q org.h2.Driver loaded || failed 'the driver of H2 is loaded for SQLite'
mv "$home/drivers" "$dir/drivers"
is 'a run without drivers' "$(leasehold run demo echo still 2>&1)" still
status=0
leasehold run --store "jdbc:h2:mem:x;DB_CLOSE_DELAY=-1" demo echo h2 >out 2>&1 || status=$?
is 'the status where the driver is missing' "$status" 78
has 'the message where the driver is missing' "$(cat out)" 'jdbc:h2'
mv "$dir/drivers" "$home/drivers"

# Where it may not be written: the user's cache; or none, without a word.
rm -rf "$home/cache"
if [ "$(id -u)" = 0 ]; then
  : >"$home/cache"
else
  chmod a-w "$home"
fi
is 'a run that may not write beside itself' "$(leasehold run demo echo read-only 2>&1)" read-only
[ -n "$(find "$HOME/.cache/leasehold" -name '*.jsa' -size +0)" ] || failed "there is no archive of classes in $HOME/.cache"
is 'a run without any cache' "$(HOME=/nonexistent LEASEHOLD_STORE=sqlite:$mine leasehold run demo echo none 2>&1)" none

# Without Java, or with one that is too old, one line says so.
mkdir -p "$dir/old/bin"
echo 'JAVA_VERSION="11.0.2"' >"$dir/old/release"
cp /bin/false "$dir/old/bin/java"
status=0
JAVA_HOME=$dir/old leasehold ls >out 2>&1 || status=$?
is 'the status with an old Java' "$status" 70
has 'the message of an old Java' "$(cat out)" 'older than 17; set it to Java (a JRE or a JDK), 17 or newer'

# Completion, in bash; and in zsh, where there is one.
completed=$(bash -c '. "$1"; COMP_WORDS=(leasehold sh); COMP_CWORD=1; _complete_leasehold; echo "${COMPREPLY[@]}"' \
  bash "$home/completion/leasehold.sh")
is 'the completion of "leasehold sh"' "$completed" show
if command -v zsh >/dev/null; then
  zsh -c 'autoload -U compinit && compinit -u -D; . "$1"' zsh "$home/completion/leasehold.sh" || failed 'zsh does not take the completion'
fi

# The man page; the program that shows it may be missing.
grep -q '^\.SS leasehold run$' "$home/man/man1/leasehold.1" || failed 'the man page does not have the command run'
if command -v man >/dev/null && man --version >/dev/null 2>&1; then
  shown=$(MANPATH=$home/man man leasehold 2>err)
  is 'what man complains of' "$(cat err)" ''
  has 'the man page' "$shown" '--busy-exit'
fi

# Licences: each jar is named.
for jar in "$home"/lib/*.jar "$home"/drivers/*.jar; do
  name=${jar#"$home/"}
  case $name in lib/leasehold-*) continue ;; esac
  named=
  while read -r pattern rest; do
    case $name in $pattern) named=yes ;; esac
  done <"$home/licenses/THIRD-PARTY.txt"
  [ "$named" ] || failed "licenses/THIRD-PARTY.txt does not name $name"
done
[ -s "$home/LICENSE" ] || failed 'there is no LICENSE'

tar -czf "$dir/without.tar.gz" --exclude=drivers -C "$home" LICENSE bin completion lib licenses man
echo "$archive: $(du -k "$archive" | cut -f 1) KiB, $(du -k "$dir/without.tar.gz" | cut -f 1) KiB without drivers; unpacked $(du -sk "$home/lib" | cut -f 1) KiB in lib and" \
  "$(du -sk "$home/drivers" | cut -f 1) KiB in drivers; works on $("${JAVA_HOME:+$JAVA_HOME/bin/}java" -version 2>&1 | head -n 1)"
