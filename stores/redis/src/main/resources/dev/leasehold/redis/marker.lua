-- Whether a master of a quorum has a vote, after lock.lua. The marker is 'leasehold|1|RUN-HISTORY|SINCE|LONGEST|TRUST': whose
-- data it was written into, and since when that has been remembered without a gap. RUN is the id of the server's run, HISTORY
-- that of its replication history: a server that was restarted, flushed or resynchronised has no marker, or another's. It may
-- have forgotten leases, and has no vote until the longest of them is over. Both ids are read here and not taken from the
-- client: one who has not noticed a restart would name the old run, and a snapshot that the server came back with may have
-- its marker.
-- No history stands for two runs of a server: a master makes a new one at each start, whatever it loads, at each promotion, and
-- when it is made a master again. So one that says that it is a master and has the marker's history is the process that wrote
-- the marker, and has been a master since. A replica tells of its master's history; for it, and wherever the histories differ, the run is read
-- too, which costs as much again.
-- Where persistence is trusted, a new run is excused: what the process has answered is on its disk. Another history in the same
-- run is not, since that came from another server; nor is a server that is a replica, or was one since it loaded its data.

-- An id among what the server tells of itself. To ask for that costs more than anything else here; a pattern would cost even more.
local function idIn(info, name)
  local at = string.find(info, name, 1, true) + #name
  return string.sub(info, at, at + 39)
end

-- rules: 'LONGEST|WAIT|TRUST': the longest lease of any client, how old the marker has to be (both in milliseconds), and
-- whether the marker keeps its age over a restart. Returns now, the marker as it is now, for how many milliseconds there is
-- no vote, and the time at which it had or will have its vote.
local function ballotPaper(marker, rules)
  local longest, wait, trust = string.match(rules, '^(%d+)|(%d+)|(%d)$')
  local now, info, value = clock(), redis.call('INFO', 'replication'), redis.call('GET', marker)
  local history, isMaster = idIn(info, '\nmaster_replid:'), string.find(info, '\nrole:master\r', 1, true)
  local known, since, theirs, trusted
  if value then
    known, since, theirs, trusted = string.match(value, '^leasehold|1|([%x-]+)|(%d+)|(%d+)|(%d)$')
    if not known then
      error(unreadable(value))
    end
    if theirs ~= longest or trusted ~= trust then
      error('LEASEHOLD_QUORUM ' .. theirs .. ' ' .. trusted)
    end
    since = tonumber(since)
  end
  local data, excused = known, false
  if not (known and isMaster and string.sub(known, -41) == '-' .. history) then
    local run = idIn(redis.call('INFO', 'server'), 'run_id:')
    data = run .. '-' .. history
    excused = trust == '1' and known and string.sub(known, 1, #run) ~= run
      and isMaster and string.find(info, '\nmaster_replid2:' .. string.rep('0', 40), 1, true)
  end
  if not since or since > now or (known ~= data and not excused) then
    since = now
  end
  if known ~= data or (value and since == now) then
    value = LAYOUT .. data .. '|' .. integer(since) .. '|' .. longest .. '|' .. trust
    redis.call('SET', marker, value)
  end
  local votesFrom = since + wait * 1000
  return now, value, math.max(0, math.ceil((votesFrom - now) / 1000)), votesFrom
end
