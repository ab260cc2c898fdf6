-- Standing in line, after lock.lua. Waiters that have been silent for too long have lost their places: those in front, so
-- that the first living one knows that it is the first; and the one that asks. Returns the place, or 0.
local function stand(id, owner, spare, enqueue, aliveFor, period, now)
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
  if known or enqueue then
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
  local place = redis.call('ZRANK', KEYS[3], id)
  return place and place + 1 or 0
end
