-- The short cut of withdraw.lua: the claim holds the lock and nobody waits for it; or neither is there at all.
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
