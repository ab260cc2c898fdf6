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

-- Waiters that have been silent for too long have lost their places: those in front, so that the first living one knows
-- that it is the first; and the one that asks.
local function isGone(claim)
  local known = waiter(claim)
  if known and known.alive > now then
    return false
  end
  leave(claim)
  return true
end

while true do
  local first = redis.call('ZRANGE', KEYS[3], 0, 0)[1]
  if not first or not isGone(first) then
    break
  end
end
local known = redis.call('HEXISTS', KEYS[4], id) == 1 and not isGone(id)
if known or enqueue == '1' then
  local came = now
  if not known then
    local latest = redis.call('ZREVRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2]
    came = math.max(now, (latest or 0) + 1)
  end
  redis.call('ZADD', KEYS[3], 'NX', integer(came), id)
  redis.call('HSET', KEYS[4], id, integer(now + aliveFor * 1000) .. '|' .. period .. '|' .. spare .. '|' .. owner)
  if math.min(redis.call('PTTL', KEYS[3]), redis.call('PTTL', KEYS[4])) < tonumber(aliveFor) then
    redis.call('PEXPIRE', KEYS[3], aliveFor)
    redis.call('PEXPIRE', KEYS[4], aliveFor)
  end
end
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
local place = redis.call('ZRANK', KEYS[3], id)
return {'busy', value, redis.call('PTTL', KEYS[1]), place and place + 1 or 0, integer(now), run}
