-- Touches the lock's key alone, for a slot in migration: it answers TRYAGAIN to scripts with several keys. Does not use
-- lock.lua. KEYS: lock. ARGV: the beginning of the value that claim and token make, keep for. Answers 1 or 0.
local value = redis.call('GET', KEYS[1])
if not value or string.sub(value, 1, #ARGV[1]) ~= ARGV[1] then
  return 0
end
redis.call('DEL', KEYS[1])
if ARGV[2] ~= '0' then
  local token, spare, since = string.match(value, '^leasehold|1|[^|]*|(%d+)|(%d+)|(%d+)|')
  redis.call('SET', KEYS[1], 'leasehold|1||' .. token .. '|' .. spare .. '|' .. since .. '|', 'PX', ARGV[2])
end
return 1
