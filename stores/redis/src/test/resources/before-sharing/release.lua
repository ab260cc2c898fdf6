local call, sub = redis.call, string.sub
local value, shares = call('GET', KEYS[1])
if not value or sub(value, 1, #ARGV[1]) ~= ARGV[1] then
  shares = value and sub(value, 1, 12) == 'leasehold|2|'
  if not shares then
    return 0
  end
end
local free = not shares and sub(ARGV[2], 2, 2) == '|'
local known = free and call('LPOP', KEYS[3])
if known then
  local time = call('TIME')
  local micros = time[2]
  while #micros < 6 do
    micros = '0' .. micros
  end
  local since = time[1] .. micros
  local age = sub(known, 1, 12) == sub(since, 1, 12) and 0 or since - (tonumber(sub(known, 1, 16)) or 0)
  local aliveFor = tonumber(sub(known, 35, 39)) or 0
  local find = string.find
  local afterClaim = find(known, '|', 74, true) or 0
  local afterPeriod = find(known, '|', afterClaim + 1, true) or 0
  local afterSpare = find(known, '|', afterPeriod + 1, true) or 0
  local period, spare = sub(known, afterClaim + 1, afterPeriod - 1), sub(known, afterPeriod + 1, afterSpare - 1)
  local keepsPlace = spare == 's'
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
    local heard = pcall(redis.set_repl, redis.REPL_NONE)
      and redis.pcall('PUBLISH', sub(known, afterSpare + 1, afterChannel - 1),
        'granted|' .. token .. '|' .. sub(known, 41, afterSpare) .. ARGV[2])
    pcall(redis.set_repl, redis.REPL_ALL)
    if heard ~= 0 or sub(ARGV[2], 1, 1) == '0' then
      return 1
    end
    keepsPlace = true
  end
  if keepsPlace and call('LPUSH', KEYS[3], known) == 1 then
    call('PEXPIRE', KEYS[3], string.format('%.0f', 2 * aliveFor + 1000 + math.max(0, -age / 1000)))
  end
end
call('DEL', KEYS[1])
if free and not known then
  return 1
end
local LAYOUT = 'leasehold|1|'
local TOKEN_LIFE = 604810000
local SHARED = string.sub(KEYS[1], 1, 10) ~= 'leasehold:'
local function integer(number)
  return string.format('%.0f', number)
end
local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function infoId(section, name)
  local info = redis.call('INFO', section)
  local at = string.find(info, name, 1, true) + #name
  return string.sub(info, at, at + 39)
end
local function runId()
  return infoId('server', 'run_id:')
end
local function isTenure(value)
  return string.sub(value, 1, 12) == LAYOUT
end
local function tenure(value)
  local claim, token, spare = string.match(value, '^leasehold|1|([^|]*)|(%d+)|(%d+)|%d+|')
  if token then
    return {claim = claim, token = token, spare = spare}
  end
end
local function isForeign(value)
  return SHARED and string.sub(value, 1, 10) ~= 'leasehold|'
end
local function waiter(entry)
  local asked, came, aliveFor, stamp, claim, period, spare, channel, owner =
    string.match(entry, '^(%d+)|(%d+)|(%d+)|([^|]*)|([^|]*)|(%d+)|(%w+)|([^|]*)|(.*)$')
  return asked and {asked = tonumber(asked), alive = asked + aliveFor * 1000, came = came, stamp = stamp, claim = claim,
    period = period, spare = spare, channel = channel, owner = owner}
end
local function leave(entry)
  return redis.call('LREM', KEYS[3], 1, entry)
end
local function grant(now, token, claim, spare, owner, milliseconds)
  local value = LAYOUT .. claim .. '|' .. token .. '|' .. spare .. '|' .. integer(now) .. '|' .. owner
  if not redis.call('SET', KEYS[1], value, 'NX', 'PX', milliseconds) then
    error('LEASEHOLD_TYPE')
  end
  redis.call('SET', KEYS[2], integer(token + spare), 'PX', TOKEN_LIFE)
end
local function lastOf(record)
  return record and tonumber(string.match(record, '^%d+'))
end
local function nextToken(last, now)
  return integer(math.max((last or 0) + 1, now))
end
local function news(argument)
  local counts, inbox, name = string.match(argument, '^(%d)|([^|]*)|(.*)$')
  return {argument = argument, uncounted = counts == '0', inbox = inbox, name = name}
end
local function channel(inbox, claim)
  return inbox .. string.match(claim, '^[^:]*')
end
local function tell(channel, text)
  local receivers = pcall(redis.set_repl, redis.REPL_NONE) and redis.pcall('PUBLISH', channel, text)
  pcall(redis.set_repl, redis.REPL_ALL)
  return type(receivers) ~= 'number' or receivers > 0
end
local READERS = 'leasehold|2|'
local function areReaders(value)
  return value and string.sub(value, 1, 12) == READERS
end
local function raised(record, token)
  local last, exclusive = string.match(record, '^(%d+)|?(%d*)$')
  if last and tonumber(last) >= tonumber(token) then
    return record
  end
  return integer(token) .. '|' .. (exclusive ~= '' and exclusive or last or '0')
end
local function exclusiveOf(record)
  return record and tonumber(string.match(record, '|(%d+)$') or record)
end
local function readersOf(value, now)
  local readers = {before = string.match(value, '^leasehold|2|([^\n]*)'), all = {}}
  for claim, token, ends, since, owner in string.gmatch(value, '\n([^|\n]*)|(%d+)|(%d+)|(%d+)|([^\n]*)') do
    if tonumber(ends) > now then
      readers.all[#readers.all + 1] = {claim = claim, token = token, ends = tonumber(ends), since = since, owner = owner}
    else
      readers.before = raised(readers.before, token)
    end
  end
  return readers.all[1] and readers
end
local function readerOf(readers, claim)
  for place, reader in ipairs(readers and readers.all or {}) do
    if reader.claim == claim then
      return reader, place
    end
  end
end
local function readerBeginning(readers, beginning)
  for place, reader in ipairs(readers and readers.all or {}) do
    if LAYOUT .. reader.claim .. '|' .. reader.token .. '|' == beginning then
      return reader, place
    end
  end
end
local function readerAdded(readers, reader)
  if not readers then
    if redis.call('EXISTS', KEYS[1]) == 1 then
      error('LEASEHOLD_TYPE')
    end
    readers = {before = redis.call('GET', KEYS[2]) or '', all = {}}
  end
  readers.all[#readers.all + 1] = reader
  return readers
end
local function readerGone(readers, place)
  readers.before = raised(readers.before, readers.all[place].token)
  table.remove(readers.all, place)
  return readers.all[1] and readers
end
local function writeReaders(readers, now)
  if not readers then
    redis.call('DEL', KEYS[1])
    return
  end
  local lines, last = {READERS .. readers.before}, 0
  for i, reader in ipairs(readers.all) do
    lines[i + 1] = table.concat({reader.claim, reader.token, integer(reader.ends), reader.since, reader.owner}, '|')
    last = math.max(last, reader.ends)
  end
  redis.call('SET', KEYS[1], table.concat(lines, '\n'), 'PX', integer(math.ceil((last - now) / 1000)))
end
local function writeLast(record)
  if record == '' then
    redis.call('DEL', KEYS[2])
  else
    redis.call('SET', KEYS[2], record, 'PX', TOKEN_LIFE)
  end
end
local function handOver(to)
  local place = 0
  local now
  while true do
    local entry = redis.call('LINDEX', KEYS[3], place)
    if not entry then
      return not to.readers or to.shares
    end
    now = now or to.now or clock()
    local next = waiter(entry)
    local shares = next and next.spare == 's'
    if not next or next.alive <= now then
      leave(entry)
    elseif to.readers and not shares then
      return false
    elseif next.claim == to.asker then
      return true, entry
    else
      local record = redis.call('GET', KEYS[2])
      local token = nextToken(to.last or lastOf(record), now)
      if shares then
        to.readers = readerAdded(to.readers, {claim = next.claim, token = token, ends = now + next.period * 1000,
          since = integer(now), owner = next.owner})
        writeReaders(to.readers, now)
        writeLast(raised(record or '', token))
      else
        grant(now, token, next.claim, next.spare, to.before and next.owner .. '\n' .. to.before or next.owner, next.period)
      end
      local spare = shares and '0' or next.spare
      local text = table.concat({'granted', token, next.stamp, next.claim, next.period, spare, to.argument}, '|')
      if tell(next.channel, text) or to.uncounted then
        leave(entry)
        to.last = nil
        if not shares then
          return false
        end
      else
        if shares then
          table.remove(to.readers.all)
          to.readers = to.readers.all[1] and to.readers
          writeReaders(to.readers, now)
        else
          redis.call('DEL', KEYS[1])
        end
        to.last = token + spare
        place = place + 1
      end
    end
  end
end
if shares then
  local now = clock()
  local readers = readersOf(value, now)
  local reader, place = readerBeginning(readers, ARGV[1])
  local keeps = string.sub(ARGV[2], 2, 2) ~= '|'
  if reader and keeps then
    reader.claim, reader.owner, reader.ends = '', '', now + ARGV[2] * 1000
  elseif reader then
    readers = readerGone(readers, place)
  end
  if readers then
    writeReaders(readers, now)
  end
  if not keeps then
    local to = news(ARGV[2])
    to.now, to.readers = now, readers
    handOver(to)
  end
  return reader and 1 or 0
end
if string.sub(ARGV[2], 2, 2) ~= '|' then
  local kept = tenure(value)
  value = LAYOUT .. '|' .. kept.token .. '|' .. kept.spare .. '|' .. integer(clock()) .. '|'
  redis.call('SET', KEYS[1], value, 'PX', ARGV[2])
else
  handOver(news(ARGV[2]))
end
return 1
