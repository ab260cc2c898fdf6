-- The short cuts of claim.lua, which tells of ARGV and answer: most claims find a lock that nobody holds or waits for, or
-- are new in the queue of one that is held. What is not reached costs nothing, the definitions in lock.lua included; so
-- these come before them and do without them. A time is kept as text where it need not be counted with, since numbers cost
-- as much as a command.
local there = redis.call('EXISTS', KEYS[1], KEYS[3])
if there == 0 then
  local time = redis.call('TIME')
  local since = time[1] .. string.sub('00000' .. time[2], -6)
  local token, spare = since, ARGV[4]
  local last = redis.call('SET', KEYS[2], token, 'PX', '604800000', 'GET')
  if (last and (#last ~= #since or last >= since)) or spare ~= '0' then
    token = string.format('%.0f', math.max(since, (last or 0) + 1))
    redis.call('SET', KEYS[2], string.format('%.0f', token + spare), 'PX', '604800000')
  end
  redis.call('SET', KEYS[1], ARGV[1] .. token .. '|' .. spare .. '|' .. since .. '|' .. ARGV[2], 'PX', ARGV[3])
  return token
end
local aliveFor, period = string.match(ARGV[5], '^1|0|(%d+)|(%d+)|')
if there == 2 and aliveFor then
  -- As stand() does it, behind a first one that is alive.
  local value = redis.call('GET', KEYS[1])
  if string.sub(value, 1, 12) == 'leasehold|1|' and string.sub(value, 1, #ARGV[1]) ~= ARGV[1] then
    local first = redis.call('HGET', KEYS[4], redis.call('LINDEX', KEYS[3], '0'))
    local time = redis.call('TIME')
    local at = time[1] .. string.sub('00000' .. time[2], -6)
    local claim = string.sub(ARGV[1], 13, -2)
    if first and at + 0 < string.match(first, '^%d+') + 0
        and redis.call('HSETNX', KEYS[4], claim, string.format('%.0f', at + aliveFor * 1000)
          .. '|' .. period .. '|' .. ARGV[4] .. '|' .. at .. '|' .. ARGV[2]) == 1 then
      local place = redis.call('RPUSH', KEYS[3], claim)
      if redis.call('PTTL', KEYS[4]) < tonumber(aliveFor) then
        redis.call('PEXPIRE', KEYS[3], 2 * aliveFor)
        redis.call('PEXPIRE', KEYS[4], 2 * aliveFor)
      end
      return 'busy|' .. place .. '|' .. redis.call('PTTL', KEYS[1]) .. '|' .. at .. '||' .. value
    end
  end
end
