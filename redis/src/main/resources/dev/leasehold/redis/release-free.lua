-- The short cuts of release.lua: most releases leave a lock that nobody waits for, or that goes to the first in the queue.
-- What is not reached costs nothing, the definitions in lock.lua included; so these come before them and do without them.
-- ARGV: the beginning of the value that claim and token make, keep for, whom to tell (see lock.lua). Answers 1 or 0.
local value = redis.call('GET', KEYS[1])
if not value or string.sub(value, 1, #ARGV[1]) ~= ARGV[1] then
  return 0
end
-- What is written first, here and below, only removes: after it the server takes what follows also where it is full.
local claim = ARGV[2] == '0' and redis.call('LPOP', KEYS[3])
if claim then
  -- As handOver() does it for the first in the queue. One that is dead has lost its place; the rest is left to handOver().
  -- The server tells its time with its run.
  local info = redis.call('INFO', 'server')
  local run = string.find(info, '\nrun_id:', 1, true) + 8
  local at = string.find(info, '\nserver_time_usec:', run, true) + 18
  local since = string.match(info, '^%d+', at)
  local alive, period, spare, owner =
    string.match(redis.call('HGET', KEYS[4], claim) or '', '^(%d+)|(%d+)|(%d+)|%d+|(.*)$')
  if alive and since + 0 < alive + 0 then
    local token = since
    local last = redis.call('SET', KEYS[2], token, 'PX', '604800000', 'GET')
    if (last and (#last ~= #since or last >= since)) or spare ~= '0' then
      token = string.format('%.0f', math.max(since, (last or 0) + 1))
      redis.call('SET', KEYS[2], string.format('%.0f', token + spare), 'PX', '604800000')
    end
    local granted = claim .. '|' .. token .. '|' .. spare .. '|' .. since .. '|'
    redis.call('SET', KEYS[1], 'leasehold|1|' .. granted .. owner, 'PX', period)
    local counts, inbox, name = string.match(ARGV[3], '^(%d)|([^|]*)|(.*)$')
    local heard = redis.pcall('PUBLISH', inbox .. string.match(claim, '^[^:]*'),
      'granted|' .. string.sub(info, run, run + 39) .. '|' .. period .. '|' .. granted .. name)
    if heard ~= 0 or counts == '0' then
      redis.call('HDEL', KEYS[4], claim)
      return 1
    end
    -- It keeps its place; its token is lost. The queue may have gone with it, and lives as long as the waiters' hash.
    redis.call('LPUSH', KEYS[3], claim)
    local left = redis.call('PTTL', KEYS[4])
    if left > 0 then
      redis.call('PEXPIRE', KEYS[3], left)
    end
  else
    redis.call('HDEL', KEYS[4], claim)
  end
end
redis.call('DEL', KEYS[1])
if ARGV[2] == '0' and not claim then
  return 1
end
