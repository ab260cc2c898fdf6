-- The short cuts of claim.lua, which tells of ARGV and answer: most claims find a lock that nobody holds or waits for, or
-- are new in the queue of one that is held. What is not reached costs nothing, the definitions in lock.lua included; so
-- these come before them and do without them. A time is kept as text where it need not be counted with, since numbers cost
-- as much as a command; and what is called often has a name of its own, since to find it in its table costs too.
--
-- The first rests on this: where there is neither lock nor queue, nobody can be overtaken, and handOver() would leave the lock to
-- the asker; nothing comes between, since a script runs alone. Two texts of digits that are equally long compare as their
-- numbers do, so where the last token is a smaller text of the same length the time is greater than it, and is the next token.
-- The record of the last token lives for ten seconds longer than it must (TOKEN_LIFE), so it need not be given
-- its time by grants that begin with the same nine digits: they are of the same ten seconds.
--
-- The second rests on this: a claim that names no place has never been sent before (Claim.NEW), so it is not in the queue, unless
-- the message came twice, which find.lua allows for; it is compared with the holder for that, too. Where the first in
-- the queue is alive, or there is none, stand() would remove nobody, and the end of the list is the claim's place.
local call, how = redis.call, string.sub(ARGV[5], 1, 7)
local value = how == '2|0|-1|' and call('GET', KEYS[1])
if not value and call('EXISTS', KEYS[1], KEYS[3]) == 0 then
  local time, sub = call('TIME'), string.sub
  local micros = time[2]
  while #micros < 6 do
    micros = '0' .. micros
  end
  local since, spare = time[1] .. micros, ARGV[4]
  local token = since
  -- To give it its time to live anew costs half as much as all the rest of SET; once in ten seconds is enough.
  local last = call('SET', KEYS[2], since, 'KEEPTTL', 'GET')
  if not last or last >= since or #last ~= #since or spare ~= '0' or sub(last, 1, 9) ~= sub(since, 1, 9) then
    if last and (#last ~= #since or last >= since) then
      token = string.format('%.0f', math.max(since, last + 1))
    end
    call('SET', KEYS[2], string.format('%.0f', token + spare), 'PX', '172810000')
  end
  call('SET', KEYS[1], ARGV[1] .. token .. '|' .. spare .. '|' .. since .. '|' .. ARGV[2], 'PX', ARGV[3])
  return token
end
if how == '1|0|-1|' or how == '2|0|-1|' then
  -- As stand() does it, as the first or behind a first one that is alive. It is new, so it is not looked for.
  local sub, terms = string.sub, ARGV[6]
  value = value or call('GET', KEYS[1])
  if value and sub(value, 1, 12) == 'leasehold|1|' and sub(value, 1, #ARGV[1]) ~= ARGV[1] then
    local time = call('TIME')
    local micros = time[2]
    while #micros < 6 do
      micros = '0' .. micros
    end
    local at, aliveFor = time[1] .. micros, sub(terms, 1, 5)
    local first = call('LINDEX', KEYS[3], '0')
    -- A first one that asked in this very second is alive, if it is to be alive for a second. And if that is as long as this one
    -- is, the queue has been given its time to live in this second: by the first one, or by one before it.
    local recent = first and sub(first, 1, 10) == sub(at, 1, 10) and sub(first, 35, 39) == aliveFor and aliveFor >= '01000'
    if #at == 16 and (not first or recent or at - (tonumber(sub(first, 1, 16)) or 0) < (tonumber(sub(first, 35, 39)) or 0) * 1000) then
      local place = call('RPUSH', KEYS[3], at .. '|' .. at .. '|' .. terms)
      if not recent and call('PTTL', KEYS[3]) < aliveFor + 1000 then
        call('PEXPIRE', KEYS[3], 2 * aliveFor + 1000)
      end
      return 'busy|' .. place .. '|' .. (place > 1 and '' or call('PTTL', KEYS[1])) .. '|' .. at .. '||' .. value
    end
  end
end
