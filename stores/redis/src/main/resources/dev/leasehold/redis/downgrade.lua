-- Makes a reader of a writer, renews it, and lets in who fits now. ARGV: the beginning of the value that claim and token make,
-- duration, whom to tell (see lock.lua). Answers the time left, or -1 where this lease is not there. One that shares the lock already is
-- only renewed: a share is only ever loosened, and a permit is none of a writer's. The token stays, and the run with it, since
-- break.lua accepts any token of it.
local now = clock()
local value = redis.call('GET', KEYS[1])
local holders, left
if areHolders(value) then
  holders = holdersOf(value, now)
  local own = holderBeginning(holders, ARGV[1])
  left = own and extendHolder(value, own, now, ARGV[2])
elseif value and string.sub(value, 1, #ARGV[1]) == ARGV[1] then
  local token, spare, since, owner = string.match(value, '^(%d+)|(%d+)|(%d+)|([^\n]*)', #LAYOUT + 1
    + #string.match(ARGV[1], '^leasehold|1|([^|]*|)'))
  left = integer(math.max(redis.call('PTTL', KEYS[1]), tonumber(ARGV[2])))
  local reader = {claim = string.match(ARGV[1], '^leasehold|1|([^|]*)|'), token = token, ends = now + left * 1000, since = since,
    spare = spare, share = math.huge, slot = '-1', owner = owner}
  holders = {all = {reader}, least = math.huge}
  -- A full server takes this as the first write of a script, and SET only after it.
  redis.call('PEXPIRE', KEYS[1], left)
  writeHolders(holders, now)
end
if not left then
  return -1
end
local to = news(ARGV[3])
to.now, to.holders = now, holders
handOver(to)
return tonumber(left)
