-- A ballot: asks the node to accept a token for an attempt.
-- KEYS: those of the lock (see lock.lua), the marker.
-- ARGV: the value that the lock shall have, lease, the end of the run, 'KIND|ALIVE_FOR|CLAIM_PERIOD|RULES|' and whom to tell,
-- and the token again if it is not the end of its run. RULES are the marker's. SINCE in the value is what the node's clock
-- shows by the client's reckoning: for people only. The value is of layout 2 for an attempt that shares the lock.
-- Answers {what, now, the marker, for how long there is no vote, …}: 'yes' and the time left; 'stale' and the last token; 'far' and
-- the greatest that would be accepted; 'busy', the lock's value, its time left and the place; 'novote'. Of readers, 'busy' shows the one
-- with the smallest token, and the time left of the last; of a lock that is shut, none.
-- A node that refuses a writer because of readers is shut for new readers for a moment (KEYS[2] with ':shut' behind it): those that come
-- and go would else have one node or another at each moment, and the writer never a majority. Not for those whose turn
-- it is at their gate, since writers stand in that line too.
local layout, id, token, spare, since, owner = string.match(ARGV[1], '^leasehold|(%d)|([^|]*)|(%d+)|(%d+)|(%d+)|(.*)$')
local lease, proposal, shares = ARGV[2], tonumber(token), layout == '2'
local kind, aliveFor, period, rules, toTell = string.match(ARGV[4], '^(%d)|(%d+)|(%d+)|(%d+|%d+|%d)|(.*)$')
local SHUT_FOR = 150

local now, seen, noVote, votesFrom = ballotPaper(KEYS[4], rules)
if noVote > 0 then
  return {'novote', integer(now), seen, noVote}
end

-- A proposal may have been made long ago, and the record of the last token may be older still: what the server came back
-- with. So nothing is accepted that could have been given out before it had its vote.
-- A day at most, so that the record outlives both halves: MarkerRules.halfMicros().
local half = math.min(string.match(rules, '^(%d+)') * 500, 86400000000)
local value, record, known, last, most, holders
local function look()
  value, record = redis.call('GET', KEYS[1]), redis.call('MGET', KEYS[2])[1]
  known = lastOf(record)
  last = math.max(known or now - half, votesFrom - half)
  most = math.max(now + half, last + 1048576) - spare
  holders = areHolders(value) and holdersOf(value, now) or nil
end
look()
if areHolders(value) and not holders then
  redis.call('DEL', KEYS[1])
  value = false
end
local holder = value and storedLease(value)
if value and not holder and not holders and not isForeign(value) then
  return redis.error_reply(unreadable(value))
end

local function stale(least)
  return {'stale', integer(now), seen, 0, integer(least)}
end

local function far()
  return {'far', integer(now), seen, 0, integer(most)}
end

-- The lock first, as in lock.lua.
local function accept(atLeast, before)
  if shares then
    holders = addHolder(holders, {claim = id, token = token, ends = now + lease * 1000, since = since, spare = '0',
      share = math.huge, slot = '-1', owner = owner}, record or '', now)
    writeLast(raised(record or '', math.max(atLeast, proposal)))
    return {'yes', integer(now), seen, 0, lease}
  end
  if not redis.call('SET', KEYS[1], ARGV[1] .. '\n' .. before, 'NX', 'PX', lease) then
    error('LEASEHOLD_TYPE')
  end
  redis.call('SET', KEYS[2], integer(math.max(atLeast, proposal + spare)), 'PX', TOKEN_LIFE)
  return {'yes', integer(now), seen, 0, lease}
end

if holder and holder.claim == id then
  local token = tonumber(holder.token)
  if proposal < token then
    return stale(math.max(known or 0, token))
  end
  if proposal > token then
    if proposal > most then
      return far()
    end
    local rest = string.match(value, '^leasehold|1|[^|]*|%d+|%d+(|.*)$')
    redis.call('SET', KEYS[1], LAYOUT .. id .. '|' .. integer(proposal) .. '|' .. spare .. rest, 'KEEPTTL')
  end
  if not known or proposal + spare > known then
    redis.call('SET', KEYS[2], integer(proposal + spare), 'PX', TOKEN_LIFE)
  end
  local left = redis.call('PTTL', KEYS[1])
  if left < tonumber(lease) then
    redis.call('PEXPIRE', KEYS[1], lease)
    left = lease
  end
  return {'yes', integer(now), seen, 0, left}
end

-- Others may have come since, so a reader that raises its token is compared like one that comes anew; one that repeats is not.
local own = holderOf(holders, id)
if own then
  if proposal < tonumber(own.token) then
    return stale(math.max(known or 0, own.token))
  end
  if proposal > tonumber(own.token) then
    if proposal <= last then
      return stale(last)
    end
    if proposal > most then
      return far()
    end
    own.token = token
  end
  own.ends, own.line = math.max(own.ends, now + lease * 1000), nil
  writeHolders(holders, now)
  writeLast(raised(record or '', proposal))
  return {'yes', integer(now), seen, 0, integer(math.floor((own.ends - now) / 1000))}
end

-- A lease that a majority has just confirmed: only a token that this node knows to be later speaks against it. For a reader that
-- is one that excludes it.
if kind == '2' and (not value or holders and shares) then
  local least = shares and exclusiveOf(record) or not shares and known
  if least and (proposal + spare < least or shares and proposal == least) then
    return stale(least)
  end
  if proposal > most then
    return far()
  end
  return accept(last, record or '')
end

if not value or holders then
  local to = news(toTell)
  to.now, to.asker, to.before, to.holders = now, id, record or '', holders
  to.share = shares and math.huge or 1
  local least, before = last, record or ''
  local enters, queued = handOver(to)
  look()
  least = holders and last or least
  if enters and shares and kind == '0' and redis.call('EXISTS', KEYS[2] .. ':shut') == 1 then
    enters = false
  end
  if enters then
    -- Compared with what was accepted before; what the hand-over has told in vain is only not to be told again.
    if proposal <= least then
      return stale(least)
    end
    if proposal > most then
      return far()
    end
    local answer = accept(known or 0, before)
    if queued then
      leave(queued)
    end
    return answer
  end
end

local left = redis.call('PTTL', KEYS[1])
if holders then
  local first
  for _, holder in ipairs(holders.all) do
    first = first and tonumber(first.token) <= tonumber(holder.token) and first or holder
  end
  value = valueOf(first)
  if kind ~= '2' and not shares then
    redis.call('SET', KEYS[2] .. ':shut', '1', 'PX', SHUT_FOR)
  end
elseif not value then
  left = redis.call('PTTL', KEYS[2] .. ':shut')
end
local place = kind == '2' and 0 or stand(id, kind == '1', table.concat({string.format('%05d', aliveFor), string.rep('-', 32),
  id, period, shares and 's' or spare, channel(news(toTell).inbox, id), owner}, '|'), now, 0)
return {'busy', integer(now), seen, 0, value or '', left, place}
