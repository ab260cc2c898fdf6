-- The short cut of claim.lua for a claim that shares the lock: nobody waits, it does not hold the lock yet, and it fits beside those who
-- do. As in claim-free.lua, it comes before the definitions in lock.lua, and does what claim.lua would do.
-- It rests on this: where there is no queue, handOver() lets in nobody but the asker. A line whose end has passed counts for
-- nothing, but must not stay where another comes in: a clock that is set back would have both hold the lock. So where there is one, the
-- claim is left to claim.lua, which writes the others anew; as is what is not a row of lines as holders.lua tells.
-- Texts of 16 digits compare as their numbers do.
local call, sub = redis.call, string.sub
local value = call('GET', KEYS[1])
if (not value or sub(value, 1, 14) == 'leasehold|2|-\n') and call('EXISTS', KEYS[3]) == 0
    and not (value and string.find(value, '\n' .. sub(ARGV[1], 13), 1, true)) then
  local time = call('TIME')
  local micros = time[2]
  while #micros < 6 do
    micros = '0' .. micros
  end
  local now = time[1] .. micros
  local living, least, taken, from = 0, math.huge, {}, 14
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
  end
  local asked = tonumber(sub(ARGV[4], 2))
  if (not value or from > #value) and #now == 16 and living < least and (asked == 0 or living < asked) then
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
    call('SET', KEYS[2], token, 'PX', '604810000')
    return 'granted|' .. token .. '|0/' .. string.format('%.0f', asked) .. '/' .. slot .. '|' .. ARGV[3]
  end
end
