import t from 'tap'
import { HttpRequestError, RpcRequestError } from 'viem'
import { MethodRecord } from '../../chain/rpc/method-record.ts'
import { ContradictionError } from '../../chain/rpc/node-failure.ts'

const http = (status: number) => new HttpRequestError({ url: 'http://node.example', status })
const rpc = (code: number, message: string) =>
  new RpcRequestError({ url: 'http://node.example', body: {}, error: { code, message } })
const RECEIPTS = 'eth_getBlockReceipts'

/** A record of two nodes, with a clock that stands still. */
function start() {
  const clock = { now: 1_000_000 }
  const refusals: string[] = []
  const record = new MethodRecord(
    (node, method, reason) => refusals.push(`${node} ${method} ${reason}`),
    () => clock.now,
  )
  return { clock, refusals, record }
}

t.test('a method is listed as failing for a minute after its last failure, until it is answered', async (t) => {
  const { clock, record } = start()
  record.recordAnswer(0, 'eth_chainId')
  t.same(record.listFailing(0), [], 'a method that never failed is not listed')
  record.recordFailure(0, 'eth_call', http(403))
  record.recordFailure(0, 'eth_getLogs', rpc(-32601, 'no such method'))
  record.recordFailure(1, 'eth_chainId', http(502))
  const failing = ['eth_call (HTTP 403)', 'eth_getLogs (error -32601)']
  t.same(record.listFailing(0), failing)
  clock.now += 60_000
  t.same(record.listFailing(0), failing)
  record.recordFailure(0, 'eth_call', http(403))
  clock.now += 1
  t.same(record.listFailing(0), ['eth_call (HTTP 403)'])
  record.recordAnswer(0, 'eth_call')
  t.same(record.listFailing(0), [])
})

t.test('a request that is pending for five seconds is listed', async (t) => {
  const { clock, record } = start()
  record.recordStart(0, 'eth_call')
  clock.now += 4_999
  t.same(record.listFailing(0), [])
  record.recordStart(0, 'eth_call')
  clock.now += 1
  t.same(record.listFailing(0), ['eth_call (no response for 5 s)'], 'the first of two counts')
  t.same(record.listFailing(1), [])
  record.recordEnd(0, 'eth_call')
  record.recordEnd(0, 'eth_call')
  t.same(record.listFailing(0), [])
  record.recordStart(0, 'eth_call')
  t.same(record.listFailing(0), [], 'a later request starts anew')
})

t.test('an optional method that a node rejects is not offered for ten minutes, or until it responds', async (t) => {
  const { clock, refusals, record } = start()
  record.recordAnswer(0, 'eth_chainId')
  clock.now += 60_000
  record.recordFailure(0, RECEIPTS, http(404))
  t.notOk(record.offers(0, RECEIPTS))
  t.ok(record.offers(1, RECEIPTS), 'the other node does')
  clock.now += 599_999
  t.notOk(record.offers(0, RECEIPTS))
  clock.now += 1
  t.ok(record.offers(0, RECEIPTS))
  record.recordAnswer(0, 'eth_chainId')
  record.recordFailure(0, RECEIPTS, http(404))
  t.same(refusals, [`0 ${RECEIPTS} HTTP 404`], 'a repeated refusal is reported once')
  record.recordAnswer(0, RECEIPTS)
  t.ok(record.offers(0, RECEIPTS))
  record.recordFailure(0, RECEIPTS, http(405))
  t.same(refusals, [`0 ${RECEIPTS} HTTP 404`, `0 ${RECEIPTS} HTTP 405`])
})

t.test('a failure is a rejection only of an optional method, and while the node is known to be up', async (t) => {
  const refused = (method: string, error: unknown, answeredBeforeMs: number | null) => {
    const { clock, record } = start()
    if (answeredBeforeMs !== null) record.recordAnswer(0, 'eth_chainId')
    // Neither another node nor the method itself proves anything.
    record.recordAnswer(1, 'eth_chainId')
    record.recordAnswer(0, method)
    clock.now += answeredBeforeMs ?? 0
    record.recordFailure(0, method, error)
    return !record.offers(0, method)
  }
  t.equal(refused(RECEIPTS, http(404), 60_000), true)
  t.equal(refused(RECEIPTS, http(404), 60_001), false)
  t.equal(refused(RECEIPTS, http(404), null), false)
  t.equal(refused('eth_getLogs', http(404), 0), false)
  for (const error of [http(503), http(429), rpc(-32005, 'busy'), new Error('no route'), new ContradictionError('?')])
    t.equal(refused(RECEIPTS, error, 0), false, error.message)
  t.equal(refused(RECEIPTS, rpc(-32601, 'no such method'), 0), true)
  t.equal(refused(RECEIPTS, rpc(-32000, 'header not found'), 0), false, 'the node does not have the block')
})

t.test('an optional method that keeps failing for a minute while others are answered is not offered', async (t) => {
  const failAt = (times: readonly number[], answeredAt: number | null, error: unknown = http(503)) => {
    const { clock, record } = start()
    const begin = clock.now
    for (const time of times) {
      clock.now = begin + time
      if (answeredAt !== null && answeredAt <= time) {
        clock.now = begin + answeredAt
        record.recordAnswer(0, 'eth_chainId')
        clock.now = begin + time
      }
      record.recordFailure(0, RECEIPTS, error)
    }
    return record.offers(0, RECEIPTS)
  }
  t.equal(failAt([0, 30_000, 60_000], 0), false)
  t.equal(failAt([0, 30_000, 59_999], 0), true, 'not for long enough')
  t.equal(failAt([0, 60_000], 0), true, 'not often enough')
  t.equal(failAt([0, 30_000, 60_000], null), true, 'no other method was answered')
  t.equal(failAt([0, 30_000, 60_000], 0, new ContradictionError('?')), true, 'wrong responses are no refusal')
})
