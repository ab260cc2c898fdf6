-- Who comes in, after lock.lua and holders.lua: the first in the queue that is alive, if it fits beside those who are there; then
-- the next, until the first that does not fit. Called where the lock is free or to.holders have it; they are kept up to date.
-- Each has its claim period to confirm, and is told. One whose client listens nowhere is passed over for this turn and keeps its
-- place; one that does not fit never is. One whose first question came twice stands there twice, and comes in once. Returns whether
-- the asker, with its share to.share, may come in beside to.holders; and what the queue keeps of it if it stands there. Its grant is
-- left to the caller.
-- The run of one that is passed over is not used again, and to.last is its end: it was told, and that nobody heard it is only
-- what this server counts.
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
      local token = nextToken(to.last or lastOf(redis.call('GET', KEYS[2])), now)
      local told, shares = next.spare, next.share > 1
      if shares then
        to.holders = grantShared(to.holders, next.spare == 's', now, token, next.claim, next.share, next.owner, next.period)
        told = sharedAs(to.holders.all[#to.holders.all])
      else
        grant(now, token, next.claim, next.spare, to.before and next.owner .. '\n' .. to.before or next.owner, next.period)
      end
      local text = table.concat({'granted', token, next.stamp, next.claim, next.period, told, to.argument}, '|')
      if tell(next.channel, text) or to.uncounted then
        leave(entry)
        to.last = nil
        if not shares then
          return false
        end
      else
        if shares then
          to.holders = withoutHolder(to.holders, #to.holders.all)
          writeHolders(to.holders, now)
        else
          redis.call('DEL', KEYS[1])
        end
        to.last = token + (shares and 0 or next.spare)
        place = place + 1
      end
    end
  end
end
