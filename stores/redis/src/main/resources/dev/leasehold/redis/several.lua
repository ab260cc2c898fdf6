-- Renews one holder of several: its line begins so, and goes on with its end; see holders.lua.
-- Answers the time left, or -1 where this lease is not there.
local function renewOfSeveral(key, value, beginning, duration)
  if string.sub(value, 1, 12) ~= 'leasehold|2|' then
    return -1
  end
  local _, at = string.find(value, '\n' .. string.sub(beginning, 13), 1, true)
  local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  local ends = at and tonumber(string.sub(value, at + 1, at + 16)) or 0
  if ends <= now then
    return -1
  end
  local wanted = now + duration * 1000
  if wanted > ends then
    -- The server counts in milliseconds from the one that has begun.
    redis.call('PEXPIRE', key, string.format('%.0f', math.max(redis.call('PTTL', key), duration + 1)))
    redis.call('SETRANGE', key, at, string.format('%016.0f', wanted))
    ends = wanted
  end
  return math.floor((ends - now) / 1000)
end
