-- The short cut of withdraw.lua: the claim holds the lock and nobody waits for it; or neither is there at all.
-- It rests on this: where there is no queue, the claim stands nowhere, and nobody is to be given the lock or told of anything; so
-- what is left of the claim is the lock's own key, if its value begins with the claim. An attempt at a quorum that holds the
-- lock is left to withdraw.lua, which has the last token to take back.
if redis.call('EXISTS', KEYS[3]) == 0 then
  local value = redis.call('GET', KEYS[1])
  if not value then
    return 0
  end
  local beginning = 'leasehold|1|' .. ARGV[1] .. '|'
  if not ARGV[3] and string.sub(value, 1, #beginning) == beginning and string.match(value, '^%d+|%d+|%d+|', #beginning + 1) then
    return redis.call('DEL', KEYS[1])
  end
end
