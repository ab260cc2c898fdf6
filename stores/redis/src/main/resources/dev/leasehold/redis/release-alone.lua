-- Touches the lock's key alone, for a slot in migration: it answers TRYAGAIN to scripts with several keys. Does not use
-- lock.lua. KEYS: lock. ARGV: the beginning of the value that claim and token make, keep for. Answers 1 or 0.
local value = redis.call('GET', KEYS[1])
if not value then
  return 0
end
if string.sub(value, 1, 12) == 'leasehold|2|' then
  -- One of several: its line is taken out, or written again without a holder; see holders.lua.
  local from, at = string.find(value, '\n' .. string.sub(ARGV[1], 13), 1, true)
  local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  if not at or tonumber(string.sub(value, at + 1, at + 16)) <= now then
    return 0
  end
  local to = string.find(value, '\n', at, true) or #value + 1
  local kept, left = '', redis.call('PTTL', KEYS[1])
  if ARGV[2] ~= '0' then
    local token = string.match(ARGV[1], '|(%d+)|$')
    local rest = string.match(string.sub(value, at + 17, to - 1), '^|%d+|%d+|%d+|%-?%d+|')
    kept = '\n|' .. token .. '|' .. string.format('%016.0f', now + ARGV[2] * 1000) .. rest
    left = math.max(left, ARGV[2] + 1)
  end
  value = string.sub(value, 1, from - 1) .. kept .. string.sub(value, to)
  redis.call('DEL', KEYS[1])
  if string.find(value, '\n', 1, true) then
    redis.call('SET', KEYS[1], value, 'PX', string.format('%.0f', left))
  end
  return 1
end
if string.sub(value, 1, #ARGV[1]) ~= ARGV[1] then
  return 0
end
redis.call('DEL', KEYS[1])
if ARGV[2] ~= '0' then
  local token, spare, since = string.match(value, '^leasehold|1|[^|]*|(%d+)|(%d+)|(%d+)|')
  redis.call('SET', KEYS[1], 'leasehold|1||' .. token .. '|' .. spare .. '|' .. since .. '|', 'PX', ARGV[2])
end
return 1
