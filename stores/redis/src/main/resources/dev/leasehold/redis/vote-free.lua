-- The short cut of vote.lua, which tells of KEYS, ARGV and the answer, and of voucher.lua: most ballots find a lock that nobody
-- holds or waits for, on a node that has vouched for its vote within the last second and accepts the proposal. What is not
-- reached costs nothing, so this comes before the definitions in lock.lua. It only reads until all of that is certain;
-- whatever else is the case is left to what follows.
-- It rests on this: the voucher has its form, and the server is a master with the history in the voucher's name, so what the server
-- remembers now has grown from what it remembered when it vouched, by its own doing alone. A client that names a voucher has had
-- it confirmed, and has compared the proposal with what was said then: it could not have been given out before the node had its
-- vote, and is not too far from the node's clock, now less than a second older.
-- Tokens are compared as texts of 16 digits each, since to make a number of one costs as much as a command.
local call = redis.call
local function isTheSameMaster(voucher)
  local _, at = string.find(voucher, ':voucher:', 1, true)
  local info = call('INFO', 'replication')
  return string.find(info, '\nrole:master\r', 1, true)
    and string.find(info, '\nmaster_replid:' .. string.sub(voucher, at + 1, at + 40) .. '\r', 1, true)
end

if string.sub(KEYS[4], -1) ~= ':' and call('EXISTS', KEYS[1], KEYS[3]) == 0
    and redis.pcall('OBJECT', 'ENCODING', KEYS[4]) == 'raw' and isTheSameMaster(KEYS[4]) then
  local record, last = redis.pcall('GET', KEYS[2]), ARGV[3]
  if not record or #record == 16 and record < (ARGV[5] or last) then
    call('SET', KEYS[1], ARGV[1] .. '\n' .. (record or ''), 'PX', ARGV[2])
    -- As in claim-free.lua: its time to live is given to it anew once in ten seconds.
    if record and #last == 16 and string.sub(record, 1, 9) == string.sub(last, 1, 9) then
      call('SETRANGE', KEYS[2], '0', last)
    else
      call('SET', KEYS[2], last, 'PX', '172810000')
    end
    return 1
  end
end
