import t from 'tap'
import { encodeAbiParameters, type Hex, toHex } from 'viem'
import { MAX_AMOUNT } from '../../chain/bounds.ts'
import { dataAmount, dataArray, dataText, parseLog } from '../../chain/logs/log.ts'
import { decodeRaisesLog, raiseEventTopics } from '../../chain/raises-events.ts'
import { encodeEvent, toData, toWord } from '../support/hostile/logs.ts'

const MAX = 2n ** 256n - 1n
const of = (data: Hex, topics: readonly Hex[] = []) =>
  parseLog({
    ...{ address: toHex(1, { size: 20 }), topics: [...topics], data },
    ...{
      blockNumber: '0x1',
      blockHash: toHex(2, { size: 32 }),
      transactionHash: toHex(3, { size: 32 }),
      logIndex: '0x0',
    },
  })

t.test('a text that ends after the data is rejected, and one that ends with them is not', async (t) => {
  for (const text of ['', 'a', 'é'.repeat(16), 'x'.repeat(100)])
    t.equal(dataText(of(encodeAbiParameters([{ type: 'uint8' }, { type: 'string' }], [1, text])), 1), text)
  const text = toHex('x'.repeat(32), { size: 32 }).slice(2)
  const ofLength = (length: unknown) => dataText(of(`${toData(32n, length)}${text}`), 0)
  t.equal(ofLength(31n), 'x'.repeat(31))
  t.equal(ofLength(32n), 'x'.repeat(32))
  for (const length of [33n, 2n ** 64n, MAX]) t.throws(() => ofLength(length), RangeError, String(length))
  t.equal(dataText(of(toData(32n, 0n)), 0), '')
  for (const offset of [33n, 64n, 2n ** 64n, MAX])
    t.throws(() => dataText(of(toData(offset, 0n)), 0), RangeError, String(offset))
})

t.test('an array beyond the data or the maximal length is rejected, and one at the limit is not', async (t) => {
  const read = (words: unknown[], max = 3) => dataArray(of(toData(...words)), 0, max)
  t.same(read([32n, 0n]), [])
  t.same(read([32n, 3n, 7n, 8n, MAX]), [7n, 8n, MAX])
  t.throws(() => read([32n, 3n, 7n, 8n]), RangeError, 'ends after the data')
  for (const length of [4n, 2n ** 64n, MAX]) t.throws(() => read([32n, length, 1n, 2n, 3n, 4n]), RangeError)
  t.equal(read([32n, 4n, 1n, 2n, 3n, 4n], 4).length, 4)
  for (const offset of [33n, 64n, 2n ** 64n, MAX]) t.throws(() => read([offset, 0n]), RangeError, String(offset))
})

t.test('an amount above the largest that can be stored is rejected', async (t) => {
  t.equal(dataAmount(of(toData(0n, MAX_AMOUNT)), 1), MAX_AMOUNT)
  t.throws(() => dataAmount(of(toData(0n, MAX_AMOUNT + 1n)), 1), RangeError)
})

t.test('a vote and the outcome of a raise are rejected above their largest values', async (t) => {
  const wallet = toHex(9, { size: 20 })
  const amounts = { weight: 1n, forVotes: 1n, againstVotes: 0n, abstainVotes: 0n, totalCommitted: 1n }
  const decode = (name: string, changes: Record<string, unknown>) => {
    const { topics, data } = encodeEvent('raises', name, {
      ...{ raiseId: 1n, proposalId: 1n, voter: wallet, caller: wallet, ...amounts, ...changes },
    })
    return decodeRaisesLog(of(data, topics))
  }
  for (const support of [0, 1, 2]) t.match(decode('VoteCast', { support }), { kind: 'vote', support })
  for (const status of [5, 6, 7]) t.match(decode('Finalized', { status }), { succeeded: status === 6 })
  // The encoder accepts no value that its type does not hold, and MAX has no exact number.
  const { topics } = encodeEvent('raises', 'VoteCast', {
    raiseId: 1n,
    proposalId: 1n,
    voter: wallet,
    support: 0,
    ...amounts,
  })
  for (const support of [3n, 256n, MAX_AMOUNT, MAX])
    t.throws(() => decodeRaisesLog(of(toData(support, 1n, 1n, 0n, 0n), topics)), RangeError, `vote ${support}`)
  for (const status of [8n, 256n, MAX_AMOUNT, MAX])
    t.throws(
      () => decodeRaisesLog(of(toData(status, 1n), [raiseEventTopics.finalize, toWord(1n), toWord(wallet)])),
      RangeError,
      `status ${status}`,
    )
})

t.test('a log whose hash, address or topic is of another length is no log', async (t) => {
  const given = {
    transactionHash: `0x${'cd'.repeat(32)}`,
    address: `0x${'ab'.repeat(20)}`,
    topics: [toHex(1, { size: 32 })],
  }
  const parse = (change: Partial<typeof given>) =>
    parseLog({ ...given, ...change, logIndex: '0x1', data: '0x12' } as unknown as Parameters<typeof parseLog>[0])
  t.equal(parse({}).topicCount, 1)
  for (const size of [31, 33]) {
    const error = { name: 'RangeError', message: /^Not hex, or of a wrong length, in 0x/ }
    t.throws(() => parse({ transactionHash: `0x${'cd'.repeat(size)}` }), error)
    t.throws(() => parse({ address: `0x${'ab'.repeat(size - 12)}` }), error)
    t.throws(() => parse({ topics: [toHex(1, { size: 32 }), toHex(1, { size })] }), error)
  }
  t.throws(() => parse({ address: `0x${'zz'.repeat(20)}` }), { name: 'RangeError' })
})
