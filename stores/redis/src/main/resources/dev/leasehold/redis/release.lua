-- Goes on after release-free.lua: value is what the lock was, and it is free now, unless several share it.
if shares then
  local now = clock()
  local holders = holdersOf(value, now)
  redis.call('DEL', KEYS[1])
  local holder, place = holderBeginning(holders, ARGV[1])
  local keeps = string.sub(ARGV[2], 2, 2) ~= '|'
  if holder and keeps then
    holder.claim, holder.owner, holder.ends, holder.line = '', '', now + ARGV[2] * 1000, nil
  elseif holder then
    holders = holderGone(holders, place)
  end
  if holders then
    writeHolders(holders, now)
  end
  if not keeps then
    local to = news(ARGV[2])
    to.now, to.holders = now, holders
    handOver(to)
  end
  return holder and 1 or 0
end
if string.sub(ARGV[2], 2, 2) ~= '|' then
  local kept = storedLease(value)
  value = LAYOUT .. '|' .. kept.token .. '|' .. kept.spare .. '|' .. integer(clock()) .. '|'
  redis.call('SET', KEYS[1], value, 'PX', ARGV[2])
else
  handOver(news(ARGV[2]))
end
return 1
