-- Renews many locks of one server. Touches the locks' keys alone, as renew.lua does. Does not use lock.lua.
-- KEYS: locks. ARGV: for each lock the beginning of the value that claim and token make, and the duration.
-- Answers for each the time left, or -1 where renew.lua has to say what has become of it: it confirms, and denies nothing.
local answers = {}
for i = 1, #KEYS do
  local beginning = ARGV[2 * i - 1]
  local duration = tonumber(ARGV[2 * i])
  -- A key that somebody else uses must not end the script, and all other renewals with it.
  local value = redis.pcall('GET', KEYS[i])
  local left = -1
  if type(value) == 'string' and string.sub(value, 1, #beginning) == beginning then
    left = redis.call('PTTL', KEYS[i])
    if left < duration then
      redis.call('PEXPIRE', KEYS[i], ARGV[2 * i])
      left = duration
    end
  elseif type(value) == 'string' then
    left = renewOfSeveral(KEYS[i], value, beginning, duration)
  end
  answers[i] = left
end
return answers
