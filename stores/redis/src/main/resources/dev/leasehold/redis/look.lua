-- KEYS: the marker. ARGV: the marker's rules. Answers {'seen', now, the marker, for how long there is no vote}.
local now, seen, noVote = ballotPaper(KEYS[1], ARGV[1])
return {'seen', integer(now), seen, noVote}
