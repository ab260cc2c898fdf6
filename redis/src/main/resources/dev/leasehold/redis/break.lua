-- ARGV: a token of the run, whom to tell (see lock.lua). Answers 1 or 0.
local value = redis.call('GET', KEYS[1])
if value and isForeign(value) then
  return redis.error_reply('LEASEHOLD_FOREIGN it is held by a client that is not of Leasehold')
end
if areReaders(value) then
  local now = clock()
  local readers, to = readersOf(value, now), news(ARGV[2])
  for place, reader in ipairs(readers and readers.all or {}) do
    if tonumber(ARGV[1]) == tonumber(reader.token) then
      redis.call('DEL', KEYS[1])
      readers = readerGone(readers, place)
      if readers then
        writeReaders(readers, now)
      end
      to.now, to.readers = now, readers
      handOver(to)
      if reader.claim ~= '' then
        tell(channel(to.inbox, reader.claim), 'broken|' .. to.name)
      end
      return 1
    end
  end
  return 0
end
local holder = value and tenure(value)
if not holder or tonumber(ARGV[1]) < tonumber(holder.token)
    or tonumber(ARGV[1]) > holder.token + holder.spare then
  return 0
end
redis.call('DEL', KEYS[1])
local to = news(ARGV[2])
handOver(to)
if holder.claim ~= '' then
  tell(channel(to.inbox, holder.claim), 'broken|' .. to.name)
end
return 1
