-- A ballot: asks the node to accept a token for an attempt.
-- KEYS: those of the lock (see lock.lua), a voucher: 'MARKER:voucher:NAME' (see voucher.lua), or without a NAME where none is asked for. (The
-- marker itself is not sent: each key costs, and masters of a quorum are no cluster, which would have to know it.)
-- ARGV: the value that the lock shall have, lease, the end of the run, 'KIND|ALIVE_FOR|CLAIM_PERIOD|RULES|' and whom to tell,
-- and the token again if it is not the end of its run. RULES are the marker's. SINCE in the value is what the node's clock
-- shows by the client's reckoning: for people only.
-- Answers {what, now, the marker, for how long there is no vote, …}, or 1 alone: 'yes', for as long as was asked.
-- 'yes', the time left, and, where the lock was free, 1 if the voucher is good from now on; 'stale' and the last token; 'far' and
-- the greatest that would be accepted; 'busy', the lock's value, its time left and the place; 'novote'.
local id, token, spare, owner = string.match(ARGV[1], '^leasehold|1|([^|]*)|(%d+)|(%d+)|%d+|(.*)$')
local lease, proposal = ARGV[2], tonumber(token)
local kind, aliveFor, period, rules, toTell = string.match(ARGV[4], '^(%d)|(%d+)|(%d+)|(%d+|%d+|%d)|(.*)$')

local now, seen, noVote, votesFrom = ballotPaper(string.match(KEYS[4], '^(.*):voucher:'), rules)
if noVote > 0 then
  return {'novote', integer(now), seen, noVote}
end

-- The lock first, as in lock.lua.
local function accept(last, before)
  if not redis.call('SET', KEYS[1], ARGV[1] .. '\n' .. before, 'NX', 'PX', lease) then
    error('LEASEHOLD_TYPE')
  end
  redis.call('SET', KEYS[2], integer(math.max(last, proposal + spare)), 'PX', TOKEN_LIFE)
  return {'yes', integer(now), seen, 0, lease, vouch(KEYS[4], seen)}
end

-- A proposal may have been made long ago, and the record of the last token may be older still: what the server came back
-- with. So nothing is accepted that could have been given out before it had its vote.
local half = string.match(rules, '^(%d+)') * 500
local stored = redis.call('MGET', KEYS[1], KEYS[2])
local value = stored[1]
local record = tonumber(stored[2])
local before = stored[2] or ''
local last = math.max(record or now - half, votesFrom - half)
local most = math.max(now + half, last + 1048576) - spare
local holder = value and tenure(value)
if value and not holder and not isForeign(value) then
  return redis.error_reply('LEASEHOLD_LAYOUT ' .. string.sub(value, 1, 16))
end

if holder and holder.claim == id then
  local token = tonumber(holder.token)
  if proposal < token then
    return {'stale', integer(now), seen, 0, integer(math.max(record or 0, token))}
  end
  if proposal > token then
    if proposal > most then
      return {'far', integer(now), seen, 0, integer(most)}
    end
    local rest = string.match(value, '^leasehold|1|[^|]*|%d+|%d+(|.*)$')
    redis.call('SET', KEYS[1], LAYOUT .. id .. '|' .. integer(proposal) .. '|' .. spare .. rest, 'KEEPTTL')
  end
  if not record or proposal + spare > record then
    redis.call('SET', KEYS[2], integer(proposal + spare), 'PX', TOKEN_LIFE)
  end
  local left = redis.call('PTTL', KEYS[1])
  if left < tonumber(lease) then
    redis.call('PEXPIRE', KEYS[1], lease)
    left = lease
  end
  return {'yes', integer(now), seen, 0, left}
end

-- A lease that a majority has just confirmed: only a token that this node knows to be later speaks against it.
if kind == '2' and not value then
  if record and proposal + spare < record then
    return {'stale', integer(now), seen, 0, integer(record)}
  end
  if proposal > most then
    return {'far', integer(now), seen, 0, integer(most)}
  end
  return accept(last, before)
end

if not value then
  local to = news(toTell)
  to.now, to.last, to.asker, to.before = now, stored[2], id, before
  local other, queued = handOver(to)
  if not other then
    if proposal <= last then
      return {'stale', integer(now), seen, 0, integer(last)}
    end
    if proposal > most then
      return {'far', integer(now), seen, 0, integer(most)}
    end
    -- Compared with what was accepted before; what the hand-over has told in vain is only not to be told again.
    local answer = accept(to.last or 0, before)
    if queued then
      leave(queued)
    end
    return answer
  end
  value = redis.call('GET', KEYS[1])
end

local place = kind == '2' and 0 or stand(id, kind == '1', table.concat({string.format('%05d', aliveFor), string.rep('-', 32),
  id, period, spare, channel(news(toTell).inbox, id), owner}, '|'), now, 0)
return {'busy', integer(now), seen, 0, value, redis.call('PTTL', KEYS[1]), place}
