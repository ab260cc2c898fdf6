-- Looks at one lock, without changing it. Answers {now, value or empty, time left, and of each that waits came, spare and owner}.
local now = clock()
local seen = {integer(now), redis.call('GET', KEYS[1]) or '', redis.call('PTTL', KEYS[1])}
for _, entry in ipairs(redis.call('LRANGE', KEYS[3], 0, -1)) do
  local known = waiter(entry)
  if known and known.alive > now then
    seen[#seen + 1] = known.came
    seen[#seen + 1] = known.spare
    seen[#seen + 1] = known.owner
  end
end
return seen
