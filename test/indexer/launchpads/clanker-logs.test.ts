import t from 'tap'
import { type Address, type Hex, toHex, zeroAddress } from 'viem'
import { parseLog, type RpcLog } from '../../../chain/logs/log.ts'
import { clankerV31 } from '../../../launchpads/clanker/clanker-v31.ts'
import type { RawLog } from '../../support/hostile/logs.ts'
import { clankerV31Events, venueEvents } from '../../support/launchpads/abi.ts'
import { encodeLog } from '../../support/launchpads/emitter.ts'

const weth = '0x4200000000000000000000000000000000000006'
const clanker = '0x2a787b2362021cc3eea3c24c4748a6cd5b687382'
/** Of Base. */
const factory = '0x33128a8fc17869897dce68ed026d694621f6fdfd'
const [token, pool, ann, bob] = [
  '0x8a1bb192f52c476df824355b437396a785d2c1a9',
  '0x493b99538dfad790e16d316e760a5a1d80ce746c',
  toHex(1, { size: 20 }),
  toHex(2, { size: 20 }),
] as const

const logOf = (address: Address, logIndex: number, { topics, data }: RawLog) =>
  parseLog({
    ...{ address, topics: [...topics] as Hex[], data: data as Hex, logIndex: toHex(logIndex) },
    ...{ blockNumber: '0x1', blockHash: toHex(0, { size: 32 }), transactionHash: toHex(7, { size: 32 }) },
  } satisfies RpcLog)

const poolCreated = (logIndex: number, token0: string, token1: string, created: string) =>
  logOf(
    factory,
    logIndex,
    encodeLog(venueEvents, 'PoolCreated', { token0, token1, fee: 10_000, tickSpacing: 200, pool: created }),
  )

const said = {
  ...{ tokenAddress: token, creatorAdmin: ann, interfaceAdmin: bob, creatorRewardRecipient: ann },
  ...{ interfaceRewardRecipient: bob, positionId: 2n ** 256n - 1n, name: 'Yawl\u0000', symbol: 'Y'.repeat(40) },
  ...{ startingTickIfToken0IsNewToken: -230_400, metadata: '{"description":"A yawl"}', amountTokensBought: 0n },
  ...{ vaultDuration: 2n ** 200n, vaultPercentage: 30, msgSender: bob },
}
const launch = (args: Partial<typeof said> = {}) =>
  logOf(clanker, 9, encodeLog(clankerV31Events, 'TokenCreated', { ...said, ...args }))
const uriOf = (args: Partial<typeof said>) => {
  const fact = clankerV31.decode(launch(args), () => [poolCreated(1, weth, token, pool)])
  return fact?.kind === 'create' ? fact.metadataUri : undefined
}

t.test('the pool of a launch is the last one of its token that a factory creates before', (t) => {
  // Words of the transaction of a token of Base, as an explorer shows them.
  const recorded = logOf(factory, 4, {
    topics: [
      '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118',
      '0x0000000000000000000000004200000000000000000000000000000000000006',
      '0x0000000000000000000000008a1bb192f52c476df824355b437396a785d2c1a9',
      toHex(10_000, { size: 32 }),
    ],
    data: `${toHex(200, { size: 32 })}000000000000000000000000493b99538dfad790e16d316e760a5a1d80ce746c`,
  })
  const before = [poolCreated(2, zeroAddress, token, bob), recorded, poolCreated(5, weth, bob, ann)]
  t.match(
    clankerV31.decode(launch(), () => before),
    {
      ...{ kind: 'create', launchpad: clanker, token, creator: ann, quoteToken: weth, pool, curve: null },
      ...{ name: 'Yawl', symbol: 'Y'.repeat(32), totalSupply: null, protocolFeeBps: null, creatorFeeBps: null },
    },
  )
  t.throws(() => clankerV31.decode(launch(), () => [poolCreated(5, weth, bob, ann)]), RangeError, 'of other tokens')
  t.throws(() => clankerV31.decode(launch(), () => []), RangeError)
  t.equal(
    clankerV31.decode(recorded, () => []),
    undefined,
  )
  t.end()
})

t.test('a launch that lacks arguments is rejected', (t) => {
  const { topics, data } = encodeLog(clankerV31Events, 'TokenCreated', said)
  const before = () => [poolCreated(1, weth, token, pool)]
  const decode = (raw: RawLog) => clankerV31.decode(logOf(clanker, 9, raw), before)
  t.doesNotThrow(() => decode({ topics, data }))
  t.throws(() => decode({ topics: topics.slice(0, 3), data }), RangeError)
  t.throws(() => decode({ topics, data: data.slice(0, 2 + 10 * 64) as Hex }), RangeError)
  t.end()
})

t.test('the description becomes a document, unless it does not fit into a URI', (t) => {
  const uri = uriOf({})!
  t.match(uri, /^data:application\/json;base64,/)
  t.same(JSON.parse(Buffer.from(uri.split(',')[1]!, 'base64').toString()), { description: 'A yawl' })
  for (const metadata of ['', 'plain', 'null', '[]', '{}', '{"description":7}', '{"description":"\\u0000 "}'])
    t.equal(uriOf({ metadata }), '', metadata)
  t.equal(uriOf({ metadata: JSON.stringify({ description: 'x'.repeat(2_000) }) }), '')
  t.end()
})
