# The guard of one command. Why it is so: Guard.java. Arguments: MARK GRACE.
# Reads "TERM_AT KILL_AT PID", "sync" and "end"; says "armed", "term", "dead" and "synced". Times are hundredths of a
# second since the machine was started, sleep included. PID is 0 while it is unknown.
trap '' HUP INT QUIT TERM USR1 USR2 PIPE ALRM TSTP TTIN TTOU
cd /
mark=$1 grace=$2 pid=0 born= kill_at=0 timer=

clock() {
  read -r up _ </proc/uptime
  now=$((${up%.*} * 100 + 1${up#*.} - 100))
}

# Without the pipe, which would stay open until the end of a sleep whose parent was killed.
nap() {
  sleep "$1" >/dev/null
}

nap_until() {
  while clock; left=$(($1 - now)); [ "$left" -gt 0 ]; do
    if [ "$left" -gt 60 ]; then nap 0.5
    elif [ "$left" -gt 9 ]; then nap "0.$left"
    else nap "0.0$left"
    fi
  done
}

# When the process was started, to know it from a later one with the same number.
birth() {
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  set -- ${stat##*) }
  shift 19
  birth=$1
}

is_running() {
  running=
  while read -r key value _; do
    if [ "$key" = State: ]; then
      case $value in Z | X) ;; *) running=1 ;; esac
      break
    fi
  done 2>/dev/null <"/proc/$1/status"
  [ "$running" ]
}

# What was found stays known, as PID:BIRTH, also to the shells that come after this one: 3 takes it, 4 gives it.
known=
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
    echo "$1:$birth" >&3
  fi
}

recall() {
  while read -r one <&4; do
    case "$known " in *" $one "*) ;; *) known="$known $one" ;; esac
  done
}

# Into $members: whatever carries the mark, descends from the command, or was found before; and what descends from it.
find_members() {
  members= seen=" " level= alive=
  for file in $(grep -lsF "$mark" /proc/[0-9]*/environ); do
    file=${file#/proc/}
    level="$level ${file%/environ}"
  done
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

# TERM now, KILL at $1, until nothing is left.
end_by() {
  if find_members; then
    echo term
    send TERM
    send CONT
    while clock; [ "$now" -lt "$1" ] && find_members; do
      left=$(($1 - now))
      if [ "$left" -gt 5 ]; then nap 0.05; else nap 0.01; fi
    done
    while find_members; do
      send KILL
      nap 0.01
    done
  fi
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

while read -r term_at next next_pid; do
  case $term_at in
    end) stop_timer; exit 0 ;;
    sync) echo synced; continue ;;
  esac
  kill_at=$next
  if [ "$pid" != "$next_pid" ] && birth "$next_pid"; then pid=$next_pid born=$birth; fi
  stop_timer
  {
    nap_until "$term_at"
    end_by "$kill_at"
    # The wrapper may have been stopped just before it started the command.
    while nap 1; do
      if find_members; then
        echo term
        send KILL
      fi
    done
  } &
  timer=$!
  echo armed
done

# The wrapper is gone, or lets the command go.
stop_timer
clock
soon=$((now + grace))
[ "$soon" -lt "$kill_at" ] || soon=$kill_at
end_by "$soon"
# The command may have been starting just then.
for round in 1 2 3 4 5 6 7 8 9 10; do
  nap 0.1
  find_members && send KILL
done
