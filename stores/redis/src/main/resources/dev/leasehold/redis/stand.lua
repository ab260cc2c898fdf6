-- Removes waiters that have been silent for too long from behind a living first one, which asks. While a lock is held for
-- days, dead waiters would pile up. Of a long queue it looks at a hundred; the clock chooses which.
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

-- Standing in line, after lock.lua and find.lua. Waiters that have been silent for too long have lost their places: those in
-- front, so that the first living one knows that it is the first; and the one that asks. Returns the place, or 0, and the share
-- of one that stood there already.
-- terms: what the queue keeps of a waiter, without ASKED and CAME. told: see find.lua.
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
    -- The share of its first arrival stays.
    local kept = known and known.spare
    if kept and shareIn(kept) ~= waiter('0|0|' .. terms).share then
      terms = string.gsub(terms, '^(%d+|[^|]*|[^|]*|%d+|)%w+', '%1' .. (shareIn(kept) > 1 and kept or '0'))
    end
    local fresh = string.format('%016.0f|%016.0f|', now, known and known.came or now) .. terms
    -- For twice as long as it must last, so that most of those who come need not make it last longer; and for a second more,
    -- because those who come in the same second do not look (claim-free.lua).
    local aliveFor = string.sub(terms, 1, 5)
    local left = redis.call('PTTL', KEYS[3])
    local lasts = left < aliveFor + 1000 and 2 * aliveFor + 1000 or left
    if place then
      -- A full server takes this as the first write of a script, and LSET only after it: who waits keeps its place there, too.
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
  return place or 0, known and known.share
end
