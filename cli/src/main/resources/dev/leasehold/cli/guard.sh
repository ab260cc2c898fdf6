# The guard of one command. Why it is so: Guard.java. Arguments: MARK GRACE.
# Reads "TERM_AT KILL_AT PID", "sync" and "end"; says "armed", "term", "dead" and "synced". Times are hundredths of a
# second since the machine was started, sleep included. PID is 0 while it is unknown.
trap '' HUP INT QUIT TERM USR1 USR2 PIPE ALRM TSTP TTIN TTOU
command -v awk >/dev/null && command -v grep >/dev/null || exit
cd /
mark=$1 grace=$2 pid=0 term_at=0 kill_at=0 timer=

clock() {
  read -r up _ </proc/uptime
  now=$((${up%.*} * 100 + 1${up#*.} - 100))
}

# Without the pipe, which would stay open until the end of a sleep whose parent was killed.
nap() {
  sleep "$1" >/dev/null
}

# Whether this is a timer whose guard was killed: it ends what it has found, but does not outlive that.
is_orphan() {
  read -r _ _ _ parent _ </proc/self/stat
  [ "$parent" != $$ ]
}

nap_until() {
  while clock; left=$(($1 - now)); [ "$left" -gt 0 ]; do
    if [ "$tells" ] && is_orphan && ! find_members; then exit; fi
    if [ "$left" -gt 60 ]; then nap 0.5
    elif [ "$left" -gt 9 ]; then nap "0.$left"
    else nap "0.0$left"
    fi
  done
}

# When this process was started, to know it from a later one with the same number; fails if it does not run. A main thread that has
# ended before the others is in state Z as if its process had ended.
birth() {
  process_file=/proc/$1/stat
  { read -r stat <"$process_file"; } 2>/dev/null || return 1
  set -- ${stat##*) }
  if [ $# -lt 20 ]; then
    # A name with a line break in it.
    stat=$(cat "$process_file" 2>/dev/null) || return 1
    set -- ${stat##*) }
    [ $# -ge 20 ] || return 1
  fi
  state=$1
  shift 17
  case $state in Z | X) [ "$1" -gt 1 ] || return 1 ;; esac
  birth=$3
}

# What was found stays known, as PID:BIRTH: it may lose its mark, and its parent may end. A timer tells it to the shell that
# replaces the timer: 3 takes it, 4 gives it.
known= members= tells= told=
for place in "${TMPDIR:-/tmp}" /dev/shm /run; do
  found=$(mktemp "$place/leasehold.XXXXXXXX" 2>/dev/null) && break
done
if [ "$found" ]; then
  exec 3>>"$found" 4<"$found"
  rm -f "$found"
else
  exec 3>/dev/null 4</dev/null
fi

recall() {
  known="$known $(cat <&4)"
}

# Finds what runs and belongs to the command: what is known, what carries the mark, and what descends from these. Of those,
# "fresh" has not had its TERM; "hidden" are others that do not show their environment.
find_all='
  $1 == "known" { for (i = 2; i <= NF; i++) { split($i, one, ":"); births[one[1]] = births[one[1]] " " one[2] " " }; next }
  $1 == "done" { done = 1; next }
  $1 == "told" { for (i = 2; i <= NF; i++) told[$i]; next }
  { split($0, path, "/"); p = path[3] }
  path[4] == "environ" { root[p]; next }
  # A name may have blanks, parentheses and line breaks in it: what counts is the last line, from the last parenthesis on.
  !(p in state) { all[++last] = p }
  { sub(/.*\)/, ""); state[p] = $1; parent[p] = $2; threads[p] = $18; birth[p] = $20 }
  END {
    if (!done) exit
    for (n = 1; n <= last; n++) {
      p = all[n]
      below[parent[p]] = below[parent[p]] " " p
      if (p in root || (p in births && index(births[p], " " birth[p] " "))) level = level " " p
    }
    while ((count = split(level, now, " ")) > 0) {
      level = ""
      for (i = 1; i <= count; i++) if (!(now[i] in seen)) { seen[now[i]]; level = level below[now[i]] }
    }
    for (n = 1; n <= last; n++) {
      p = all[n]
      if (state[p] ~ /[ZX]/ && threads[p] < 2) continue
      if (p in seen) {
        known = known " " p ":" birth[p]
        members = members " " p
        if (!(p in told)) fresh = fresh " " p
      } else if (state[p] == "Z") hidden = hidden " " p
    }
    print "looked=1 known=\"" known "\" members=\"" members "\" fresh=\"" fresh "\" hidden=\"" hidden "\""
  }'

# Names those of these files in which the mark stands. A grep may stop at a NUL, as busybox has it, unless it takes each variable for
# a line.
marked() {
  if [ "$zero" != none ]; then
    grep "-ls${zero}F" "$mark" "$@"
  else
    strings -f -n 8 "$@" 2>/dev/null | grep -F "$mark" | cut -d : -f 1
  fi
}
for zero in '' z none; do
  if printf 'a=b\0%s' "$mark" | grep "-q${zero}F" "$mark"; then break; fi
done 2>/dev/null

# Two programs read the files of all processes, since a shell takes most of a millisecond for each. Where one of them cannot be
# started, nothing was looked at, and all stays as it was.
look() {
  looked= fresh=
  eval "$({
    echo "known $known $1"
    echo "told $told"
    marked /proc/[0-9]*/environ
    [ $? -le 2 ] || exit
    grep -asH '' /proc/[0-9]*/stat
    [ $? -le 2 ] || exit
    echo done
  } | LC_ALL=C awk "$find_all")"
}

# Whether there is one, or nobody knows.
find_members() {
  before=$known
  look ''
  # Where the main thread has ended, its environment has gone with it, but not that of the other threads.
  roots=
  for process in $hidden; do
    if [ "$(marked /proc/"$process"/task/*/environ)" ] && birth "$process"; then roots="$roots $process:$birth"; fi
  done
  if [ "$roots" ]; then look "$roots"; fi
  if [ "$tells" ] && [ "$known" != "$before" ]; then echo "$known" >&3; fi
  [ "$known" ] || [ -z "$looked" ]
}

# What is known, and what descends from the first fifty: it starts no process, which can take longer than all the time that is left.
find_known() {
  level=$known known_now= members= seen=" " count=0
  while [ "$level" ]; do
    below=
    for one in $level; do
      process=${one%:*}
      case $seen in *" $process "*) continue ;; esac
      seen="$seen$process "
      birth "$process" || continue
      case ${one#*:} in '' | "$birth") ;; *) continue ;; esac
      members="$members $process" known_now="$known_now $process:$birth" count=$((count + 1))
      [ "$count" -le 50 ] || continue
      for file in /proc/"$process"/task/*/children; do
        children=
        read -r children <"$file"
        for child in $children; do below="$below $child:"; done
      done 2>/dev/null
    done
    level=$below
  done
  known=$known_now fresh=$members
  [ "$members" ]
}

send() {
  if [ $# -gt 1 ]; then kill -s "$@"; fi
} 2>/dev/null

# TERM to those that have not had it: a second one may mean more than the first.
send_term() {
  send TERM $fresh
  send CONT $fresh
  told="$told$fresh"
}

# A process that forks itself anew every few milliseconds has gone before all processes were looked at: so this looks at
# those with the newest numbers alone, and at the next twenty, which are given while it looks; and signals at once. Whether
# there was one. A busy machine lets one escape many times: so where one was ever caught, it looks for longer, but not beyond $2.
rounds=10
chase() {
  caught= round=0
  while [ "$round" -lt "$rounds" ] && { [ -z "${2:-}" ] || { clock; [ "$now" -lt "$2" ]; }; }; do
    round=$((round + 1))
    read -r _ _ _ _ newest </proc/loadavg
    files= number=$((newest - 20))
    while [ "$number" -le $((newest + 20)) ]; do
      files="$files /proc/$number/environ"
      number=$((number + 1))
    done
    for file in $(marked $files); do
      file=${file#/proc/}
      kill -s "$1" "${file%/environ}" && caught=1 rounds=40
    done
  done 2>/dev/null
  [ "$caught" ]
}

# Has a process of its own send the KILL at $1, since this one may be looking for more by then. The more there are, the longer
# it takes until all have ended: so it is sent two milliseconds earlier for each, within half of the time that is left.
killer= armed=
arm() {
  [ "$armed" != "$members" ] || return 0
  armed=$members
  clock
  set -- "$1" $(($1 - now)) $members
  early=$((($# - 2) / 5))
  if [ "$early" -gt $(($2 / 2)) ]; then early=$(($2 / 2)); fi
  {
    tells=
    read -r _ _ _ timer _ </proc/self/stat
    nap_until $(($1 - early))
    read -r _ _ _ parent _ </proc/self/stat
    # Where the timer was ended, the command was let go.
    if [ "$parent" = "$timer" ]; then send KILL $members; fi
  } &
  disarm
  killer=$! birth=
  birth "$killer"
  killer_birth=$birth
}

disarm() {
  if [ "$killer" ]; then
    # The shell may have collected it, and its number be another's.
    birth "$killer" && [ "$birth" = "$killer_birth" ] && kill -s KILL "$killer"
    wait "$killer"
    killer=
  fi
} 2>/dev/null

# TERM now, KILL at $1, until nothing is left. What is known comes first.
end_by() {
  told= armed=
  if find_known || find_members || chase TERM; then
    echo term
    while send_term; arm "$1"; clock; left=$(($1 - now)); [ "$left" -gt 0 ]; do
      find_members || chase TERM "$1" || break
      if [ "$left" -gt 5 ]; then nap 0.05; else nap 0.01; fi
    done
    send KILL $members
    disarm
    while find_members || chase KILL; do
      send KILL $members
      members=
      nap 0.01
    done
  fi
  rounds=10
  echo dead
}

stop_timer() {
  if [ "$timer" ]; then
    kill -s KILL "$timer"
    wait "$timer"
    timer=
    recall
  fi
} 2>/dev/null

# Whether the timer has begun to end the command: then no later message takes its place.
has_begun() {
  [ "$timer" ] && clock && [ "$now" -ge "$term_at" ]
}

# Is open while the wrapper may still say something: a timer that has done its work sees by it when to go. A signal that is trapped
# may not tell it: bash calls a substitution unfinished, and ends, where one comes in the middle of it.
exec 5</dev/null

start_timer() {
  {
    tells=1
    nap_until "$term_at"
    end_by "$kill_at"
    # The wrapper may have been stopped just before it started the command.
    while [ -e /proc/$$/fd/5 ] && ! is_orphan; do
      nap 1
      if find_members || chase KILL; then
        echo term
        send KILL $members
      fi
    done
  } &
  timer=$!
}

while read -r next_term next_kill next_pid; do
  case $next_term in
    end) stop_timer; exit 0 ;;
    sync) echo synced; continue ;;
  esac
  if [ "$pid" != "$next_pid" ]; then
    if birth "$next_pid"; then pid=$next_pid known="$known $pid:$birth"; fi
  elif [ "$pid" != 0 ]; then
    # So that whoever cleans its environment is known before its parent ends.
    find_members
  fi
  if ! has_begun; then
    stop_timer
    term_at=$next_term kill_at=$next_kill
    start_timer
  fi
  echo armed
done

# The wrapper is gone, or lets the command go. If it takes a look to know whom to send the TERM, that is not taken from the
# grace; the timer still stands meanwhile.
has_begun || find_known || find_members
clock
soon=$((now + grace))
[ "$soon" -lt "$kill_at" ] || soon=$kill_at
if has_begun; then
  exec 5<&-
  wait "$timer"
  recall
else
  stop_timer
fi
end_by "$soon"
# The command may have been starting just then.
for round in 1 2 3 4 5 6 7 8 9 10; do
  nap 0.1
  if find_members || chase KILL; then send KILL $members; fi
done
