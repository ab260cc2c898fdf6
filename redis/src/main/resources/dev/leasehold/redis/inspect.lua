-- Looks at one lock, without changing it. Answers {now, value or empty, time left, came, owner, came, owner, …}.
local now = clock()
local seen = {integer(now), redis.call('GET', KEYS[1]) or '', redis.call('PTTL', KEYS[1])}
local queue = redis.call('ZRANGE', KEYS[3], 0, -1, 'WITHSCORES')
for i = 1, #queue, 2 do
  local known = waiter(queue[i])
  if known and known.alive > now then
    seen[#seen + 1] = queue[i + 1]
    seen[#seen + 1] = known.owner
  end
end
return seen
