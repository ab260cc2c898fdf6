-- Goes on after release-free.lua: the lock is free now, and value is what it was.
if shares then
  local now = clock()
  local readers = readersOf(value, now)
  local reader, place = readerBeginning(readers, ARGV[1])
  local keeps = string.sub(ARGV[2], 2, 2) ~= '|'
  if reader and keeps then
    reader.claim, reader.owner, reader.ends = '', '', now + ARGV[2] * 1000
  elseif reader then
    readers = readerGone(readers, place)
  end
  if readers then
    writeReaders(readers, now)
  end
  if not keeps then
    local to = news(ARGV[2])
    to.now, to.readers = now, readers
    handOver(to)
  end
  return reader and 1 or 0
end
if string.sub(ARGV[2], 2, 2) ~= '|' then
  local kept = tenure(value)
  value = LAYOUT .. '|' .. kept.token .. '|' .. kept.spare .. '|' .. integer(clock()) .. '|'
  redis.call('SET', KEYS[1], value, 'PX', ARGV[2])
else
  handOver(news(ARGV[2]))
end
return 1
