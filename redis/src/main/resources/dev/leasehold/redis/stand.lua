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
  local known = waiter(id)
  if known and known.alive <= now then
    leave(id)
    known = nil
  end
  if known or enqueue then
    redis.call('ZADD', KEYS[3], 'NX', integer(now), id)
    redis.call('HSET', KEYS[4], id, integer(now + aliveFor * 1000) .. '|' .. period .. '|' .. spare .. '|' .. owner)
    -- For twice as long as they must last, so that most of those who come need not make them last longer.
    if math.min(redis.call('PTTL', KEYS[3]), redis.call('PTTL', KEYS[4])) < tonumber(aliveFor) then
      redis.call('PEXPIRE', KEYS[3], 2 * aliveFor)
      redis.call('PEXPIRE', KEYS[4], 2 * aliveFor)
    end
  end
  local place = redis.call('ZRANK', KEYS[3], id)
  -- The clock may have been set back since others came: then behind the last of them.
  if place and not known and redis.call('ZRANGE', KEYS[3], place + 1, place + 1)[1] then
    local latest = redis.call('ZREVRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2]
    redis.call('ZADD', KEYS[3], integer(latest + 1), id)
    place = redis.call('ZRANK', KEYS[3], id)
  end
  return place and place + 1 or 0
end
