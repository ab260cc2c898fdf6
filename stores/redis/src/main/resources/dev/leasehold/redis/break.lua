-- ARGV: a token of the run, whom to tell (see lock.lua). Answers 1 or 0.
local value = redis.call('GET', KEYS[1])
if value and isForeign(value) then
  return redis.error_reply('LEASEHOLD_FOREIGN it is held by a client that is not of Leasehold')
end
if areHolders(value) then
  local now = clock()
  local holders, to = holdersOf(value, now), news(ARGV[2])
  for place, holder in ipairs(holders and holders.all or {}) do
    if tonumber(ARGV[1]) >= tonumber(holder.token) and tonumber(ARGV[1]) <= holder.token + holder.spare then
      redis.call('DEL', KEYS[1])
      holders = holderGone(holders, place)
      if holders then
        writeHolders(holders, now)
      end
      to.now, to.holders = now, holders
      handOver(to)
      if holder.claim ~= '' then
        tell(channel(to.inbox, holder.claim), 'broken|' .. to.name)
      end
      return 1
    end
  end
  return 0
end
local holder = value and storedLease(value)
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
