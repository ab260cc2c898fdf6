-- Gives a master of a new quorum its vote at once. KEYS: the marker. ARGV: the marker's rules.
-- Answers {'opened' or, where it has a vote already, 'seen', now, the marker, 0}.
local now, seen, noVote = ballotPaper(KEYS[1], ARGV[1])
if noVote == 0 then
  return {'seen', integer(now), seen, 0}
end
local wait = string.match(ARGV[1], '^%d+|(%d+)|')
local data, rules = string.match(seen, '^(leasehold|1|[%x-]+|)%d+(|.*)$')
seen = data .. integer(now - wait * 1000) .. rules
redis.call('SET', KEYS[1], seen)
return {'opened', integer(now), seen, 0}
