-- Goes before a script of the user's, on one line with its first; takes its own key and argument, the last ones, away.
-- KEYS[#KEYS]: the newest token that was registered, 19 digits, so that comparing them as text compares them as numbers:
-- as numbers of Lua's, the greatest would lose digits. ARGV[#ARGV]: the token, likewise.
do
  local fence, token = table.remove(KEYS), table.remove(ARGV)
  local newest = redis.call('GET', fence)
  if newest and (#newest ~= 19 or not string.match(newest, '^%d+$')) then
    return redis.error_reply('LEASEHOLD_FENCE the key ' .. fence .. ' holds something that is no fencing token')
  end
  if newest and newest > token then
    return redis.error_reply('LEASEHOLD_STALE ' .. newest)
  end
  if newest ~= token then
    redis.call('SET', fence, token)
  end
end
