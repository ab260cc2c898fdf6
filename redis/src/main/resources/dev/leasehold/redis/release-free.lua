-- ARGV: the beginning of the value that claim and token make, keep for, whom to tell (see lock.lua). Answers 1 or 0.
local value = redis.call('GET', KEYS[1])
if not value or string.sub(value, 1, #ARGV[1]) ~= ARGV[1] then
  return 0
end
-- First of all: after it the server takes what follows also where it is full.
redis.call('DEL', KEYS[1])
-- Most releases leave a lock that nobody waits for, and end before the definitions in lock.lua.
if ARGV[2] == '0' and redis.call('EXISTS', KEYS[3]) == 0 then
  return 1
end
