-- Touches the lock's key alone, so that it works in a full server and while a slot moves. Does not use lock.lua.
-- KEYS: lock. ARGV: the beginning of the value that claim and token make, duration.
-- Answers the time left, or -1 where this lease is not there.
local value = redis.call('GET', KEYS[1])
if not value or string.sub(value, 1, #ARGV[1]) ~= ARGV[1] then
  if not value or string.sub(value, 1, 12) ~= 'leasehold|2|' then
    return -1
  end
  -- One of several: its line begins so, and goes on with its end; see holders.lua.
  local _, at = string.find(value, '\n' .. string.sub(ARGV[1], 13), 1, true)
  local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  local ends = at and tonumber(string.sub(value, at + 1, at + 16)) or 0
  if ends <= now then
    return -1
  end
  local wanted = now + ARGV[2] * 1000
  if wanted > ends then
    -- The server counts in milliseconds from the one that has begun.
    redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.max(redis.call('PTTL', KEYS[1]), ARGV[2] + 1)))
    redis.call('SETRANGE', KEYS[1], at, string.format('%016.0f', wanted))
    ends = wanted
  end
  return math.floor((ends - now) / 1000)
end
local left = redis.call('PTTL', KEYS[1])
if left < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return tonumber(ARGV[2])
end
return left
