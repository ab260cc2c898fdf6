-- ARGV: claim, whom to tell (see lock.lua), and, for an attempt at a quorum that has failed, 1: it has never been granted the
-- lock and never will be, so the last token is again what it was before the attempt was given the lock here. Nobody else has
-- raised it since but readers beside it, whose tokens stay; why that is safe is told in Attempt. Answers 1 if anything of the
-- claim was there, else 0.
-- Wherever it stands: a first question that came twice stands there twice.
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
local holder = value and storedLease(value)
if holder and holder.claim == ARGV[1] then
  -- Removed first: after it a full server takes what follows.
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
if areHolders(value) then
  local now = clock()
  local holders = holdersOf(value, now)
  local holder, place = holderOf(holders, ARGV[1])
  redis.call('DEL', KEYS[1])
  local to = news(ARGV[2])
  if holder and ARGV[3] then
    table.remove(holders.all, place)
    local record = holders.before
    for _, other in ipairs(holders.all) do
      record = raised(record, other.token)
    end
    writeLast(record)
    to.before = record
    holders = holders.all[1] and holders
  elseif holder then
    holders = holderGone(holders, place)
  end
  if holders then
    writeHolders(holders, now)
  end
  to.now, to.holders = now, holders
  handOver(to)
  return (holder or found == 1) and 1 or 0
end
if found == 1 and not value then
  -- The holder's time is up: the next in the queue comes in now, and need not wait until it asks again.
  local to = news(ARGV[2])
  to.before = ARGV[3] and (redis.call('GET', KEYS[2]) or '')
  handOver(to)
  return 1
end
-- A foreign holder tells nobody of its release; who is first now has to look for it.
local first = PLAIN and found == 1 and redis.call('LINDEX', KEYS[3], 0)
local next = first and waiter(first)
if next then
  tell(next.channel, 'broken|' .. news(ARGV[2]).name)
end
return found
