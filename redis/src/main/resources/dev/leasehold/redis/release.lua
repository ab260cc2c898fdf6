-- Goes on after release-free.lua: the lock is free now, and value is what it was.
if ARGV[2] ~= '0' then
  local kept = tenure(value)
  value = LAYOUT .. '|' .. kept.token .. '|' .. kept.spare .. '|' .. integer(clock()) .. '|'
  redis.call('SET', KEYS[1], value, 'PX', ARGV[2])
else
  handOver(news(ARGV[3]))
end
return 1
