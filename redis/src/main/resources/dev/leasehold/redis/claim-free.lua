-- The short cuts of claim.lua, which tells of ARGV and answer: most claims find a lock that nobody holds or waits for, or
-- are new in the queue of one that is held. What is not reached costs nothing, the definitions in lock.lua included; so
-- these come before them and do without them. A time is kept as text where it need not be counted with, since numbers cost
-- as much as a command; and what is called often has a name of its own, since to find it in its table costs too.
local call, how = redis.call, string.sub(ARGV[5], 1, 4)
local value = how == '2|0|' and call('GET', KEYS[1])
if not value and call('EXISTS', KEYS[1], KEYS[3]) == 0 then
  local time = call('TIME')
  local micros = time[2]
  while #micros < 6 do
    micros = '0' .. micros
  end
  local since, spare = time[1] .. micros, ARGV[4]
  local token = since
  local last = call('SET', KEYS[2], token, 'PX', '604800000', 'GET')
  if (last and (#last ~= #since or last >= since)) or spare ~= '0' then
    token = string.format('%.0f', math.max(since, (last or 0) + 1))
    call('SET', KEYS[2], string.format('%.0f', token + spare), 'PX', '604800000')
  end
  call('SET', KEYS[1], ARGV[1] .. token .. '|' .. spare .. '|' .. since .. '|' .. ARGV[2], 'PX', ARGV[3])
  return token
end
if how == '1|0|' or how == '2|0|' then
  -- As stand() does it, as the first or behind a first one that is alive.
  local sub, find = string.sub, string.find
  value = value or call('GET', KEYS[1])
  if value and sub(value, 1, 12) == 'leasehold|1|' and sub(value, 1, #ARGV[1]) ~= ARGV[1] then
    local time = call('TIME')
    local micros = time[2]
    while #micros < 6 do
      micros = '0' .. micros
    end
    local at = time[1] .. micros
    local joins = #at == 16
    local first = call('LINDEX', KEYS[3], '0')
    if first then
      -- Whoever asked within these ten milliseconds is alive, whatever it asked for.
      first = call('HGET', KEYS[4], first)
      joins = joins and first and (sub(first, 1, 12) == sub(at, 1, 12)
        or at - sub(first, 1, 16) < sub(first, 35, 39) * 1000)
    end
    local claim, aliveFor = sub(ARGV[1], 13, -2), sub(ARGV[5], 5, 9)
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
