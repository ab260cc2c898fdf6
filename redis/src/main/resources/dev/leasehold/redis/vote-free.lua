-- The short cut of vote.lua, which tells of ARGV and answer, and of marker.lua: most ballots find a lock that nobody holds
-- or waits for, on a node that has had its vote for long and accepts the proposal. What is not reached costs nothing, so
-- this comes before the definitions in lock.lua. It only reads until all of that is certain; whatever else is the case is
-- left to what follows.
-- Of the ids in the marker it looks at one, that of the replication history: while a server is a master, no other process
-- has its history, and it gets another at each start, whatever it loads, at each promotion, and after each time as a
-- replica. So the run is the marker's where the history is. A replica tells of its master's history: hence the role.
if redis.call('EXISTS', KEYS[1], KEYS[3]) == 0 then
  local marker = redis.call('GET', KEYS[5]) or ''
  -- By its place, since a pattern would cost as much as two commands: 'leasehold|1|RUN-HISTORY|SINCE|LONGEST|TRUST'.
  local since, known = string.match(marker, '^(%d+)|(%d+|%d)$', 95)
  local longest, wait, trust = string.match(ARGV[7], '^(%d+)|(%d+)|(%d)$')
  local info = known == longest .. '|' .. trust and string.sub(marker, 1, 12) == 'leasehold|1|' and redis.call('INFO', 'replication')
  if info and string.find(info, '\nrole:master\r', 1, true)
      and string.find(info, '\nmaster_replid:' .. string.sub(marker, 54, 93) .. '\r', 1, true) then
    local time = redis.call('TIME')
    local now = time[1] * 1000000 + time[2]
    local votesFrom = since + wait * 1000
    local half, token, spare = longest * 500, ARGV[5], ARGV[4]
    local proposal = tonumber(token)
    local record = redis.call('GET', KEYS[2])
    local last = math.max(record or now - half, votesFrom - half)
    local most = math.max(now + half, last + 1048576) - spare
    if votesFrom <= now and proposal > last and proposal <= most then
      local at = string.format('%.0f', now)
      local value = 'leasehold|1|' .. ARGV[1] .. '|' .. token .. '|' .. spare .. '|' .. at .. '|' .. ARGV[2]
      redis.call('SET', KEYS[1], value, 'PX', ARGV[3])
      redis.call('SET', KEYS[2], spare == '0' and token or string.format('%.0f', proposal + spare), 'PX', '604800000')
      return 'yes|' .. at .. '|' .. string.sub(marker, 13, 52) .. '|0|' .. ARGV[3]
    end
  end
end
