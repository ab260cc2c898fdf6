-- Touches the lock's key alone, so that it works while a slot moves. Does not use lock.lua.
-- KEYS: lock. ARGV: the beginning of the value that claim and token make.
-- Answers 1 if this lease is here, else 0; and gives it the end that it has, a write that changes nothing: once replicas
-- have confirmed it, they have confirmed everything before it.
local value = redis.call('GET', KEYS[1])
if not value or string.sub(value, 1, #ARGV[1]) ~= ARGV[1] then
  return 0
end
local left = redis.call('PTTL', KEYS[1])
if left < 1 then
  return 0
end
redis.call('PEXPIRE', KEYS[1], left)
return 1
