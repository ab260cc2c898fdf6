-- Whether a master of a quorum has a vote, after lock.lua. The marker is 'leasehold|1|RUN|SINCE|LONGEST|TRUST': the run of
-- the server that wrote it, and since when that run has remembered everything. A server that was restarted, flushed or
-- resynchronised has no marker, or another run's; it may have forgotten leases, and has no vote until the longest of them
-- is over. The run id is read here and not taken from the client: one who has not noticed a restart would name the old run,
-- and a snapshot that the server came back with may have its marker.
-- rules: 'LONGEST|WAIT|TRUST': the longest lease of any client, how old the marker has to be (both in milliseconds), and
-- whether the marker keeps its age over a restart. Returns now, the run, and for how many milliseconds there is no vote.
local function ballotPaper(marker, rules)
  local longest, wait, trust = string.match(rules, '^(%d+)|(%d+)|(%d)$')
  local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
  local now = clock()
  local value = redis.call('GET', marker)
  local known, since, theirs, trusted
  if value then
    known, since, theirs, trusted = string.match(value, '^leasehold|1|(%x+)|(%d+)|(%d+)|(%d)$')
    if not known then
      error('LEASEHOLD_LAYOUT ' .. string.sub(value, 1, 16))
    end
    if theirs ~= longest or trusted ~= trust then
      error('LEASEHOLD_QUORUM ' .. theirs .. ' ' .. trusted)
    end
    since = tonumber(since)
  end
  if not since or since > now or (known ~= run and trust == '0') then
    since = now
  end
  if known ~= run or (value and since == now) then
    redis.call('SET', marker, LAYOUT .. run .. '|' .. integer(since) .. '|' .. longest .. '|' .. trust)
  end
  return now, run, math.max(0, math.ceil((since + wait * 1000 - now) / 1000))
end
