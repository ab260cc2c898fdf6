-- KEYS: the marker. ARGV: the marker's rules. Answers {'seen', now, run, for how long there is no vote}.
local now, run, noVote = ballotPaper(KEYS[1], ARGV[1])
return {'seen', integer(now), run, noVote}
