-- The short cuts of release.lua: most releases leave a lock that nobody waits for, or that goes to the first in the queue.
-- What is not reached costs nothing, the definitions in lock.lua included; so these come before them and do without them.
-- ARGV: the beginning of the value that claim and token make; whom to tell (see lock.lua), or for how many milliseconds the
-- lock is kept without a holder, which is nobody's concern: one argument instead of two because each costs. Answers 1 or 0.
--
-- They rest on this: claim and token are compared before anything is written, so only this very lease is ended. Whoever is first
-- in the queue and alive is whom handOver() would choose, so taking it out first and looking then loses nobody: it is told and
-- holds the lock, or it is put back where it was, in the same script, before anybody else can look. A dead one would be
-- removed there, too. The token is made as in claim-free.lua.
local call, sub = redis.call, string.sub
local value, shares = call('GET', KEYS[1])
if not value or sub(value, 1, #ARGV[1]) ~= ARGV[1] then
  shares = value and sub(value, 1, 12) == 'leasehold|2|'
  if not shares then
    return 0
  end
end
-- The third short cut: one of several leaves, and nobody waits. Its line is taken out; lines whose end has passed stay, since they count
-- for nothing.
if shares and sub(value, 13, 14) == '-\n' and sub(ARGV[2], 2, 2) == '|' and call('EXISTS', KEYS[3]) == 0 then
  local from, at = string.find(value, '\n' .. sub(ARGV[1], 13), 1, true)
  local time = call('TIME')
  if not from or (tonumber(sub(value, at + 1, at + 16)) or 0) <= time[1] * 1000000 + time[2] then
    return 0
  end
  local next = string.find(value, '\n', at, true)
  local rest = sub(value, 1, from - 1) .. (next and sub(value, next) or '')
  local left = call('PTTL', KEYS[1])
  -- Removed first: after it a full server takes what follows.
  call('DEL', KEYS[1])
  if #rest > 13 then
    call('SET', KEYS[1], rest, 'PX', math.max(left, 1))
  end
  return 1
end
-- What is written first, here and below, only removes: after it the server takes what follows also where it is full.
-- What several share is written again without the one that leaves: by release.lua, once it has been read.
local free = not shares and sub(ARGV[2], 2, 2) == '|'
local known = free and call('LPOP', KEYS[3])
if known then
  -- As handOver() does it for the first in the queue. One that is dead has lost its place; the rest is left to handOver().
  local time = call('TIME')
  local micros = time[2]
  while #micros < 6 do
    micros = '0' .. micros
  end
  local since = time[1] .. micros
  -- To count costs; and whoever asked within these ten milliseconds is alive, since nobody is for less than 125 (WaitingRules).
  local age = sub(known, 1, 12) == sub(since, 1, 12) and 0 or since - (tonumber(sub(known, 1, 16)) or 0)
  local aliveFor = tonumber(sub(known, 35, 39)) or 0
  local find = string.find
  local afterClaim = find(known, '|', 74, true) or 0
  local afterPeriod = find(known, '|', afterClaim + 1, true) or 0
  local afterSpare = find(known, '|', afterPeriod + 1, true) or 0
  local period, spare = sub(known, afterClaim + 1, afterPeriod - 1), sub(known, afterPeriod + 1, afterSpare - 1)
  -- Others may come in with one that shares.
  local keepsPlace = spare == 's' or #spare > 1 and sub(spare, 1, 1) == '0'
  if not keepsPlace and age < aliveFor * 1000 then
    local afterChannel = find(known, '|', afterSpare + 1, true)
    local token = since
    local last = call('SET', KEYS[2], since, 'KEEPTTL', 'GET')
    if not last or last >= since or #last ~= #since or spare ~= '0' or sub(last, 1, 9) ~= sub(since, 1, 9) then
      if last and (#last ~= #since or last >= since) then
        token = string.format('%.0f', math.max(since, last + 1))
      end
      call('SET', KEYS[2], string.format('%.0f', token + spare), 'PX', '604810000')
    end
    call('SET', KEYS[1], 'leasehold|1|' .. sub(known, 74, afterClaim) .. token .. '|' .. spare .. '|' .. since .. '|'
      .. sub(known, afterChannel + 1), 'PX', period)
    -- Here alone, and never failing; see tell().
    local heard = pcall(redis.set_repl, redis.REPL_NONE)
      and redis.pcall('PUBLISH', sub(known, afterSpare + 1, afterChannel - 1),
        'granted|' .. token .. '|' .. sub(known, 41, afterSpare) .. ARGV[2])
    pcall(redis.set_repl, redis.REPL_ALL)
    if heard ~= 0 or sub(ARGV[2], 1, 1) == '0' then
      return 1
    end
    -- Its token is lost, as in handOver().
    keepsPlace = true
  end
  -- If it is alone there, the queue has gone with it.
  if keepsPlace and call('LPUSH', KEYS[3], known) == 1 then
    call('PEXPIRE', KEYS[3], string.format('%.0f', 2 * aliveFor + 1000 + math.max(0, -age / 1000)))
  end
end
if not shares then
  call('DEL', KEYS[1])
end
if free and not known then
  return 1
end
