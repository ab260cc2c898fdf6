# Becomes the command. Why it is so: Command.java. Arguments: TERM_AT DESCRIPTORS FILE NAME and then either
# plain WORD… or coded PIECE…
# It may be too late, since the wrapper may have been stopped on the way here. TERM_AT is - if there is no deadline.
# If FILE is not empty, it tells that nothing was run. What ends this shell before that was said is no status of the command's.
leasehold_failed=$3 leasehold_said=
leasehold_not_run() {
  [ -z "$leasehold_failed" ] || echo >"$leasehold_failed"
  [ "$leasehold_said" ] || { echo 'leasehold: the shell that was to become the command failed; it was not run' >&2; exit 70; }
}
trap leasehold_not_run EXIT
# Says that the command was not run, and ends with this status.
leasehold_refuse() {
  printf 'leasehold: %s\n' "$2" >&2
  leasehold_said=yes
  exit "$1"
}
if [ "$1" != - ]; then
  read -r leasehold_up leasehold_rest </proc/uptime
  if [ $((${leasehold_up%.*} * 100 + 1${leasehold_up#*.} - 100)) -ge "$1" ]; then
    leasehold_refuse 79 'the lease was nearly over before the command could start; it was not run'
  fi
fi
# The JVM has the descriptors that we would have without it, but closes them in what it starts: so they are opened anew.
for leasehold_dir in $2; do
  leasehold_file=/proc/$PPID/fd/$leasehold_dir leasehold_pos=0 leasehold_up=
  while read -r leasehold_key leasehold_rest; do
    case $leasehold_key in
      pos:) leasehold_pos=$leasehold_rest ;;
      flags:) leasehold_up=${leasehold_rest#"${leasehold_rest%?}"} ;;
    esac
  done 2>/dev/null <"/proc/$PPID/fdinfo/$leasehold_dir"
  case $leasehold_up in
    0) leasehold_up='<' ;;
    1) leasehold_up='>>' ;;
    2) leasehold_up='<>' ;;
    *) continue ;;
  esac
  # Not every shell knows descriptors of two digits: it would take them for a command.
  case $leasehold_dir in ??*) [ -z "$(eval "echo $leasehold_dir</dev/null")" ] || continue ;; esac
  # A FIFO whose other end is gone would be waited for: so it is opened for both ends first.
  leasehold_rest=$leasehold_up
  if [ -p "$leasehold_file" ]; then leasehold_up='<>'; fi
  # A socket cannot be opened, nor what another user's process has opened; and a redirection of exec that fails ends the shell.
  if (eval "exec $leasehold_dir$leasehold_up\"\$leasehold_file\"") 2>/dev/null; then
    eval "exec $leasehold_dir$leasehold_up\"\$leasehold_file\""
    if [ "$leasehold_up" != "$leasehold_rest" ]; then
      leasehold_up=$leasehold_rest
      eval "exec $leasehold_dir$leasehold_up\"\$leasehold_file\""
    fi
    if [ "$leasehold_up" != '>>' ] && [ "$leasehold_pos" != 0 ] && [ -f "$leasehold_file" ]; then
      eval "command -p dd bs=1 count=0 skip=$leasehold_pos <&$leasehold_dir" >/dev/null 2>&1
    fi
  fi
done
unset leasehold_key
# The point keeps newlines at the end, which a command substitution would drop; it is not part of a longer character.
LEASEHOLD_NAME=$(printf "$4.")
LEASEHOLD_NAME=${LEASEHOLD_NAME%.}
export LEASEHOLD_NAME
if [ "$5" = coded ]; then
  # Together they are all the words, quoted: one set for all, since one for each would take time by the square of their number.
  shift 5
  leasehold_rest=
  for leasehold_dir; do
    leasehold_up=$(printf "$leasehold_dir.")
    leasehold_rest=$leasehold_rest${leasehold_up%.}
  done
  eval "set -- $leasehold_rest"
else
  shift 5
fi
# Into leasehold_file: the file to execute; or what is there, but cannot be executed, into leasehold_up.
leasehold_file= leasehold_up=
leasehold_look() {
  if [ -f "$1" ] && [ -x "$1" ]; then leasehold_file=$1; elif [ -e "$1" ]; then leasehold_up=$1; fi
  [ "$leasehold_file" ]
}
# We say why it cannot be run: a shell would name a line of this script, and not every one comes to its end if exec fails.
case $1 in
  */*) leasehold_look "$1" ;;
  *)
    # PATH is split without globbing; only what comes from a variable is split.
    set -f
    leasehold_rest=$IFS
    IFS=:
    leasehold_pos=${PATH:-}:
    for leasehold_dir in $leasehold_pos; do
      if leasehold_look "${leasehold_dir:-.}/$1"; then break; fi
    done
    IFS=$leasehold_rest
    set +f
    ;;
esac
if [ -z "$leasehold_file" ] && [ "${PATH:-}" ]; then
  [ -z "$leasehold_up" ] || leasehold_refuse 126 "$1: cannot be executed"
  leasehold_refuse 127 "$1: not found"
fi
if [ "$leasehold_failed" ] && [ -r "$leasehold_file" ]; then
  # As much as the kernel reads of it.
  { leasehold_rest=$(command -p dd bs=256 count=1 <"$leasehold_file"); } 2>/dev/null
  leasehold_rest=${leasehold_rest%%"
"*}
  case $leasehold_rest in
    '#!'*)
      leasehold_rest=${leasehold_rest#??}
      leasehold_rest=${leasehold_rest#"${leasehold_rest%%[![:blank:]]*}"}
      leasehold_rest=${leasehold_rest%%[[:blank:]]*}
      # Where none is named, the shell takes the file for its own.
      [ -z "$leasehold_rest" ] || [ -e "$leasehold_rest" ] || leasehold_refuse 127 "$1: its interpreter $leasehold_rest is missing"
      ;;
  esac
fi
unset leasehold_up leasehold_rest leasehold_dir leasehold_file leasehold_pos
leasehold_said=yes
# If it fails, the shell says why, and ends with 126 or 127.
exec "$@"
