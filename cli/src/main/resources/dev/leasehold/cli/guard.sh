# The guard of one command. Why it is so: Guard.java. Arguments: MARK GRACE.
# Reads "TERM_AT KILL_AT PID", "sync" and "end"; says "armed", "term", "dead" and "synced". Times are hundredths of a
# second since the machine was started, sleep included. PID is 0 while it is unknown.
trap '' HUP INT QUIT TERM USR1 USR2 PIPE ALRM TSTP TTIN TTOU
cd /
mark=$1 grace=$2 pid=0 born= term_at=0 kill_at=0 timer= leaving=

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
    if is_orphan && ! find_members; then exit; fi
    if [ "$left" -gt 60 ]; then nap 0.5
    elif [ "$left" -gt 9 ]; then nap "0.$left"
    else nap "0.0$left"
    fi
  done
}

# When the process was started, to know it from a later one with the same number.
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
  shift 19
  birth=$1
}

lives() {
  state=
  while read -r key value _; do
    if [ "$key" = State: ]; then
      state=$value
      break
    fi
  done 2>/dev/null <"$1"
  case $state in '' | Z | X) return 1 ;; esac
}

# A main thread that has ended before the others is in state Z as if its process had ended.
is_running() {
  lives "/proc/$1/status" && return
  for thread in /proc/"$1"/task/*/status; do
    lives "$thread" && return
  done
  return 1
}

# What was found stays known, as PID:BIRTH: it may lose its mark, and its parent may end. A timer tells it to the shell that
# replaces the timer: 3 takes it, 4 gives it.
known= tells=
for place in "${TMPDIR:-/tmp}" /dev/shm /run; do
  found=$(mktemp "$place/leasehold.XXXXXXXX" 2>/dev/null) && break
done
if [ "$found" ]; then
  exec 3>>"$found" 4<"$found"
  rm -f "$found"
else
  exec 3>/dev/null 4</dev/null
fi

remember() {
  if birth "$1"; then
    case "$known " in *" $1:$birth "*) return ;; esac
    known="$known $1:$birth"
    if [ "$tells" ]; then echo "$1:$birth" >&3; fi
  fi
}

recall() {
  while read -r one <&4; do
    case "$known " in *" $one "*) ;; *) known="$known $one" ;; esac
  done
}

# Has find_below begin with whatever carries the mark.
find_members() {
  level=
  for file in $(grep -lsF "$mark" /proc/[0-9]*/environ); do
    file=${file#/proc/}
    level="$level ${file%/environ}"
  done
  # Where the main thread has ended, its environment has gone with it, but not that of the other threads.
  for file in $(grep -ls '^State:.Z' /proc/[0-9]*/status); do
    file=${file%/status}
    for thread in "$file"/task/*; do
      if [ "${thread##*/}" != "${file##*/}" ] && grep -qsF "$mark" "$thread/environ"; then
        level="$level ${file##*/}"
        break
      fi
    done
  done
  find_below
}

# Without a look for the mark: this starts no process, which can take longer than all the time that is left.
find_known() {
  level=
  find_below
}

# Into $members: the processes in $level, the command and what was found before; and what descends from them.
find_below() {
  members= seen=" " alive=
  if [ "$pid" != 0 ] && birth "$pid" && [ "$birth" = "$born" ]; then level="$level $pid"; fi
  for one in $known; do
    if birth "${one%:*}" && [ "$birth" = "${one#*:}" ]; then
      level="$level ${one%:*}"
      alive="$alive $one"
    fi
  done
  known=$alive
  while [ "$level" ]; do
    below=
    for process in $level; do
      case $seen in *" $process "*) continue ;; esac
      seen="$seen$process "
      if is_running "$process"; then
        members="$members $process"
        remember "$process"
      fi
      for file in /proc/"$process"/task/*/children; do
        children=
        read -r children 2>/dev/null <"$file"
        for child in $children; do below="$below $child"; done
      done
    done
    level=$below
  done
  [ "$members" ]
}

send() {
  for process in $members; do kill -s "$1" "$process"; done 2>/dev/null
}

# TERM to those that have not had it: a second one may mean more than the first.
send_term() {
  all=$members members=
  for process in $all; do
    case "$told " in *" $process "*) ;; *) members="$members $process" ;; esac
  done
  send TERM
  send CONT
  told="$told$members"
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
    for file in $(grep -lsF "$mark" $files); do
      file=${file#/proc/}
      kill -s "$1" "${file%/environ}" && caught=1 rounds=40
    done
  done 2>/dev/null
  [ "$caught" ]
}

# TERM now, KILL at $1, until nothing is left. What is known comes first each time, and where little time is left to KILL, nothing
# else is looked for before.
end_by() {
  told=
  if find_known || find_members || chase TERM; then
    echo term
    send_term
    while clock; left=$(($1 - now)); [ "$left" -gt 0 ]; do
      if [ "$left" -gt 30 ] || ! find_known; then
        find_members || chase TERM "$1" || break
        send_term
      fi
      if [ "$left" -gt 5 ]; then nap 0.05; else nap 0.01; fi
    done
    if find_known; then send KILL; fi
    while find_members || chase KILL; do
      send KILL
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

start_timer() {
  {
    tells=1
    trap 'leaving=1' USR1
    nap_until "$term_at"
    end_by "$kill_at"
    # The wrapper may have been stopped just before it started the command.
    while [ -z "$leaving" ] && ! is_orphan; do
      nap 1
      if find_members || chase KILL; then
        echo term
        send KILL
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
    if birth "$next_pid"; then pid=$next_pid born=$birth; fi
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
  while is_running "$timer"; do
    kill -s USR1 "$timer"
    nap 0.05
  done 2>/dev/null
  wait "$timer"
  recall
else
  stop_timer
fi
end_by "$soon"
# The command may have been starting just then.
for round in 1 2 3 4 5 6 7 8 9 10; do
  nap 0.1
  if find_members || chase KILL; then send KILL; fi
done
