-- What spares a master to look at its ids with every ballot, after marker.lua. To look costs as much as all the rest of a
-- ballot; so a master that has looked, and has its vote, vouches for it to the client that asks: with a key that lives for a
-- second and has a name that the client has made up for it.
-- A voucher must never outlive the memory for which it was written. So it is one that this process alone can have: written
-- here and sent neither to replicas nor to an append-only file (only its end is); and in a form that a number has only where
-- it was written as a piece of text. A snapshot may have the key, but whatever is loaded, at a start, from a master, or by an
-- operator, gets the form of numbers, and is no voucher. Where a server does not tell such forms apart, nothing is vouched for.
-- Nor is it where data may come from elsewhere without being loaded as a whole: a master to which this one was handed over for
-- a moment would send what it has let run out by a clock of its own. That takes one that has this one's history; so nothing
-- is vouched for by a server that has, or has lately had, a replica, or is one.
local function standsAlone()
  local info = redis.call('INFO', 'replication')
  return string.find(info, '\nrole:master\r', 1, true) and string.find(info, '\nrepl_backlog_active:0\r', 1, true)
end

local function form(voucher)
  return redis.pcall('OBJECT', 'ENCODING', voucher)
end

-- Returns 1 if this is vouched for from now on. Comes after what the script writes for the lock, so that a full server has
-- refused that before; and only where ballotPaper() has just said that there is a vote.
local function vouch(voucher)
  if string.sub(voucher, -1) == ':' or form(voucher) == 'raw' or not standsAlone() then
    return 0
  end
  redis.set_repl(redis.REPL_NONE)
  redis.pcall('SET', voucher, '1', 'PX', 1000)
  local loaded = form(voucher)
  redis.pcall('SETRANGE', voucher, 0, '1')
  local tells = loaded == 'int' and form(voucher) == 'raw'
  if not tells then
    redis.pcall('DEL', voucher)
  end
  redis.set_repl(redis.REPL_ALL)
  return tells and 1 or 0
end
