if redis.call('EXISTS', KEYS[3]) == 0 then
  local value = redis.call('GET', KEYS[1])
  if not value then
    return 0
  end
  local beginning = 'leasehold|1|' .. ARGV[1] .. '|'
  if not ARGV[3] and string.sub(value, 1, #beginning) == beginning and string.match(value, '^%d+|%d+|%d+|', #beginning + 1) then
    return redis.call('DEL', KEYS[1])
  end
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
local found, from, mark = 0, 0, ARGV[1] .. '|'
repeat
  local some = redis.call('LRANGE', KEYS[3], from, from + 499)
  from = from + #some
  for _, entry in ipairs(some) do
    if string.sub(entry, 74, 73 + #mark) == mark then
      from = from - leave(entry)
      found = 1
    end
  end
until #some < 500
local value = redis.call('GET', KEYS[1])
local holder = value and tenure(value)
if holder and holder.claim == ARGV[1] then
  redis.call('DEL', KEYS[1])
  local to = news(ARGV[2])
  if ARGV[3] then
    to.before = string.match(value, '\n([%d|]*)$')
    if to.before == '' then
      redis.call('DEL', KEYS[2])
    elseif to.before then
      redis.call('SET', KEYS[2], to.before, 'PX', TOKEN_LIFE)
    end
    to.before = to.before or redis.call('GET', KEYS[2]) or ''
  end
  handOver(to)
  return 1
end
if areReaders(value) then
  local now = clock()
  local readers = readersOf(value, now)
  local reader, place = readerOf(readers, ARGV[1])
  redis.call('DEL', KEYS[1])
  local to = news(ARGV[2])
  if reader and ARGV[3] then
    table.remove(readers.all, place)
    local record = readers.before
    for _, other in ipairs(readers.all) do
      record = raised(record, other.token)
    end
    writeLast(record)
    to.before = record
    readers = readers.all[1] and readers
  elseif reader then
    readers = readerGone(readers, place)
  end
  if readers then
    writeReaders(readers, now)
  end
  to.now, to.readers = now, readers
  handOver(to)
  return (reader or found == 1) and 1 or 0
end
local first = SHARED and found == 1 and redis.call('LINDEX', KEYS[3], 0)
local next = first and waiter(first)
if next then
  tell(next.channel, 'broken|' .. news(ARGV[2]).name)
end
return found
