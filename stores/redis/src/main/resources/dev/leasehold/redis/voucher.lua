-- What spares a master half of the work of looking at its ids with every ballot, after marker.lua. A master that has looked, and
-- has its vote, vouches for it to the client that asks: it writes a key that lives for a second, under a name that the client has
-- made up, 'MARKER:voucher:HISTORY:CLIENT:NUMBER'. HISTORY is the id of the replication history that the client knows; the
-- master vouches only if that is its own.
-- A voucher speaks for the memory of the process that wrote it. Two things show that nothing has happened to that memory since:
-- 1. The key is there, in a form that a number has only where it was written as a piece of text. It is sent neither to replicas
--    nor to an append-only file (only its end is). A snapshot may have it, but whatever is loaded, at a start, from a master, or by
--    an operator, gets the form of numbers. So this is the process that wrote it, and it has loaded nothing since. Where a server
--    does not tell such forms apart, nothing is vouched for.
-- 2. The server says that it is a master with the history in the name. Data may also come from elsewhere without being loaded
--    as a whole: from a copy of this master that was promoted, and that this one followed for a moment from where it stood. That
--    gives the master another history, each time, before the first of these data comes; and so does its return.
-- Neither rests on how long such things take: they have been seen to take 4 ms together.
local function form(voucher)
  return redis.pcall('OBJECT', 'ENCODING', voucher)
end

-- Returns 1 if this is vouched for from now on. Comes after what the script writes for the lock, so that a full server has
-- refused that before; and only where ballotPaper() has just said that there is a vote, and what the marker is.
local function vouch(voucher, marker)
  local history = string.match(voucher, ':voucher:(%x+):')
  if not history or not string.find(marker, '-' .. history .. '|', 1, true) or form(voucher) == 'raw'
      or not string.find(redis.call('INFO', 'replication'), '\nrole:master\r', 1, true) then
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
