-- KEYS: lock, marker. ARGV: the beginning of the value that claim and token make, duration, the marker's rules.
-- Answers {what, now, the marker, for how long there is no vote, …}: 'renewed' and the time left; 'gone', and 1 if the lock
-- is free; 'novote'.
local now, seen, noVote = ballotPaper(KEYS[2], ARGV[3])
if noVote > 0 then
  return {'novote', integer(now), seen, noVote}
end
local value = redis.call('GET', KEYS[1])
if areHolders(value) then
  local holders = holdersOf(value, now)
  local holder = holderBeginning(holders, ARGV[1])
  if not holder then
    return {'gone', integer(now), seen, 0, holders and 0 or 1}
  end
  -- A full server takes this as the first write of a script, and SET only after it.
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  holder.ends, holder.line = math.max(holder.ends, now + ARGV[2] * 1000), nil
  writeHolders(holders, now)
  return {'renewed', integer(now), seen, 0, integer(math.floor((holder.ends - now) / 1000))}
end
if not value or string.sub(value, 1, #ARGV[1]) ~= ARGV[1] then
  return {'gone', integer(now), seen, 0, value and 0 or 1}
end
local left = redis.call('PTTL', KEYS[1])
if left < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  left = ARGV[2]
end
return {'renewed', integer(now), seen, 0, left}
