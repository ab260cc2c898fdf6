-- Goes on after release-free.lua: the lock is free now, and value is what it was.
if string.sub(ARGV[2], 2, 2) ~= '|' then
  local kept = tenure(value)
  value = LAYOUT .. '|' .. kept.token .. '|' .. kept.spare .. '|' .. integer(clock()) .. '|'
  redis.call('SET', KEYS[1], value, 'PX', ARGV[2])
else
  handOver(news(ARGV[2]))
end
return 1
