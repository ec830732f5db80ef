import { type CommandParser, defineScript } from 'redis'
import type { ConsumeResult, Consumption, KeyedQuota } from './cache.ts'
import { SLOTS } from './quota-memory.ts'

/*
 * The algorithm of quota-memory.ts. Each key is a hash of slot number to units. Uses the Redis clock, so that replica clocks
 * may differ; tests pass their own. Input: time or '', then limit, window and cost of each key. Output: granted, then for each
 * quota the units used, milliseconds until some return, and the slot.
 */
const CONSUME = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local granted = 1
local opened = {}
for i, key in ipairs(KEYS) do
  local slotMs = tonumber(ARGV[3 * i]) / ${SLOTS}
  local slot = math.floor(now / slotMs)
  local used, oldest, gone = 0, nil, {}
  local takings = redis.call('HGETALL', key)
  for at = 1, #takings, 2 do
    local number = tonumber(takings[at])
    if number < slot - ${SLOTS} then
      gone[#gone + 1] = takings[at]
    else
      used = used + tonumber(takings[at + 1])
      if not oldest or number < oldest then oldest = number end
    end
  end
  if #gone > 0 then redis.call('HDEL', key, unpack(gone)) end
  if used + tonumber(ARGV[3 * i + 1]) > tonumber(ARGV[3 * i - 1]) then granted = 0 end
  opened[i] = { used = used, oldest = oldest, slot = slot, slotMs = slotMs }
end
local answer = { granted }
for i, key in ipairs(KEYS) do
  local quota = opened[i]
  if granted == 1 then
    redis.call('HINCRBY', key, string.format('%.0f', quota.slot), ARGV[3 * i + 1])
    redis.call('PEXPIRE', key, math.ceil(${SLOTS + 1} * quota.slotMs))
    quota.used = quota.used + tonumber(ARGV[3 * i + 1])
    quota.oldest = quota.oldest or quota.slot
  end
  answer[#answer + 1] = quota.used
  answer[#answer + 1] = quota.oldest and math.ceil((quota.oldest + ${SLOTS + 1}) * quota.slotMs - now) or 0
  answer[#answer + 1] = quota.slot
end
return answer`

/** Script that consumes all quotas or none in one round trip. In a cluster, its keys must share a hash slot. */
export const consumeScript = (now?: () => number) =>
  defineScript({
    SCRIPT: CONSUME,
    parseCommand(parser: CommandParser, quotas: readonly KeyedQuota[]) {
      parser.pushKeysLength(quotas.map(({ key }) => key))
      parser.push(now ? String(now()) : '')
      for (const { limit, windowMs, cost = 1 } of quotas) parser.push(String(limit), String(windowMs), String(cost))
    },
    transformReply([granted, ...figures]: number[]): ConsumeResult {
      const usages = figures.flatMap((used, at) =>
        at % 3 === 0 ? [{ used, resetMs: figures[at + 1] as number, slot: figures[at + 2] as number }] : [],
      )
      return { granted: granted === 1, usages }
    },
  })

/** Never goes below 0: slot or key may have expired. */
const REFUND = `
local count = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0)
if count > 1 then redis.call('HINCRBY', KEYS[1], ARGV[1], -1) else redis.call('HDEL', KEYS[1], ARGV[1]) end`

/** Script that refunds one unit. */
export const refundScript = () =>
  defineScript({
    SCRIPT: REFUND,
    NUMBER_OF_KEYS: 1,
    parseCommand(parser: CommandParser, { key, slot }: Consumption) {
      parser.pushKey(key)
      parser.push(String(slot))
    },
    transformReply: () => undefined,
  })
