-- ARGV: claim, whom to tell (see lock.lua). Answers 1 if anything of the claim was there, else 0.
local found = 0
local _, entry = find(ARGV[1], 0)
while entry do
  found = 1
  leave(entry)
  _, entry = find(ARGV[1], 0)
end
local value = redis.call('GET', KEYS[1])
local holder = value and tenure(value)
if holder and holder.claim == ARGV[1] then
  redis.call('DEL', KEYS[1])
  handOver(news(ARGV[2]))
  return 1
end
-- A foreign holder tells nobody of its release; who is first now has to look for it.
local first = SHARED and found == 1 and redis.call('LINDEX', KEYS[3], 0)
local next = first and waiter(first)
if next then
  tell(next.channel, 'broken|' .. news(ARGV[2]).name)
end
return found
