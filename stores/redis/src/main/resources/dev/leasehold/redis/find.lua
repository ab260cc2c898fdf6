-- Where a claim stands in the queue, after lock.lua. told: where it stood when it was told last; 0 if that is not known (a ballot
-- never knows); and -1 if it has not asked before, and is not looked for. Since nobody moves back, but for one whose client did
-- not hear of its grant, it is where it was or not far in front; so a long queue is not read as a whole each time that one of
-- those who wait asks again. A first question that came twice stands there twice. Returns its place, from 1, and what the
-- queue keeps of it.
local function find(id, told)
  if told < 0 then
    return
  end
  local size = redis.call('LLEN', KEYS[3])
  local mark = id .. '|'
  local function among(from, to)
    local some = redis.call('LRANGE', KEYS[3], from, to)
    for i = 1, #some do
      if string.sub(some[i], 74, 73 + #mark) == mark then
        return from + i, some[i]
      end
    end
  end

  local last = math.min(told, size) - 1
  for to = last, 0, -20 do
    local place, entry = among(math.max(0, to - 19), to)
    if place then
      return place, entry
    end
  end
  for from = last + 1, size - 1, 500 do
    local place, entry = among(from, from + 499)
    if place then
      return place, entry
    end
  end
end
