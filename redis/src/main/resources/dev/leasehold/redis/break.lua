-- ARGV: a token of the run, inbox, counts, name. Answers 1 or 0.
local value = redis.call('GET', KEYS[1])
if value and isForeign(value) then
  return redis.error_reply('LEASEHOLD_FOREIGN it is held by a client that is not of Leasehold')
end
local holder = value and tenure(value)
if not holder or tonumber(ARGV[1]) < tonumber(holder.token)
    or tonumber(ARGV[1]) > holder.token + holder.spare then
  return 0
end
redis.call('DEL', KEYS[1])
handOver({inbox = ARGV[2], uncounted = ARGV[3] == '0', name = ARGV[4]})
if holder.claim ~= '' then
  tell('broken', ARGV[2], holder.claim, ARGV[4])
end
return 1
