-- ARGV: claim, owner, lease, spare, 'ENQUEUE|ALIVE_FOR|CLAIM_PERIOD|' and whom to tell (see lock.lua)
-- Answers 'granted|TOKEN|SPARE|TIME_LEFT' or {'busy', value, time left, place, now, run id}.
local id, owner, lease, spare = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local enqueue, aliveFor, period, toTell = string.match(ARGV[5], '^(%d)|(%d+)|(%d+)|(.*)$')

local now = clock()
local stored = redis.call('MGET', KEYS[1], KEYS[2])
local value = stored[1]

if value then
  local holder = tenure(value)
  if not holder and not isForeign(value) then
    return redis.error_reply('LEASEHOLD_LAYOUT ' .. string.sub(value, 1, 16))
  end
  if holder and holder.claim == id then
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
  to.now, to.last, to.asker = now, stored[2], id
  local other, queued = handOver(to)
  if not other then
    local token = nextToken(stored[2], now)
    grant(now, token, id, spare, owner, lease)
    if queued then
      leave(id)
    end
    return 'granted|' .. token .. '|' .. spare .. '|' .. lease
  end
  value = redis.call('GET', KEYS[1])
end

local place = stand(id, owner, spare, enqueue == '1', aliveFor, period, now)
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
return {'busy', value, redis.call('PTTL', KEYS[1]), place, integer(now), run}
