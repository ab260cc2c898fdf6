-- ARGV: the beginning of the value that the claim makes, owner, lease, spare, 'KIND|CALLS|PLACE|' and whom to tell, and
-- what the queue keeps of it (see lock.lua). KIND is 0 for who does not want to wait, 1 for who does, and 2
-- for who does and believes the lock to be held, which changes nothing but what is looked at first. PLACE: see find.lua.
-- A claim that shares the lock says so in the place of spare, as in the queue; its first arrival counts.
-- Answers 'granted|TOKEN|SPARE|TIME_LEFT', the token alone where the rest is as asked for, or
-- 'busy|PLACE|TIME_LEFT|NOW|HEARD|VALUE', the time left where others are in front not. To one of several holders SPARE is
-- 'SPARE/SHARE/SLOT'; and of several VALUE shows one that is in the way, and the time left is that until the claim would fit if nobody
-- renewed. Where CALLS is 1 this server calls the claim's own inbox, and HEARD is 0 if nobody listens to it here, else 1.
local id, owner, lease, spare = string.sub(ARGV[1], #LAYOUT + 1, -2), ARGV[2], ARGV[3], ARGV[4]
local kind, calls, told, toTell = string.match(ARGV[5], '^(%d)|(%d)|(-?%d+)|(.*)$')

local now = clock()
local value = redis.call('GET', KEYS[1])
local holders

local function grantedTo(holder, left)
  return 'granted|' .. holder.token .. '|' .. sharedAs(holder) .. '|' .. left
end

if areHolders(value) then
  holders = holdersOf(value, now)
  local own = holderOf(holders, id)
  if own then
    return grantedTo(own, extendHolder(value, own, now, lease))
  end
  if not holders then
    redis.call('DEL', KEYS[1])
    value = false
  end
elseif value then
  if not isStoredLease(value) and not isForeign(value) then
    return redis.error_reply(unreadable(value))
  end
  if string.sub(value, 1, #ARGV[1]) == ARGV[1] then
    local holder = storedLease(value)
    local left = redis.call('PTTL', KEYS[1])
    if left < tonumber(lease) then
      redis.call('PEXPIRE', KEYS[1], lease)
      left = lease
    end
    return 'granted|' .. holder.token .. '|' .. holder.spare .. '|' .. left
  end
end

local share = shareIn(spare)
if not value or holders then
  local to = news(toTell)
  to.now, to.asker, to.holders, to.share = now, id, holders, share
  local enters, queued = handOver(to)
  holders = to.holders
  if enters then
    share = queued and waiter(queued).share or share
    local answer = nextToken(lastOf(redis.call('GET', KEYS[2])), now)
    spare = share == 1 and share == shareIn(spare) and spare or '0'
    writeLast(integer(answer + spare))
    if share > 1 then
      local own = newHolder(holders, now, answer, id, share, owner, lease)
      holders = addHolder(holders, own, nil, now)
      answer = grantedTo(own, lease)
    else
      grant(now, answer, id, spare, owner, lease)
    end
    if queued then
      leave(queued)
      if share > 1 then
        -- Those behind it that fit beside it come in, too.
        to.asker, to.holders = nil, holders
        handOver(to)
      end
    end
    return answer
  end
  value = holders or redis.call('GET', KEYS[1])
end

local place, kept = stand(id, kind ~= '0', ARGV[6], now, tonumber(told))
local left = ''
if holders then
  local inTheWay, ends = lastInTheWay(holders, kept or share)
  value = valueOf(inTheWay)
  left = place > 1 and '' or integer(math.max(0, math.ceil((ends - now) / 1000)))
elseif place <= 1 then
  left = redis.call('PTTL', KEYS[1])
end
return 'busy|' .. place .. '|' .. left .. '|' .. integer(now) .. '|'
  .. (calls ~= '1' and '' or tell(channel(news(toTell).inbox, id), 'called') and '1' or '0') .. '|' .. value
