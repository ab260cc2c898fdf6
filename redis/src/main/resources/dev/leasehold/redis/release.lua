-- ARGV: the beginning of the value that claim and token make, keep for, inbox, counts, name. Answers 1 or 0.
local value = redis.call('GET', KEYS[1])
if not value or string.sub(value, 1, #ARGV[1]) ~= ARGV[1] then
  return 0
end
-- First of all: after it the server takes what follows also where it is full.
redis.call('DEL', KEYS[1])
if ARGV[2] ~= '0' then
  local kept = tenure(value)
  value = LAYOUT .. '|' .. kept.token .. '|' .. kept.spare .. '|' .. integer(clock()) .. '|'
  redis.call('SET', KEYS[1], value, 'PX', ARGV[2])
else
  handOver({inbox = ARGV[3], uncounted = ARGV[4] == '0', name = ARGV[5]})
end
return 1
