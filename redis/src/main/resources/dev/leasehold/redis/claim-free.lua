-- The short cut of claim.lua, which tells of ARGV and answer: most claims find a lock that nobody holds or waits for. What
-- is not reached costs nothing, the definitions in lock.lua included; so this comes before them and does without them.
if redis.call('EXISTS', KEYS[1], KEYS[3]) == 0 then
  local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  local last = redis.call('GET', KEYS[2])
  local since = string.format('%.0f', now)
  local token, spare = since, ARGV[4]
  if last and last + 1 > now then
    token = string.format('%.0f', last + 1)
  end
  local value = 'leasehold|1|' .. ARGV[1] .. '|' .. token .. '|' .. spare .. '|' .. since .. '|' .. ARGV[2]
  if redis.call('SET', KEYS[1], value, 'NX', 'PX', ARGV[3]) then
    redis.call('SET', KEYS[2], spare == '0' and token or string.format('%.0f', token + spare), 'PX', '604800000')
    return 'granted|' .. token .. '|' .. spare .. '|' .. ARGV[3]
  end
end
