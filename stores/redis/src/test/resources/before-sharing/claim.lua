local call, how = redis.call, string.sub(ARGV[5], 1, 7)
local value = how == '2|0|-1|' and call('GET', KEYS[1])
if not value and call('EXISTS', KEYS[1], KEYS[3]) == 0 then
  local time, sub = call('TIME'), string.sub
  local micros = time[2]
  while #micros < 6 do
    micros = '0' .. micros
  end
  local since, spare = time[1] .. micros, ARGV[4]
  local token = since
  local last = call('SET', KEYS[2], since, 'KEEPTTL', 'GET')
  if not last or last >= since or #last ~= #since or spare ~= '0' or sub(last, 1, 9) ~= sub(since, 1, 9) then
    if last and (#last ~= #since or last >= since) then
      token = string.format('%.0f', math.max(since, last + 1))
    end
    call('SET', KEYS[2], string.format('%.0f', token + spare), 'PX', '604810000')
  end
  call('SET', KEYS[1], ARGV[1] .. token .. '|' .. spare .. '|' .. since .. '|' .. ARGV[2], 'PX', ARGV[3])
  return token
end
if how == '1|0|-1|' or how == '2|0|-1|' then
  local sub, terms = string.sub, ARGV[6]
  value = value or call('GET', KEYS[1])
  if value and sub(value, 1, 12) == 'leasehold|1|' and sub(value, 1, #ARGV[1]) ~= ARGV[1] then
    local time = call('TIME')
    local micros = time[2]
    while #micros < 6 do
      micros = '0' .. micros
    end
    local at, aliveFor = time[1] .. micros, sub(terms, 1, 5)
    local first = call('LINDEX', KEYS[3], '0')
    local recent = first and sub(first, 1, 10) == sub(at, 1, 10) and sub(first, 35, 39) == aliveFor and aliveFor >= '01000'
    if #at == 16 and (not first or recent or at - (tonumber(sub(first, 1, 16)) or 0) < (tonumber(sub(first, 35, 39)) or 0) * 1000) then
      local place = call('RPUSH', KEYS[3], at .. '|' .. at .. '|' .. terms)
      if not recent and call('PTTL', KEYS[3]) < aliveFor + 1000 then
        call('PEXPIRE', KEYS[3], 2 * aliveFor + 1000)
      end
      return 'busy|' .. place .. '|' .. (place > 1 and '' or call('PTTL', KEYS[1])) .. '|' .. at .. '||' .. value
    end
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
local function find(id, told)
  if told < 0 then
    return
  end
  local size = redis.call('LLEN', KEYS[3])
  local mark = id .. '|'
  local function among(from, to)
    local some = redis.call('LRANGE', KEYS[3], from, to)
    for i = 1, #some do
      if string.sub(some[i], 74, 73 + #mark) == mark then
        return from + i, some[i]
      end
    end
  end
  local last = math.min(told, size) - 1
  for to = last, 0, -20 do
    local place, entry = among(math.max(0, to - 19), to)
    if place then
      return place, entry
    end
  end
  for from = last + 1, size - 1, 500 do
    local place, entry = among(from, from + 499)
    if place then
      return place, entry
    end
  end
end
local function leaveSilent(now)
  local size = redis.call('LLEN', KEYS[3])
  local from = size > 101 and 1 + now % (size - 100) or 1
  local some = size > 1 and redis.call('LRANGE', KEYS[3], from, from + 99) or {}
  for i = 1, #some do
    local known = waiter(some[i])
    if not (known and known.alive > now) then
      leave(some[i])
    end
  end
end
local function stand(id, enqueue, terms, now, told)
  while true do
    local first = redis.call('LINDEX', KEYS[3], 0)
    if not first then
      break
    end
    local known = waiter(first)
    if known and known.alive > now then
      break
    end
    leave(first)
  end
  local place, entry = find(id, told)
  local known = entry and waiter(entry)
  while entry and not (known and known.alive > now) do
    leave(entry)
    place, entry = find(id, 0)
    known = entry and waiter(entry)
  end
  if known or enqueue then
    local fresh = string.format('%016.0f|%016.0f|', now, known and known.came or now) .. terms
    local aliveFor = string.sub(terms, 1, 5)
    local left = redis.call('PTTL', KEYS[3])
    local lasts = left < aliveFor + 1000 and 2 * aliveFor + 1000 or left
    if place then
      redis.call('PEXPIRE', KEYS[3], lasts)
      redis.call('LSET', KEYS[3], place - 1, fresh)
    else
      place = redis.call('RPUSH', KEYS[3], fresh)
      if left ~= lasts then
        redis.call('PEXPIRE', KEYS[3], lasts)
      end
    end
  end
  if place == 1 then
    leaveSilent(now)
  end
  return place or 0
end
local id, owner, lease, spare = string.sub(ARGV[1], #LAYOUT + 1, -2), ARGV[2], ARGV[3], ARGV[4]
local kind, askRun, told, toTell = string.match(ARGV[5], '^(%d)|(%d)|(-?%d+)|(.*)$')
local now = clock()
local value = redis.call('GET', KEYS[1])
if value then
  if not isTenure(value) and not isForeign(value) then
    return redis.error_reply('LEASEHOLD_LAYOUT ' .. string.sub(value, 1, 16))
  end
  if string.sub(value, 1, #ARGV[1]) == ARGV[1] then
    local holder = tenure(value)
    local left = redis.call('PTTL', KEYS[1])
    if left < tonumber(lease) then
      redis.call('PEXPIRE', KEYS[1], lease)
      left = lease
    end
    return 'granted|' .. holder.token .. '|' .. holder.spare .. '|' .. left
  end
end
if not value then
  local to = news(toTell)
  to.now, to.last, to.asker = now, redis.call('GET', KEYS[2]), id
  local enters, queued = handOver(to)
  if enters then
    local token = nextToken(to.last, now)
    grant(now, token, id, spare, owner, lease)
    if queued then
      leave(queued)
    end
    return token
  end
  value = redis.call('GET', KEYS[1])
end
local place = stand(id, kind ~= '0', ARGV[6], now, tonumber(told))
return 'busy|' .. place .. '|' .. (place > 1 and '' or redis.call('PTTL', KEYS[1])) .. '|' .. integer(now) .. '|'
  .. (askRun == '1' and runId() or '') .. '|' .. value
