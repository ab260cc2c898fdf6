-- A ballot: asks the node to accept a token for an attempt.
-- KEYS: those of the lock (see lock.lua), the marker.
-- ARGV: attempt, owner, lease, spare, proposal, 'KIND|ALIVE_FOR|CLAIM_PERIOD|' and whom to tell, the marker's rules.
-- Answers {what, now, run, for how long there is no vote, …}, or 'yes|…' as one text: 'yes' and the time left; 'stale' and the last token;
-- 'far' and the greatest that would be accepted; 'busy', the lock's value, its time left and the place; 'novote'.
local id, owner, lease, spare, proposal = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
local kind, aliveFor, period, toTell = string.match(ARGV[6], '^(%d)|(%d+)|(%d+)|(.*)$')

local now, run, noVote, votesFrom = ballotPaper(KEYS[5], ARGV[7])
if noVote > 0 then
  return {'novote', integer(now), run, noVote}
end

-- A proposal may have been made long ago, and the record of the last token may be older still: what the server came back
-- with. So nothing is accepted that could have been given out before it had its vote.
local half = string.match(ARGV[7], '^(%d+)') * 500
local stored = redis.call('MGET', KEYS[1], KEYS[2])
local value = stored[1]
local record = tonumber(stored[2])
local last = math.max(record or now - half, votesFrom - half)
local most = math.max(now + half, last + 1048576) - spare
local holder = value and tenure(value)
if value and not holder and not isForeign(value) then
  return redis.error_reply('LEASEHOLD_LAYOUT ' .. string.sub(value, 1, 16))
end

if holder and holder.claim == id then
  local token = tonumber(holder.token)
  if proposal < token then
    return {'stale', integer(now), run, 0, integer(math.max(record or 0, token))}
  end
  if proposal > token then
    if proposal > most then
      return {'far', integer(now), run, 0, integer(most)}
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
  return {'yes', integer(now), run, 0, left}
end

-- A lease that a majority has just confirmed: only a token that this node knows to be later speaks against it.
if kind == '2' and not value then
  if record and proposal + spare < record then
    return {'stale', integer(now), run, 0, integer(record)}
  end
  if proposal > most then
    return {'far', integer(now), run, 0, integer(most)}
  end
  grant(now, integer(proposal), id, spare, owner, lease)
  if proposal + spare < last then
    redis.call('SET', KEYS[2], integer(last), 'PX', TOKEN_LIFE)
  end
  return {'yes', integer(now), run, 0, lease}
end

if not value then
  local to = news(toTell)
  to.now, to.last, to.asker = now, stored[2], id
  local other, queued = handOver(to)
  if not other then
    if proposal <= last then
      return {'stale', integer(now), run, 0, integer(last)}
    end
    if proposal > most then
      return {'far', integer(now), run, 0, integer(most)}
    end
    grant(now, integer(proposal), id, spare, owner, lease)
    if queued then
      leave(id)
    end
    return {'yes', integer(now), run, 0, lease}
  end
  value = redis.call('GET', KEYS[1])
end

local place = kind == '2' and 0 or stand(id, owner, spare, kind == '1', aliveFor, period, now)
return {'busy', integer(now), run, 0, value, redis.call('PTTL', KEYS[1]), place}
