#!/bin/sh
# Prints how long ./leasehold run demo true takes, in milliseconds: the ten runs in order and their median.
# The first run, which builds and trains where that is needed, does not count. JAVA_HOME chooses the JDK.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../../../.." && pwd -P)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export LEASEHOLD_STORE="sqlite:$dir/locks.db"

"$root/leasehold" run demo true
for run in 1 2 3 4 5 6 7 8 9 10; do
  begin=$(date +%s%N)
  "$root/leasehold" run demo true
  echo $((($(date +%s%N) - begin) / 1000000))
done | sort -n | awk '{ print; all[NR] = $1 } END { print "median", (all[5] + all[6]) / 2 }'
