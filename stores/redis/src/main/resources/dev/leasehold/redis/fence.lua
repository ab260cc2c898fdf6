-- Goes before a script of the user's, on one line with its first; takes its own key and argument, the last ones, away.
-- KEYS[#KEYS]: the newest token that was registered, 19 digits, so that comparing them as text compares them as numbers:
-- as numbers of Lua's, the greatest would lose digits. Where readers were registered since the last writer, a bar and the token of
-- that writer, or zeros, follow, so an older client refuses the key. ARGV[#ARGV]: the token, likewise, with an s before it for a reader's.
-- A writer must not be older than anybody, and raises both; a reader not than the last writer, and raises the newest.
do
  local fence, token = table.remove(KEYS), table.remove(ARGV)
  local shares = string.sub(token, 1, 1) == 's'
  token = string.sub(token, -19)
  local record = redis.call('GET', fence)
  local newest, exclusive = string.match(record or '', '^(%d+)|?(%d*)$')
  exclusive = exclusive == '' and newest or exclusive
  if record and not (newest and #newest == 19 and #exclusive == 19) then
    return redis.error_reply('LEASEHOLD_FENCE the key ' .. fence .. ' holds something that is no fencing token')
  end
  local least = record and (shares and exclusive or newest)
  if least and least > token then
    return redis.error_reply('LEASEHOLD_STALE ' .. least)
  end
  if not shares and record ~= token then
    redis.call('SET', fence, token)
  end
  if shares and not (record and newest >= token) then
    redis.call('SET', fence, token .. '|' .. (exclusive or string.rep('0', 19)))
  end
end
