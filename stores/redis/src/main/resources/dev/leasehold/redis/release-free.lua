-- The short cuts of release.lua: most releases leave a lock that nobody waits for, or that goes to the first in the queue.
-- What is not reached costs nothing, the definitions in lock.lua included; so these come before them and do without them.
-- ARGV: the beginning of the value that claim and token make; whom to tell (see lock.lua), or for how many milliseconds the
-- lock is kept without a holder, which is nobody's concern: one argument instead of two because each costs. Answers 1 or 0.
--
-- They rest on this: claim and token are compared before anything is written, so only this very lease is ended. The first
-- in the queue that is alive is the one that handOver() would choose, so taking it out first and looking then loses nobody: it is told and
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
-- Both of these are for one Redis: BEFORE is -, so one that leaves changes nothing but its own line. A line alone begins with a line
-- break, so that of this claim and token is found as text.
--
-- The third short cut: one of several leaves, and nobody waits. It rests on this: where there is no queue, handOver() lets in nobody. The
-- other lines stay as they are: one whose end has passed counts for nothing. So does the key's time to live, which was enough for all.
--
-- The fourth: the N holders that the lock's lines name are alive and all have the share N; the first in the queue is alive, has that
-- share, and does not hold the lock. It rests on this: where one of N leaves, that first one fits, and handOver() would choose it;
-- then there are N again, and nobody fits, whatever its share is, since fits() asks for that of each holder, too. The slots of N holders
-- are 0 to N - 1, since each was given the smallest that was free when at most N - 1 others held the lock; so the smallest that is free
-- now is that of the one that leaves. Dead waiters right behind the first one, which handOver() would remove, stay until another script
-- comes to them; they count for nothing.
if shares and sub(value, 13, 14) == '-\n' and sub(ARGV[2], 2, 2) == '|' then
  local find = string.find
  local first = call('LINDEX', KEYS[3], '0')
  local from, at = find(value, '\n' .. sub(ARGV[1], 13), 1, true)
  local time = call('TIME')
  local micros = time[2]
  while #micros < 6 do
    micros = '0' .. micros
  end
  local now = time[1] .. micros
  if not first then
    if not from or (tonumber(sub(value, at + 1, at + 16)) or 0) <= tonumber(now) then
      return 0
    end
    local next = find(value, '\n', at, true)
    local rest = sub(value, 1, from - 1) .. (next and sub(value, next) or '')
    local left = call('PTTL', KEYS[1])
    -- Removed first: after it a full server takes what follows.
    call('DEL', KEYS[1])
    if #rest > 13 then
      call('SET', KEYS[1], rest, 'PX', math.max(left, 1))
    end
    return 1
  end
  local claim, period, spare, channel, owner = string.match(first, '^([^|]*)|(%d+)|(0%d+)|([^|]*)|(.*)$', 74)
  local age, aliveFor = now - (tonumber(sub(first, 1, 16)) or 0), tonumber(sub(first, 35, 39)) or 0
  if from and claim and age < aliveFor * 1000 and #now == 16 and not find(value, '\n' .. claim .. '|', 1, true) then
    local living, to, latest, slot, behind = 0, 14, now
    for start, ends, share, number, next in string.gmatch(value, '()\n[^|\n]*|%d+|(%d+)|%d+|%d+|(%d+)|(%-?%d+)|[^\n]*()') do
      if start ~= to or #ends ~= 16 or ends <= now or '0' .. share ~= spare then
        break
      end
      to, living = next, living + 1
      if start == from then
        slot, behind = number, next
      elseif ends > latest then
        latest = ends
      end
    end
    if slot and to > #value and living == tonumber(spare) then
      local token, last = now, call('GET', KEYS[2])
      if last and (#last ~= 16 or last >= now) then
        token = string.format('%.0f', math.max(now, string.match(last, '^%d+') + 1))
      end
      local told = '0/' .. sub(spare, 2) .. '/' .. slot
      call('LPOP', KEYS[3])
      call('SET', KEYS[1], sub(value, 1, from - 1) .. sub(value, behind) .. '\n' .. claim .. '|' .. token .. '|'
        .. string.format('%016.0f', now + period * 1000) .. '|' .. now .. '|0|' .. sub(spare, 2) .. '|' .. slot .. '|' .. owner,
        'PX', string.format('%.0f', math.max(math.ceil((latest - now) / 1000), period) + 1))
      call('SET', KEYS[2], token, 'PX', '172810000')
      local heard = pcall(redis.set_repl, redis.REPL_NONE) and redis.pcall('PUBLISH', channel,
        table.concat({'granted', token, sub(first, 41, 72), claim, period, told, ARGV[2]}, '|'))
      pcall(redis.set_repl, redis.REPL_ALL)
      if heard ~= 0 or sub(ARGV[2], 1, 1) == '0' then
        return 1
      end
      -- Its token is lost, as in handOver(), and value is what the lock was. If it is alone there, the queue has gone with it.
      if call('LPUSH', KEYS[3], first) == 1 then
        call('PEXPIRE', KEYS[3], string.format('%.0f', 2 * aliveFor + 1000 + math.max(0, -age / 1000)))
      end
    end
  end
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
  -- To count costs; and a waiter that asked within these ten milliseconds is alive, since none is for less than 125 (WaitingRules).
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
      call('SET', KEYS[2], string.format('%.0f', token + spare), 'PX', '172810000')
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
