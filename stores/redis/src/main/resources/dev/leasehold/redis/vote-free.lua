-- The short cut of vote.lua, which tells of KEYS, ARGV and the answer: most ballots find a lock that nobody holds or waits for,
-- on a node that has its vote and accepts the proposal. What is not reached costs nothing, so this comes before the
-- definitions in lock.lua. It only reads until all of that is certain; whatever else is the case is left to what follows.
-- It looks at the marker as ballotPaper() does at first: the marker names this very master, it is old enough, and its rules are
-- the client's. A proposal that is near enough to the node's clock is above all that the node can have given out before it had
-- its vote.
local call, find = redis.call, string.find
local marker = call('EXISTS', KEYS[1], KEYS[3]) == 0 and call('GET', KEYS[4])
if marker then
  local history, since, longest, trust = string.match(marker, '^leasehold|1|%x+%-(%x+)|(%d+)|(%d+)|(%d)$')
  local theirs, wait, trusted = string.match(ARGV[4], '^%d|%d+|%d+|(%d+)|(%d+)|(%d)|')
  local time, info = call('TIME'), call('INFO', 'replication')
  local now = time[1] * 1000000 + time[2]
  if history and longest == theirs and trust == trusted and since + wait * 1000 <= now
      and find(info, '\nrole:master\r', 1, true) and find(info, '\nmaster_replid:' .. history .. '\r', 1, true) then
    local record, last = redis.pcall('GET', KEYS[2]), ARGV[3]
    local token, half = ARGV[5] or last, math.min(longest * 500, 86400000000)
    -- Texts of digits that are equally long compare as their numbers do. The end of the run may be longer than the token.
    if token - now > -half and last - now <= half and (not record or #record == #token and record < token) then
      call('SET', KEYS[1], ARGV[1] .. '\n' .. (record or ''), 'PX', ARGV[2])
      -- As in claim-free.lua: its time to live is given to it anew once in ten seconds.
      if record and #last == 16 and string.sub(record, 1, 9) == string.sub(last, 1, 9) then
        call('SETRANGE', KEYS[2], '0', last)
      else
        call('SET', KEYS[2], last, 'PX', '172810000')
      end
      return {'yes', string.format('%.0f', now), marker, 0, ARGV[2]}
    end
  end
end
