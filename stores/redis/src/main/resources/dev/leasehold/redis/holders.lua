-- Those who share a lock, after lock.lua. KEYS[1] is then
--   'leasehold|2|BEFORE', and a line 'CLAIM|TOKEN|END|SINCE|SPARE|SHARE|SLOT|OWNER' for each, with an end of its own, of 16 digits
--   where it is written again in its place. The key ends with the last of them, and no earlier.
-- It is one text and not a key for each: so it is there or not as a whole, and a client that looks for the lock of one holder
-- finds it taken. An older client refuses its layout. CLAIM is empty where the lock is kept without a holder. SHARE is 0 for a reader,
-- SLOT -1 for a holder that has none. One whose END has passed is gone, whether its line is still there or not.
-- BEFORE is - on one Redis. On a master of a quorum it is what KEYS[2] would be without those that stand there: what it was when
-- the first of them came, raised by each that has left, but for failed attempts. Others may have raised KEYS[2] while an attempt
-- stood there; so one that has failed leaves the greatest of BEFORE and of those that stay, and not what it found.
-- holders.least is the smallest share of the living; holders.stored is the length of KEYS[1] where it says
-- the same as holders. A holder's line is what KEYS[1] has of it, which is written again as it is; nothing for one that is new or was
-- changed. To take the text apart is most of what a script costs here, and to put a line together costs as much again.
local HOLDERS = 'leasehold|2|'

local function areHolders(value)
  return value and string.sub(value, 1, 12) == HOLDERS
end

-- A share as it is written, as a number that can be compared.
local function shareOf(written)
  return written == 0 and math.huge or written
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

