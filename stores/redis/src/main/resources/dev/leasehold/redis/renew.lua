-- Touches the lock's key alone, so that it works in a full server and while a slot moves. Does not use lock.lua.
-- KEYS: lock. ARGV: the beginning of the value that claim and token make, duration.
-- Answers the time left, or -1 where this lease is not there.
local value = redis.call('GET', KEYS[1])
if not value then
  return -1
end
if string.sub(value, 1, #ARGV[1]) ~= ARGV[1] then
  return renewOfSeveral(KEYS[1], value, ARGV[1], ARGV[2])
end
local left = redis.call('PTTL', KEYS[1])
if left < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return tonumber(ARGV[2])
end
return left
