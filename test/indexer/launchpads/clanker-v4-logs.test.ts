import t from 'tap'
import { type Address, type Hex, toHex, zeroAddress } from 'viem'
import { auditedLaunchpads } from '../../../audit/launchpads/index.ts'
import { parseLog, type RpcLog } from '../../../chain/logs/log.ts'
import { clankerV4 } from '../../../launchpads/clanker/clanker-v4.ts'
import recordings from '../../fixtures/launchpads/clanker-v4.json' with { type: 'json' }
import type { RawLog } from '../../support/hostile/logs.ts'
import { clankerV4Events } from '../../support/launchpads/abi.ts'
import { encodeLog } from '../../support/launchpads/emitter.ts'

const clanker = '0xe85a59c628f7d27878aceb4bf3b35733630083a9'
const weth = '0x4200000000000000000000000000000000000006'
const [token, ann, bob, hook] = [7, 1, 2, 3].map((value) => toHex(value, { size: 20 })) as [Hex, Hex, Hex, Hex]
const pool = toHex(2n ** 255n + 9n, { size: 32 })

const rpcLog = (address: Address, { topics, data }: RawLog): RpcLog => ({
  ...{ address, topics: [...topics] as Hex[], data: data as Hex, logIndex: '0x9', blockNumber: '0x1' },
  ...{ blockHash: toHex(0, { size: 32 }), transactionHash: toHex(7, { size: 32 }) },
})
const decode = (raw: RawLog, address: Address = clanker) => clankerV4.decode(parseLog(rpcLog(address, raw)), () => [])
/** What the oracle reads of the same log. */
const learn = (raw: RawLog) => auditedLaunchpads['clanker-v4']!.learn(rpcLog(clanker, raw), [], null)

const said = {
  ...{ msgSender: bob, tokenAddress: token, tokenAdmin: ann, tokenImage: 'ipfs://yawl', tokenName: 'Yawl\u0000' },
  ...{ tokenSymbol: 'Y'.repeat(40), tokenMetadata: '{"description":"A yawl"}', tokenContext: '{"interface":"x"}' },
  ...{ startingTick: -230_400, poolHook: hook, poolId: pool, pairedToken: weth as Hex, locker: bob, mevModule: bob },
  ...{ extensionsSupply: 2n ** 256n - 1n, extensions: [hook, bob] },
}
const launch = (args: Partial<typeof said> = {}) => encodeLog(clankerV4Events, 'TokenCreated', { ...said, ...args })
const documentOf = (uri: string): unknown => JSON.parse(Buffer.from(uri.split(',')[1]!, 'base64').toString())
const uriOf = (args: Partial<typeof said>) => {
  const fact = decode(launch(args))
  return fact?.kind === 'create' ? fact.metadataUri : undefined
}

t.test('a launch names its token, its pool and what it is paired with', (t) => {
  t.match(decode(launch()), {
    ...{ kind: 'create', launchpad: clanker, token, creator: ann, quoteToken: weth, pool, curve: null },
    ...{ name: 'Yawl', symbol: 'Y'.repeat(32), totalSupply: null, protocolFeeBps: null, creatorFeeBps: null },
  })
  t.match(learn(launch()), { kind: 'launch', token, creator: ann, quoteToken: weth, pool })
  t.match(decode(launch({ pairedToken: zeroAddress })), { quoteToken: zeroAddress })
  t.match(
    decode(launch({ poolId: toHex(1, { size: 32 }) })),
    { pool: toHex(1, { size: 32 }) },
    'with its leading zeros',
  )
  t.equal(decode({ topics: [toHex(1, { size: 32 })], data: '0x' }), undefined)
  t.end()
})

t.test('launches that were recorded on Base decode; one of another launchpad has another address', (t) => {
  const [own, other] = recordings.map(({ log }) => decode(log as RawLog, log.address as Address))
  t.match(own, {
    ...{ kind: 'create', launchpad: clanker, token: '0x7533c2b35899d247837ca604cdf7931df015bfd1', quoteToken: weth },
    ...{ name: 'CANCER PATIENT DOGE', symbol: 'CANCERDOGE', creator: '0xfc426dfeae55dae2f936a592450c9ecea87a5736' },
    pool: '0xf532cabe0219812826c4aaeba4c3b4db586529e065880e307acb58976ae9d5d3',
  })
  t.match(documentOf((own as { metadataUri: string }).metadataUri), { image: /^https:/, description: /DOGE/ })
  t.match(other, { name: 'ScribbleCoin', launchpad: '0x04f1a284168743759be6554f607a10cebdb77760' })
  t.not((other as { launchpad: string }).launchpad, clanker)
  t.end()
})

t.test('a launch that lacks a part of its arguments is rejected, by the audit as well', (t) => {
  const { topics, data } = launch()
  t.doesNotThrow(() => decode({ topics, data }))
  t.ok(learn({ topics, data }))
  const words = (data.length - 2) / 64
  for (let count = 0; count < words; count++) {
    const cut = { topics, data: data.slice(0, 2 + count * 64) as Hex }
    t.throws(() => decode(cut), RangeError, `${count} of ${words} words`)
    t.equal(learn(cut), undefined)
  }
  for (const some of [topics.slice(0, 2), topics.slice(0, 1)]) {
    t.throws(() => decode({ topics: some, data }), RangeError)
    t.equal(learn({ topics: some, data }), undefined)
  }
  t.end()
})

t.test('the description and the image become a document, as far as they fit into a URI', (t) => {
  t.same(documentOf(uriOf({})!), { description: 'A yawl', image: 'ipfs://yawl' })
  t.same(documentOf(uriOf({ tokenMetadata: 'plain' })!), { image: 'ipfs://yawl' })
  t.same(documentOf(uriOf({ tokenMetadata: JSON.stringify({ description: 'x'.repeat(2_000) }) })!), {
    image: 'ipfs://yawl',
  })
  t.equal(uriOf({ tokenMetadata: '', tokenImage: ' \u0000' }), '')
  t.equal(uriOf({ tokenImage: 'x'.repeat(3_000), tokenMetadata: '{}' }), '')
  t.end()
})
