-- The short cuts of claim.lua, which tells of ARGV and answer: most claims find a lock that nobody holds or waits for, or
-- are new in the queue of one that is held. What is not reached costs nothing, the definitions in lock.lua included; so
-- these come before them and do without them. A time is kept as text where it need not be counted with, since numbers cost
-- as much as a command; and what is called often has a name of its own, since to find it in its table costs too.
local call = redis.call
local there = call('EXISTS', KEYS[1], KEYS[3])
if there == 0 then
  local time = call('TIME')
  local since = time[1] .. string.sub('00000' .. time[2], -6)
  local token, spare = since, ARGV[4]
  local last = call('SET', KEYS[2], token, 'PX', '604800000', 'GET')
  if (last and (#last ~= #since or last >= since)) or spare ~= '0' then
    token = string.format('%.0f', math.max(since, (last or 0) + 1))
    call('SET', KEYS[2], string.format('%.0f', token + spare), 'PX', '604800000')
  end
  call('SET', KEYS[1], ARGV[1] .. token .. '|' .. spare .. '|' .. since .. '|' .. ARGV[2], 'PX', ARGV[3])
  return token
end
local sub, find = string.sub, string.find
if sub(ARGV[5], 1, 4) == '1|0|' then
  -- As stand() does it, behind a first one that is alive, or as the first.
  local value = call('GET', KEYS[1])
  if value and sub(value, 1, 12) == 'leasehold|1|' and sub(value, 1, #ARGV[1]) ~= ARGV[1] then
    local time = call('TIME')
    local at = time[1] .. sub('00000' .. time[2], -6)
    local aliveFor = sub(ARGV[5], 5, 9)
    local joins = #at == 16
    if joins and there == 2 then
      local first = call('HGET', KEYS[4], call('LINDEX', KEYS[3], '0'))
      joins = first and at - sub(first, 1, 16) < sub(first, 35, 39) * 1000
    end
    local claim = sub(ARGV[1], 13, -2)
    local channel = find(ARGV[5], '|', 44, true) + #ARGV[4] + 2
    if joins and call('HSETNX', KEYS[4], claim,
        at .. '|' .. at .. '|' .. sub(ARGV[5], 5, find(ARGV[5], '|', channel, true)) .. ARGV[2]) == 1 then
      local place = call('RPUSH', KEYS[3], claim)
      if call('PTTL', KEYS[4]) < tonumber(aliveFor) then
        call('PEXPIRE', KEYS[3], 2 * aliveFor)
        call('PEXPIRE', KEYS[4], 2 * aliveFor)
      end
      return 'busy|' .. place .. '|' .. (place > 1 and '' or call('PTTL', KEYS[1])) .. '|' .. at .. '||' .. value
    end
  end
end
