# Becomes the command. Why it is so: Command.java. Arguments: TERM_AT DESCRIPTORS FILE NAME and then either
# plain WORD… or coded PIECE…
# It may be too late, since the wrapper may have been stopped on the way here. TERM_AT is - if there is no deadline.
# If FILE is not empty, it tells that nothing was run: a shell that is replaced by the command does not come to its end.
leasehold_failed=$3
[ -z "$leasehold_failed" ] || trap 'echo >"$leasehold_failed"' EXIT
if [ "$1" != - ]; then
  read -r leasehold_up leasehold_rest </proc/uptime
  if [ $((${leasehold_up%.*} * 100 + 1${leasehold_up#*.} - 100)) -ge "$1" ]; then
    echo 'leasehold: the lease was nearly over before the command could start; it was not run' >&2
    exit 79
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
  # A socket cannot be opened; and a redirection of exec that fails would end this shell.
  if eval ": $leasehold_up\"\$leasehold_file\"" 2>/dev/null; then
    eval "exec $leasehold_dir$leasehold_up\"\$leasehold_file\""
    if [ "$leasehold_up" != '>>' ] && [ "$leasehold_pos" != 0 ] && [ -f "$leasehold_file" ]; then
      eval "dd bs=1 count=0 skip=$leasehold_pos <&$leasehold_dir" >/dev/null 2>&1
    fi
  fi
done
unset leasehold_file leasehold_pos leasehold_key
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
# Where there is no such file, we say so: the shell would name a line of this script. PATH is split without globbing.
leasehold_up=
case $1 in
  */*) [ -e "$1" ] && leasehold_up=there ;;
  *)
    set -f
    leasehold_rest=$IFS
    IFS=:
    for leasehold_dir in ${PATH:-/}:; do
      if [ -e "${leasehold_dir:-.}/$1" ]; then leasehold_up=there; fi
    done
    IFS=$leasehold_rest
    set +f
    ;;
esac
if [ -z "$leasehold_up" ] && [ "${PATH:-}" ]; then
  printf 'leasehold: %s: not found\n' "$1" >&2
  exit 127
fi
unset leasehold_up leasehold_rest leasehold_dir
# If it fails, the shell says why, and ends with 126 or 127.
exec "$@"
