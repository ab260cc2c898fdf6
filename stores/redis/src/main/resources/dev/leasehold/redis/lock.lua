-- What the scripts of one lock share; each script begins with this. Keys, always in this order:
--   KEYS[1] the lock: 'leasehold|1|CLAIM|TOKEN|SPARE|SINCE|OWNER', with its own time to live; CLAIM is empty where the
--           lock is kept without a holder. On a master of a quorum what an attempt was given ends with a line break, and what
--           KEYS[2] was before, or nothing if there was nothing
--           Where several share it, it is as holders.lua tells
--   KEYS[2] last, the end of the run of the last grant. On a master of a quorum 'LAST|EXCLUSIVE' where the last exclusive
--           grant was before it
--   KEYS[3] the queue: a list of waiters in the order in which they came, each as
--           'ASKED|CAME|ALIVE_FOR|STAMP|CLAIM|PERIOD|SPARE|CHANNEL|OWNER'. It last asked at ASKED, and is alive for ALIVE_FOR
--           from then on. STAMP is what its client wrote on that question, and is told with the grant as it is; CHANNEL is
--           where. For a claim that shares the lock, SPARE is 0 and the share, 0 again for a reader ('05', '00'), and on a
--           master of a quorum s. (A client that knows of no shares makes it an exclusive holder.) The first four have fixed
--           lengths of 16, 16, 5, and 32, since to find a part by its place costs much less than by a pattern
-- Times of day are in microseconds and, like tokens, below 2^53, so Lua's doubles hold them exactly; as text they go
-- through integer() alone, since tostring() keeps 14 digits. Durations are in milliseconds.

local LAYOUT = 'leasehold|1|'
-- Two days, which is more than a clock is set by for a time zone, there and back, and the ten seconds in which the short cuts do
-- not begin them anew.
local TOKEN_LIFE = 172810000

-- Under a bare name the lock is shared with clients of other kinds, whose values are anything.
local PLAIN = KEYS[2] ~= KEYS[1] .. ':token'

local function integer(number)
  return string.format('%.0f', number)
end

local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

local function isStoredLease(value)
  return string.sub(value, 1, 12) == LAYOUT
end

-- The error for a value that cannot be read. It may be anything, and an error is one line.
local function unreadable(value)
  return 'LEASEHOLD_LAYOUT ' .. string.gsub(string.sub(value, 1, 16), '%c', ' ')
end

-- Takes the lock's value apart. Nothing if it is not one of this layout.
local function storedLease(value)
  local claim, token, spare = string.match(value, '^leasehold|1|([^|]*)|(%d+)|(%d+)|%d+|')
  if token then
    return {claim = claim, token = token, spare = spare}
  end
end

local function isForeign(value)
  return PLAIN and string.sub(value, 1, 10) ~= 'leasehold|'
end

-- The share that is written in the place of SPARE.
local function shareIn(spare)
  if spare == 's' then
    return math.huge
  end
  local share = tonumber(string.match(spare, '^0(%d+)$') or 1)
  return share > 0 and share or math.huge
end

-- Takes what the queue keeps of a waiter apart. Nothing if it is not of this layout.
local function waiter(entry)
  local asked, came, aliveFor, stamp, claim, period, spare, channel, owner =
    string.match(entry, '^(%d+)|(%d+)|(%d+)|([^|]*)|([^|]*)|(%d+)|(%w+)|([^|]*)|(.*)$')
  return asked and {asked = tonumber(asked), alive = asked + aliveFor * 1000, came = came, stamp = stamp, claim = claim,
    period = period, spare = spare, share = shareIn(spare), channel = channel, owner = owner}
end

local function leave(entry)
  return redis.call('LREM', KEYS[3], 1, entry)
end

local function grant(now, token, claim, spare, owner, milliseconds)
  local value = LAYOUT .. claim .. '|' .. token .. '|' .. spare .. '|' .. integer(now) .. '|' .. owner
  if not redis.call('SET', KEYS[1], value, 'NX', 'PX', milliseconds) then
    error('LEASEHOLD_TYPE')
  end
end

-- The last token of what KEYS[2] says, or nothing.
local function lastOf(record)
  return record and tonumber(string.match(record, '^%d+'))
end

local function nextToken(last, now)
  return integer(math.max((last or 0) + 1, now))
end

-- What an argument says about telling clients: 'COUNTS|INBOX|NAME', one argument instead of three because each costs.
local function news(argument)
  local counts, inbox, name = string.match(argument, '^(%d)|([^|]*)|(.*)$')
  return {argument = argument, uncounted = counts == '0', inbox = inbox, name = name}
end

local function channel(inbox, claim)
  return inbox .. string.match(claim, '^[^:]*')
end

-- Tells a client something; returns whether it can have heard it. Never fails: what was written before stays written.
-- Only those who listen here are told, and not through replicas, as Redis would have it: nobody counts who listens there, and
-- one whose inbox was left at a master of the past would believe in a grant that goes to the next, as it was not heard here.
-- set_repl is no command, so redis.pcall does not catch its errors: a server that does not know it or refuses it, as one that
-- replicates scripts and not what they do, would end the script between what it has written and its answer. Where it fails
-- nothing is told, since it would reach the replicas, and the waiter finds its grant by asking. Where it has not failed, it does
-- not the second time, since it was asked for the same.
local function tell(channel, text)
  local receivers = pcall(redis.set_repl, redis.REPL_NONE) and redis.pcall('PUBLISH', channel, text)
  pcall(redis.set_repl, redis.REPL_ALL)
  return type(receivers) ~= 'number' or receivers > 0
end
