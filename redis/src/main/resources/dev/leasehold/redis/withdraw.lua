-- ARGV: claim, whom to tell (see lock.lua). Answers 1 if anything of the claim was there, else 0.
-- Wherever it stands: a first question that came twice stands there twice.
local found, from, mark = 0, 0, ARGV[1] .. '|'
repeat
  local some = redis.call('LRANGE', KEYS[3], from, from + 499)
  from = from + #some
  for _, entry in ipairs(some) do
    if string.sub(entry, 74, 73 + #mark) == mark then
      from = from - leave(entry)
      found = 1
    end
  end
until #some < 500
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
