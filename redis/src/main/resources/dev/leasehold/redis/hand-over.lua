-- Who comes in, after lock.lua and readers.lua: the first in the queue that is alive, if it fits beside those who are there; then
-- the next, until the first that does not fit. Called where the lock is free or to.readers have it; they are kept up to date.
-- Each has its claim period to confirm, and is told. One whose client listens nowhere is passed over for this turn and keeps its
-- place; one that does not fit never is. Returns whether the asker may come in, beside to.readers only if it to.shares; and what the
-- queue keeps of it if it stands there. Its grant is left to the caller.
-- The run of one that is passed over is not used again, and to.last is its end: it was told, and that nobody heard it is only
-- what this server counts.
-- to.before: what KEYS[2] was, where this is to be kept (see withdraw.lua); what is told in vain does not count there.
local function handOver(to)
  local place = 0
  local now
  while true do
    local entry = redis.call('LINDEX', KEYS[3], place)
    if not entry then
      return not to.readers or to.shares
    end
    now = now or to.now or clock()
    local next = waiter(entry)
    local shares = next and next.spare == 's'
    if not next or next.alive <= now then
      leave(entry)
    elseif to.readers and not shares then
      return false
    elseif next.claim == to.asker then
      return true, entry
    else
      local record = redis.call('GET', KEYS[2])
      local token = nextToken(to.last or lastOf(record), now)
      if shares then
        to.readers = readerAdded(to.readers, {claim = next.claim, token = token, ends = now + next.period * 1000,
          since = integer(now), owner = next.owner})
        writeReaders(to.readers, now)
        writeLast(raised(record or '', token))
      else
        grant(now, token, next.claim, next.spare, to.before and next.owner .. '\n' .. to.before or next.owner, next.period)
      end
      local spare = shares and '0' or next.spare
      local text = table.concat({'granted', token, next.stamp, next.claim, next.period, spare, to.argument}, '|')
      if tell(next.channel, text) or to.uncounted then
        leave(entry)
        to.last = nil
        if not shares then
          return false
        end
      else
        if shares then
          table.remove(to.readers.all)
          to.readers = to.readers.all[1] and to.readers
          writeReaders(to.readers, now)
        else
          redis.call('DEL', KEYS[1])
        end
        to.last = token + spare
        place = place + 1
      end
    end
  end
end