-- Those whose end has not passed; nothing if there is none. What cannot be read is never taken for nobody.
local function holdersOf(value, now)
  local before = string.match(value, '^leasehold|2|([%d|]*)\n') or string.match(value, '^leasehold|2|(-)\n')
  if not before then
    error(unreadable(value))
  end
  local holders = {before = before ~= '-' and before or nil, all = {}, least = math.huge, stored = #value}
  local from = #HOLDERS + #before + 1
  for at, claim, token, ends, since, spare, share, slot, owner, next in string.gmatch(value,
      '()\n([^|\n]*)|(%d+)|(%d+)|(%d+)|(%d+)|(%d+)|(%-?%d+)|([^\n]*)()') do
    if at ~= from then
      break
    end
    from, ends, share = next, tonumber(ends), shareOf(tonumber(share))
    if ends > now then
      holders.all[#holders.all + 1] = {claim = claim, token = token, ends = ends, since = since, spare = spare, share = share,
        slot = slot, owner = owner, line = string.sub(value, at, next - 1)}
      holders.least = share < holders.least and share or holders.least
    else
      holders.stored = false
      if holders.before then
        holders.before = raised(holders.before, token)
      end
    end
  end
  if from <= #value then
    error(unreadable(value))
  end
  return holders.all[1] and holders
end

local function holderOf(holders, claim)
  for place, holder in ipairs(holders and holders.all or {}) do
    if holder.claim == claim then
      return holder, place
    end
  end
end

-- The same by how an exclusive holder's value would begin, which is what a renewal and a release name.
local function holderBeginning(holders, beginning)
  local claim, token = string.match(beginning, '^leasehold|1|([^|]*)|(%d+)|$')
  for place, holder in ipairs(holders and holders.all or {}) do
    if holder.claim == claim and holder.token == token then
      return holder, place
    end
  end
end

-- Whether one more would be within its own share and everybody's.
local function fits(holders, share)
  return not holders or #holders.all < share and #holders.all < holders.least
end

-- The holder whose end lets a share in if nobody renews, of several the one that ends first, and that end; where it would fit
-- now, the first and 0.
local function lastInTheWay(holders, share)
  local left, most = {}, share
  for i, holder in ipairs(holders.all) do
    left[i] = holder
  end
  table.sort(left, function(one, other)
    return one.ends > other.ends
  end)
  -- Those that end last come first, and are beside each other: the first of whom one more would be too many is in the way.
  for i, holder in ipairs(left) do
    most = math.min(most, holder.share)
    if i >= most then
      return holder, holder.ends
    end
  end
  return holders.all[1], 0
end

-- The smallest number that no living holder has; none for a share without slots.
local function freeSlot(holders, share)
  if share == 1 or share == math.huge then
    return '-1'
  end
  local taken, slot = {}, 0
  for _, holder in ipairs(holders and holders.all or {}) do
    taken[tonumber(holder.slot)] = true
  end
  while taken[slot] do
    slot = slot + 1
  end
  return integer(slot)
end

local function lineOf(holder)
  return table.concat({'\n' .. holder.claim, holder.token, string.format('%016.0f', holder.ends), holder.since, holder.spare,
    holder.share == math.huge and '0' or integer(holder.share), holder.slot, holder.owner}, '|')
end

-- What stands for it in an answer or a message, in the place of SPARE.
local function sharedAs(holder)
  return holder.spare .. '/' .. (holder.share == math.huge and '0' or integer(holder.share)) .. '/' .. holder.slot
end

-- The same in the place of KEYS[1]: one of several.
local function valueOf(holder)
  return table.concat({HOLDERS .. holder.claim, holder.token, sharedAs(holder), holder.since, holder.owner}, '|')
end

-- For how long KEYS[1] has to be there. The server counts in milliseconds from the one that has begun.
local function lastsFor(ends, now)
  return integer(math.ceil((ends - now) / 1000) + 1)
end

local function writeHolders(holders, now)
  if not holders then
    redis.call('DEL', KEYS[1])
    return
  end
  local lines, last = {HOLDERS .. (holders.before or '-')}, 0
  for i, holder in ipairs(holders.all) do
    lines[i + 1] = holder.line or lineOf(holder)
    last = holder.ends > last and holder.ends or last
  end
  local text = table.concat(lines)
  redis.call('SET', KEYS[1], text, 'PX', lastsFor(last, now))
  holders.stored = #text
end

-- One more, written. Only its own line is sent to replicas where the others stay as they are. before: what KEYS[2] was, at a quorum.
local function addHolder(holders, holder, before, now)
  holders = holders or {before = before, all = {}, least = math.huge}
  holders.all[#holders.all + 1] = holder
  holders.least = math.min(holders.least, holder.share)
  if holders.stored then
    local lasts = lastsFor(holder.ends, now)
    local line = lineOf(holder)
    redis.call('SETRANGE', KEYS[1], holders.stored, line)
    holders.stored = holders.stored + #line
    if redis.call('PTTL', KEYS[1]) < tonumber(lasts) then
      redis.call('PEXPIRE', KEYS[1], lasts)
    end
  else
    writeHolders(holders, now)
  end
  return holders
end

-- One goes; the rest is not written yet. Nothing if it was the last.
local function withoutHolder(holders, place)
  table.remove(holders.all, place)
  holders.stored, holders.least = false, math.huge
  for _, holder in ipairs(holders.all) do
    holders.least = holder.share < holders.least and holder.share or holders.least
  end
  return holders.all[1] and holders
end

-- One has left, and not as a failed attempt.
local function holderGone(holders, place)
  if holders.before then
    holders.before = raised(holders.before, holders.all[place].token)
  end
  return withoutHolder(holders, place)
end

-- Moves the end of one that stands in value to so many milliseconds from now, unless it is later. Only the end is written, and so
-- sent to replicas. A full server takes PEXPIRE as the first write of a script, and SETRANGE only after it.
-- renew.lua does the same.
local function extendHolder(value, holder, now, milliseconds)
  local ends = now + milliseconds * 1000
  if ends > holder.ends then
    local _, at = string.find(value, '\n' .. holder.claim .. '|' .. holder.token .. '|', 1, true)
    local lasts = lastsFor(ends, now)
    redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), tonumber(lasts)))
    redis.call('SETRANGE', KEYS[1], at, string.format('%016.0f', ends))
    holder.ends, holder.line = ends, nil
  end
  return integer(math.floor((holder.ends - now) / 1000))
end

local function writeLast(record)
  if record == '' then
    redis.call('DEL', KEYS[2])
  else
    redis.call('SET', KEYS[2], record, 'PX', TOKEN_LIFE)
  end
end

-- One that comes in beside the others, not written yet.
local function newHolder(holders, now, token, claim, share, owner, milliseconds)
  return {claim = claim, token = token, ends = now + milliseconds * 1000, since = integer(now), spare = '0', share = share,
    slot = freeSlot(holders, share), owner = owner}
end
