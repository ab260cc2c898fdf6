-- Renews leases of one server, one or many, of a mutex or shared. Touches the locks' keys alone, so that it works in a full server
-- and while a slot moves. Does not use lock.lua.
-- KEYS: locks. ARGV: for each lock the beginning of the value that claim and token make, and the duration.
-- Answers for each the time left, or -1 where this lease is not there. A list costs as much as the rest, so of one it is the number.
local call, sub, answers = redis.call, string.sub, {}
for i = 1, #KEYS do
  local beginning, duration = ARGV[2 * i - 1], tonumber(ARGV[2 * i])
  local value, left = call('GET', KEYS[i]) or '', -1
  if sub(value, 1, #beginning) == beginning then
    left = call('PTTL', KEYS[i])
    if left < duration then
      call('PEXPIRE', KEYS[i], ARGV[2 * i])
      left = duration
    end
  elseif sub(value, 1, 12) == 'leasehold|2|' then
    -- One of several: its line begins so, and goes on with its end; see holders.lua.
    local _, at = string.find(value, '\n' .. sub(beginning, 13), 1, true)
    local time = call('TIME')
    local now = time[1] * 1000000 + time[2]
    local ends = at and tonumber(sub(value, at + 1, at + 16)) or 0
    if ends > now then
      local wanted = now + duration * 1000
      if wanted > ends then
        -- The server counts in milliseconds from the one that has begun.
        call('PEXPIRE', KEYS[i], math.max(call('PTTL', KEYS[i]), duration + 1))
        call('SETRANGE', KEYS[i], at, string.format('%016.0f', wanted))
        ends = wanted
      end
      left = math.floor((ends - now) / 1000)
    end
  end
  answers[i] = left
end
return KEYS[2] and answers or answers[1]
