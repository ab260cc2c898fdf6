-- Standing in line, after lock.lua. Waiters that have been silent for too long have lost their places: those in front, so
-- that the first living one knows that it is the first; and the one that asks. Returns the place, or 0.
-- terms: 'ALIVE_FOR|STAMP|PERIOD|SPARE|CHANNEL', as the waiters' hash keeps them.
local function stand(id, owner, enqueue, aliveFor, terms, now)
  local function isGone(claim)
    local known = waiter(claim)
    if known and known.alive > now then
      return false
    end
    leave(claim)
    return true
  end

  while true do
    local first = redis.call('LINDEX', KEYS[3], 0)
    if not first or not isGone(first) then
      break
    end
  end
  local known = waiter(id)
  if known and known.alive <= now then
    leave(id)
    known = nil
  end
  local place = redis.call('LPOS', KEYS[3], id)
  place = place and place + 1
  if known or enqueue then
    local came = known and known.came or now
    redis.call('HSET', KEYS[4], id, string.format('%016.0f|%016.0f|', now, came) .. terms .. '|' .. owner)
    place = place or redis.call('RPUSH', KEYS[3], id)
    -- For twice as long as they must last, so that most of those who come need not make them last longer.
    if math.min(redis.call('PTTL', KEYS[3]), redis.call('PTTL', KEYS[4])) < tonumber(aliveFor) then
      redis.call('PEXPIRE', KEYS[3], 2 * aliveFor)
      redis.call('PEXPIRE', KEYS[4], 2 * aliveFor)
    end
  end
  return place or 0
end
