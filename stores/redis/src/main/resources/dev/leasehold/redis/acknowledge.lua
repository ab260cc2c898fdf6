-- Touches the lock's key alone, so that it works while a slot moves. Does not use lock.lua.
-- KEYS: lock. ARGV: the beginning of the value that claim and token make.
-- Answers 1 if this lease is here, else 0; and gives it the end that it has, a write that changes nothing: once replicas
-- have confirmed it, they have confirmed everything before it. Without it, WAIT on a connection that has written nothing is
-- answered at once by Redis 8 and Valkey; 7.0 counts what the master had written by the connection's last command.
local value = redis.call('GET', KEYS[1])
if not value or string.sub(value, 1, #ARGV[1]) ~= ARGV[1] then
  local _, at = string.find(value or '', '\n' .. string.sub(ARGV[1], 13), 1, true)
  local time = redis.call('TIME')
  if not at or string.sub(value, 1, 12) ~= 'leasehold|2|'
      or tonumber(string.sub(value, at + 1, at + 16)) <= time[1] * 1000000 + time[2] then
    return 0
  end
end
local left = redis.call('PTTL', KEYS[1])
if left < 1 then
  return 0
end
redis.call('PEXPIRE', KEYS[1], left)
return 1
