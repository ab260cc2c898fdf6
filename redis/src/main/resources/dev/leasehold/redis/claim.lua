-- ARGV: the beginning of the value that the claim makes, owner, lease, spare, 'KIND|ASK_RUN|PLACE|' and whom to tell, and
-- what the queue keeps of it (see lock.lua). KIND is 0 for who does not want to wait, 1 for who does, and 2
-- for who does and believes the lock to be held, which changes nothing but what is looked at first. PLACE: see find.lua.
-- Answers 'granted|TOKEN|SPARE|TIME_LEFT', the token alone where the rest is as asked for, or
-- 'busy|PLACE|TIME_LEFT|NOW|RUN|VALUE', the time left where others are in front not, and the run where it is asked for.
local id, owner, lease, spare = string.sub(ARGV[1], #LAYOUT + 1, -2), ARGV[2], ARGV[3], ARGV[4]
local kind, askRun, told, toTell = string.match(ARGV[5], '^(%d)|(%d)|(-?%d+)|(.*)$')

local now = clock()
local value = redis.call('GET', KEYS[1])

if value then
  if not isTenure(value) and not isForeign(value) then
    return redis.error_reply('LEASEHOLD_LAYOUT ' .. string.sub(value, 1, 16))
  end
  if string.sub(value, 1, #ARGV[1]) == ARGV[1] then
    local holder = tenure(value)
    local left = redis.call('PTTL', KEYS[1])
    if left < tonumber(lease) then
      redis.call('PEXPIRE', KEYS[1], lease)
      left = lease
    end
    return 'granted|' .. holder.token .. '|' .. holder.spare .. '|' .. left
  end
end

if not value then
  local to = news(toTell)
  to.now, to.last, to.asker = now, redis.call('GET', KEYS[2]), id
  local enters, queued = handOver(to)
  if enters then
    local token = nextToken(to.last, now)
    grant(now, token, id, spare, owner, lease)
    if queued then
      leave(queued)
    end
    return token
  end
  value = redis.call('GET', KEYS[1])
end

local place = stand(id, kind ~= '0', ARGV[6], now, tonumber(told))
return 'busy|' .. place .. '|' .. (place > 1 and '' or redis.call('PTTL', KEYS[1])) .. '|' .. integer(now) .. '|'
  .. (askRun == '1' and runId() or '') .. '|' .. value
