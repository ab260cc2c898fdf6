-- The short cuts of claim.lua for a claim that shares the lock, does not hold it yet, and fits beside those who do while nobody waits;
-- or is new, and all others have its share and are as many as that. As in claim-free.lua, they come before the definitions in lock.lua,
-- and do what claim.lua would do.
-- The first rests on this: where there is no queue, handOver() lets in nobody but the asker. A line whose end has passed counts for
-- nothing, but must not stay where another comes in: a clock that is set back would have both hold the lock. So where there is one, the
-- claim is left to claim.lua, which writes the others anew; as is what is not a row of lines as holders.lua tells.
-- The second rests on this: where there are as many as the share of each, handOver() lets in nobody, and it removes nobody if the first
-- in the queue is alive and does not hold the lock already; the rest is as in claim-free.lua. Among equals, who ends first is in the way.
-- Texts of 16 digits compare as their numbers do.
local call, sub, find = redis.call, string.sub, string.find
local value = call('GET', KEYS[1])
if (not value or sub(value, 1, 14) == 'leasehold|2|-\n')
    and not (value and find(value, '\n' .. sub(ARGV[1], 13), 1, true)) then
  local first, how = call('LINDEX', KEYS[3], '0'), sub(ARGV[5], 1, 7)
  local time = call('TIME')
  local micros = time[2]
  while #micros < 6 do
    micros = '0' .. micros
  end
  local now = time[1] .. micros
  local living, least, most, taken, from = 0, math.huge, 0, {}, 14
  local soonest, line
  for at, ends, share, slot, next in string.gmatch(value or '',
      '()\n[^|\n]*|%d+|(%d+)|%d+|%d+|(%d+)|(%-?%d+)|[^\n]*()') do
    if at ~= from or #ends ~= 16 or ends <= now then
      break
    end
    from = next
    living = living + 1
    taken[slot] = true
    share = tonumber(share)
    least = share > 0 and share < least and share or least
    most = (share == 0 or share > most) and (share > 0 and share or math.huge) or most
    if not soonest or ends < soonest then
      soonest, line = ends, at
    end
  end
  local asked = tonumber(sub(ARGV[4], 2))
  local isRead = #now == 16 and (not value or from > #value)
  if isRead and not first and living < least and (asked == 0 or living < asked) then
    local slot = asked == 0 and '-1' or nil
    for i = 0, slot and -1 or living do
      local free = string.format('%.0f', i)
      if not taken[free] then
        slot = free
        break
      end
    end
    local token, last = now, call('GET', KEYS[2])
    if last and (#last ~= 16 or last >= now) then
      token = string.format('%.0f', math.max(now, string.match(last, '^%d+') + 1))
    end
    local line = '\n' .. sub(ARGV[1], 13) .. token .. string.format('|%016.0f|', now + ARGV[3] * 1000) .. now .. '|0|'
      .. string.format('%.0f', asked) .. '|' .. slot .. '|' .. ARGV[2]
    if value then
      call('SETRANGE', KEYS[1], #value, line)
      if call('PTTL', KEYS[1]) < ARGV[3] + 1 then
        call('PEXPIRE', KEYS[1], string.format('%.0f', ARGV[3] + 1))
      end
    else
      call('SET', KEYS[1], 'leasehold|2|-' .. line, 'PX', string.format('%.0f', ARGV[3] + 1))
    end
    call('SET', KEYS[2], token, 'PX', '172810000')
    return 'granted|' .. token .. '|0/' .. string.format('%.0f', asked) .. '/' .. slot .. '|' .. ARGV[3]
  end
  if isRead and living == asked and least == asked and most == asked and (how == '1|0|-1|' or how == '2|0|-1|') then
    local aliveFor = sub(ARGV[6], 1, 5)
    local recent = first and sub(first, 1, 10) == sub(now, 1, 10) and sub(first, 35, 39) == aliveFor and aliveFor >= '01000'
    local claimEnds = first and find(first, '|', 74, true)
    if not first or claimEnds and not find(value, '\n' .. sub(first, 74, claimEnds), 1, true)
        and (recent or now - (tonumber(sub(first, 1, 16)) or 0) < (tonumber(sub(first, 35, 39)) or 0) * 1000) then
      local place = call('RPUSH', KEYS[3], now .. '|' .. now .. '|' .. ARGV[6])
      if not recent and call('PTTL', KEYS[3]) < aliveFor + 1000 then
        call('PEXPIRE', KEYS[3], 2 * aliveFor + 1000)
      end
      local claim, token, since, spare, share, slot, owner =
        string.match(value, '^\n([^|]*)|(%d+)|%d+|(%d+)|(%d+)|(%d+)|(%-?%d+)|([^\n]*)', line)
      return 'busy|' .. place .. '|' .. (place > 1 and '' or string.format('%.0f', math.ceil((soonest - now) / 1000))) .. '|' .. now
        .. '||leasehold|2|' .. claim .. '|' .. token .. '|' .. spare .. '/' .. share .. '/' .. slot .. '|' .. since .. '|' .. owner
    end
  end
end
