-- Gives a master of a new quorum its vote at once. KEYS: the marker. ARGV: the marker's rules.
-- Answers {'opened' or, where it has a vote already, 'seen', now, run, 0}.
local now, run, noVote, _, data = ballotPaper(KEYS[1], ARGV[1])
if noVote == 0 then
  return {'seen', integer(now), run, 0}
end
local longest, wait, trust = string.match(ARGV[1], '^(%d+)|(%d+)|(%d)$')
redis.call('SET', KEYS[1], LAYOUT .. data .. '|' .. integer(now - wait * 1000) .. '|' .. longest .. '|' .. trust)
return {'opened', integer(now), run, 0}
