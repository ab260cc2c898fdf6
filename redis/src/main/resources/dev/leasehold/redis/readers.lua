-- Those who share a lock on a master of a quorum, after lock.lua. KEYS[1] is then
--   'leasehold|2|BEFORE', and a line 'CLAIM|TOKEN|END|SINCE|OWNER' for each, with an end of its own. The key ends with the last of them.
-- It is one text and not a key for each: so it is there or not as a whole, and whoever looks for the lock of one holder finds
-- it taken. An older client refuses its layout. CLAIM is empty where the lock is kept without a holder.
-- BEFORE is what KEYS[2] would be without those that stand there: what it was when the first of them came, raised by each that
-- has left, but for failed attempts. Others may have raised KEYS[2] while an attempt stood there; so one that has
-- failed leaves the greatest of BEFORE and of those that stay, and not what it found.
local READERS = 'leasehold|2|'

local function areReaders(value)
  return value and string.sub(value, 1, 12) == READERS
end

-- What KEYS[2] is after a token that shares: the last exclusive one stays what it was, or 0 where that is not known.
local function raised(record, token)
  local last, exclusive = string.match(record, '^(%d+)|?(%d*)$')
  if last and tonumber(last) >= tonumber(token) then
    return record
  end
  return integer(token) .. '|' .. (exclusive ~= '' and exclusive or last or '0')
end

-- The end of the last exclusive run, or nothing where nothing is known.
local function exclusiveOf(record)
  return record and tonumber(string.match(record, '|(%d+)$') or record)
end

-- Those whose end has not passed; nothing if there is none.
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

-- The same by how an exclusive holder's value would begin, which is what a renewal and a release name.
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

-- One has left, and not as a failed attempt. Nothing if it was the last.
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
