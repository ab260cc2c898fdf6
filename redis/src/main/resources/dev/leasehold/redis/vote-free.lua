-- The short cut of vote.lua, which tells of ARGV and answer, and of marker.lua: most ballots find a lock that nobody holds
-- or waits for, on a node that has had its vote for long and accepts the proposal. What is not reached costs nothing, so
-- this comes before the definitions in lock.lua. It only reads until all of that is certain; whatever else is the case is
-- left to what follows.
-- ARGV[4] is the marker as this node has told it to the client. What follows from its text alone the client has worked out
-- already: it says with ARGV[5] between which times, by the clock of the node, the proposal may be accepted. All of that is
-- worth nothing, and not looked at, unless the marker is that very text now.
-- Of the ids in the marker it looks at one, that of the replication history: while a server is a master, no other process
-- has its history, and it gets another at each start, whatever it loads, at each promotion, and after each time as a
-- replica. So the run is the marker's where the history is. A replica tells of its master's history: hence the role.
-- Times and tokens are compared as texts of 16 digits each, since to make a number of one costs as much as a command.
local call, seen = redis.call, ARGV[4]
if seen ~= '' and call('EXISTS', KEYS[1], KEYS[3]) == 0 then
  local known = call('MGET', KEYS[4], KEYS[2])
  local info = known[1] == seen and call('INFO', 'replication')
  local history = info and string.find(info, '\nmaster_replid:', 1, true)
  if history and string.sub(info, history + 15, history + 54) == string.sub(seen, 54, 93)
      and string.find(info, '\nrole:master\r', 1, true) then
    local time = call('TIME')
    local micros = time[2]
    while #micros < 6 do
      micros = '0' .. micros
    end
    local now = time[1] .. micros
    -- A longer text that begins with the same digits is the greater one.
    if now > ARGV[5] then
      local record, last, token = known[2], ARGV[3], ARGV[6] or ARGV[3]
      if record and #record == 16 and record < token or not record and now < string.sub(ARGV[5], 18, 33) then
        call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
        -- As in claim-free.lua: its time to live is given to it anew once in ten seconds.
        if record and #last == 16 and string.sub(record, 1, 9) == string.sub(last, 1, 9) then
          call('SETRANGE', KEYS[2], '0', last)
        else
          call('SET', KEYS[2], last, 'PX', '604810000')
        end
        return now
      end
    end
  end
end
