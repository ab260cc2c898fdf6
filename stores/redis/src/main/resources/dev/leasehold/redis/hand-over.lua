-- Who comes in, after lock.lua and holders.lua: the first in the queue that is alive, if it fits beside those who are there; then
-- the next, until the first that does not fit. Called where the lock is free or to.holders have it; they are kept up to date.
-- Each has its claim period to confirm, and is told. One whose client listens nowhere is passed over for this turn and keeps its
-- place; one that does not fit never is. One whose first question came twice stands there twice, and comes in once. Returns whether
-- the asker, with its share to.share, may come in beside to.holders; and what the queue keeps of it if it stands there. Its grant is
-- left to the caller.
-- A waiter is told first, and the lock is written when it was heard, so nothing has to be undone. All that is sent leaves the server
-- when the script is over. The last token is written before: a server that refuses to write does it there, where nobody has been told
-- of anything; and a run that was told is not used again, heard or not, since that nobody heard it is only what this server counts.
-- to.before: what KEYS[2] was, where this is to be kept (see withdraw.lua); what is told in vain does not count there.
local function handOver(to)
  local place = 0
  local now
  while true do
    local entry = redis.call('LINDEX', KEYS[3], place)
    if not entry then
      return fits(to.holders, to.share or 1)
    end
    now = now or to.now or clock()
    local next = waiter(entry)
    if not next or next.alive <= now or holderOf(to.holders, next.claim) then
      leave(entry)
    elseif not fits(to.holders, next.share) then
      return false
    elseif next.claim == to.asker then
      return true, entry
    else
      local record, shares, quorum = redis.call('MGET', KEYS[2])[1], next.share > 1, next.spare == 's'
      local token = nextToken(lastOf(record), now)
      local holder = shares and newHolder(to.holders, now, token, next.claim, next.share, next.owner, next.period)
      writeLast(not shares and integer(token + next.spare) or quorum and raised(record or '', token) or token)
      local told = {'granted', token, next.stamp, next.claim, next.period, shares and sharedAs(holder) or next.spare, to.argument}
      if not tell(next.channel, table.concat(told, '|')) and not to.uncounted then
        place = place + 1
      else
        leave(entry)
        if not shares then
          grant(now, token, next.claim, next.spare, to.before and next.owner .. '\n' .. to.before or next.owner, next.period)
          return false
        end
        to.holders = addHolder(to.holders, holder, quorum and (record or '') or nil, now)
      end
    end
  end
end
