import t, { type Test } from 'tap'
import { type Address, decodeFunctionData, encodeAbiParameters, type Hex, parseAbi, toHex, zeroAddress } from 'viem'
import { uniswapV2FactoryAbi } from '../../../chain/abi/uniswap-v2-factory.ts'
import { Chain } from '../../../chain/rpc/client.ts'
import { resolveContracts } from '../../../indexer/contracts.ts'
import type { TestChain } from '../../support/chain-fixture.ts'
import type { RawLog } from '../../support/hostile/logs.ts'
import { on, result, startHostileNode } from '../../support/hostile/node.ts'
import { fourMemeV2Events } from '../../support/launchpads/abi.ts'
import { deployEmitter, emitLogs, encodeLog } from '../../support/launchpads/emitter.ts'
import { createRandom } from '../../support/seeded-random.ts'
import { startAudited } from '../fixtures/audited.ts'

t.setTimeout(400_000)

const abi = [...parseAbi(['function _tokenInfos(address token) view returns (uint256[13])']), ...uniswapV2FactoryAbi]
const NAMES = ['launchpad', 'rival', 'token', 'other', 'pool', 'fake'] as const
type Name = (typeof NAMES)[number]

interface Terms {
  quote: Address
  sale: bigint
  target: bigint
}

/** A service that follows two contracts of the kind of four.meme that emit any logs; a node answers for them. */
async function startHostile(t: Test) {
  const emitters = {} as Record<Name, Address>
  const terms = new Map<string, Terms>()
  const pairs = new Map<string, Address>()
  const audited = await startAudited(t, {}, async (test: TestChain) => {
    for (const name of NAMES) emitters[name] = await deployEmitter(test)
    const node = await startHostileNode(t, test.anvil.url)
    node.follow(
      on('eth_call', ({ params }) => {
        const [{ data, to }] = params as [{ data: Hex; to: Address }]
        const isAsked = [emitters.launchpad, emitters.rival, test.deployed.uniswapFactory].includes(
          to.toLowerCase() as Address,
        )
        if (!isAsked) return undefined
        const { functionName, args } = decodeFunctionData({ abi, data })
        const token = String(args![0]).toLowerCase() as Address
        if (functionName === 'getPair')
          return result(encodeAbiParameters([{ type: 'address' }], [pairs.get(token) ?? zeroAddress]))
        const { quote, sale, target } = terms.get(token) ?? { quote: zeroAddress, sale: 800n, target: 100n }
        const words = [token, quote, 0, 0, sale, target, 0, 0, 0, 0, 0, 0, 0].map((word) => BigInt(word))
        return result(`0x${words.map((word) => word.toString(16).padStart(64, '0')).join('')}`)
      }),
    )
    const startBlock = Number(test.deployed.startBlock)
    const deployments = [
      ...test.config.deployments,
      { kind: 'four-meme' as const, address: emitters.launchpad, startBlock },
      { kind: 'four-meme' as const, address: emitters.rival, startBlock },
      { kind: 'uniswap-v2-factory' as const, address: test.deployed.uniswapFactory, startBlock },
    ]
    const chain = new Chain([node.url], { retries: 0, timeoutMs: 60_000 })
    const config = { ...test.config, deployments }
    return { ...test, chain, config, contracts: await resolveContracts(chain, config) }
  })
  const { db, node, accounts } = audited
  const [, ann, bob, eve] = accounts as [Address, Address, Address, Address]
  return {
    ...audited,
    ...{ emitters, ann, bob, terms, pairs },
    /** In one transaction, in a block of its own. */
    say: (by: Name, ...logs: RawLog[]) => node.run(emitLogs(eve, emitters[by], logs)),
    readTokens: () => db.selectFrom('readable_token_figures').selectAll().orderBy('created_block').execute(),
    readTrades: () =>
      db.selectFrom('readable_trades').selectAll().orderBy('block_number').orderBy('log_index').execute(),
    /** Emitters have no state to compare with, beyond what the node says. */
    findDifferences: async () =>
      (await audited.findDifferences()).filter((line) => !/ does not answer \w+$| real_(quote|token): /.test(line)),
  }
}

const MOST = 2n ** 128n - 1n
const HUGE = 2n ** 256n - 1n
const create = (token: Address, creator: Address, changes: Record<string, unknown> = {}) =>
  encodeLog(fourMemeV2Events, 'TokenCreate', {
    ...{ creator, token, requestId: HUGE, name: 'n', symbol: 's', totalSupply: 1_000n, launchTime: HUGE },
    ...{ launchFee: HUGE },
    ...changes,
  })
const trade = (name: 'TokenPurchase' | 'TokenSale', token: Address, account: Address, changes: object = {}) =>
  encodeLog(fourMemeV2Events, name, {
    ...{ token, account, price: 5n, amount: 10n, cost: 50n, fee: 1n, offers: 790n, funds: 50n },
    ...changes,
  })
const stop = (token: Address) => encodeLog(fourMemeV2Events, 'TradeStop', { token })
const graduate = (base: Address, changes: object = {}) =>
  encodeLog(fourMemeV2Events, 'LiquidityAdded', { base, offers: HUGE, quote: zeroAddress, funds: HUGE, ...changes })
const cut = ({ topics, data }: RawLog, bytes: number): RawLog => ({ topics, data: data.slice(0, 2 + 2 * bytes) as Hex })
/** The same log with other bits above an address in a word. */
const dirty = ({ topics, data }: RawLog, word: number): RawLog => ({
  topics,
  data: `${data.slice(0, 2 + 64 * word)}${'f'.repeat(24)}${data.slice(2 + 64 * word + 24)}` as Hex,
})

t.test('launches that are incomplete or out of bounds have no effect', async (t) => {
  const { say, emitters, ann, terms, index, readTokens, findDifferences } = await startHostile(t)
  const { token, other } = emitters
  const whole = create(token, ann)
  await say(
    'launchpad',
    create(token, ann, { totalSupply: MOST + 1n }),
    ...[0, 31, 32, 64, 96, 160, 255, 256, 300].map((bytes) => cut(whole, bytes)),
    { topics: [], data: whole.data },
    { topics: whole.topics, data: `0x${'ff'.repeat(320)}` },
  )
  terms.set(other, { quote: toHex(7, { size: 20 }), sale: 1n, target: 1n })
  await say('launchpad', create(other, ann))
  await say('fake', whole)
  await index()
  t.strictSame(await readTokens(), [])
  t.strictSame(await findDifferences(), [])
  await say('launchpad', dirty(dirty(create(token, ann, { totalSupply: MOST, name: '', symbol: '\0' }), 0), 1))
  await say('rival', whole)
  await index()
  t.match(await readTokens(), [{ token, status: 'curve', price: 0, real_quote: '0' }], 'the first one counts')
  t.strictSame(await findDifferences(), [])
})

t.test('trades that are foreign or out of bounds have no effect', async (t) => {
  const { say, emitters, ann, bob, index, readTokens, readTrades, findDifferences } = await startHostile(t)
  const { token, other } = emitters
  const bought = trade('TokenPurchase', token, bob)
  await say('launchpad', bought, create(token, ann))
  await say('rival', bought, trade('TokenSale', token, bob), stop(token))
  await say('fake', bought)
  await say(
    'launchpad',
    ...['price', 'amount', 'cost', 'fee', 'offers', 'funds'].flatMap((name) => [
      trade('TokenPurchase', token, bob, { [name]: MOST + 1n }),
      trade('TokenSale', token, bob, { [name]: HUGE }),
    ]),
    trade('TokenPurchase', token, bob, { cost: MOST }),
    trade('TokenSale', token, bob, { cost: 1n, fee: 2n }),
    trade('TokenPurchase', other, bob),
    ...[0, 32, 64, 255].map((bytes) => cut(bought, bytes)),
    cut(stop(token), 31),
  )
  await index()
  t.strictSame(await readTrades(), [])
  t.match(await readTokens(), [{ token, status: 'curve' }])
  t.strictSame(await findDifferences(), [])
  await say(
    'launchpad',
    trade('TokenPurchase', token, bob, { cost: MOST - 1n, price: MOST, funds: MOST }),
    trade('TokenSale', token, bob, { cost: 2n, fee: 2n, price: 0n, amount: 0n, offers: MOST }),
    dirty(dirty(bought, 0), 1),
    stop(token),
    stop(token),
    bought,
  )
  await index()
  t.match(await readTrades(), [
    { side: 'buy', quote_amount: String(MOST), protocol_fee: '1' },
    { side: 'sell', quote_amount: '0', protocol_fee: '2', price: 0 },
    { side: 'buy', trader: bob, quote_amount: '51' },
    { side: 'buy' },
  ])
  t.match(await readTokens(), [{ status: 'completed', trades_total: 4 }])
  t.strictSame(await findDifferences(), [])
})

t.test('only the first graduation by the launchpad of a token counts, into a pool that no other one has', async (t) => {
  const { say, emitters, ann, pairs, node, index, readTokens, findDifferences } = await startHostile(t)
  const { token, other, pool, fake } = emitters
  pairs.set(token, pool)
  await say('launchpad', graduate(token), create(token, ann))
  await say('rival', graduate(token), create(other, ann))
  await say('launchpad', cut(graduate(token), 96), cut(graduate(token), 127))
  await index()
  t.match(await readTokens(), [{ status: 'curve' }, { status: 'curve' }])
  t.strictSame(await findDifferences(), [])
  await say('launchpad', dirty(graduate(token), 0))
  await index()
  pairs.set(token, fake)
  pairs.set(other, pool)
  await say('launchpad', graduate(token))
  await say('rival', graduate(other))
  await index()
  t.match(await readTokens(), [
    { token, status: 'graduated', pool },
    { token: other, status: 'curve', pool: null },
  ])
  t.strictSame(await findDifferences(), [])
  await node.reorg(3)
  await say('rival', graduate(other))
  await index()
  t.match(await readTokens(), [
    { token, status: 'curve' },
    { token: other, status: 'graduated', pool },
  ])
  t.strictSame(await findDifferences(), [])
})

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)

t.test(`random logs are read as the audit reads them (SEED=${SEED})`, async (t) => {
  const random = createRandom(SEED)
  const { say, emitters, ann, bob, pairs, index, readTrades, findDifferences } = await startHostile(t)
  const { token, other, pool, fake } = emitters
  pairs.set(token, pool)
  pairs.set(other, fake)
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
  const words = [0n, 1n, 31n, 32n, 224n, 256n, MOST, MOST + 1n, HUGE, BigInt(token), BigInt(ann)]
  const kinds = [
    () => create(pick([token, other]), ann),
    () => trade('TokenPurchase', pick([token, other]), bob),
    () => trade('TokenSale', pick([token, other]), bob),
    () => stop(pick([token, other])),
    () => graduate(pick([token, other])),
  ]
  const damage = (log: RawLog): RawLog => {
    const word = random(8)
    const value = pick(words).toString(16).padStart(64, '0')
    return pick([
      () => log,
      () => cut(log, random((log.data.length - 2) / 2)),
      () => ({
        ...log,
        data: `${log.data.slice(0, 2 + 64 * word)}${value}${log.data.slice(2 + 64 * (word + 1))}` as Hex,
      }),
      () => ({ ...log, topics: [...log.topics, toHex(random(9), { size: 32 })] }),
    ])()
  }
  for (let round = 0; round < 40; round++) {
    await say(pick(['launchpad', 'launchpad', 'rival']), ...Array.from({ length: 8 }, () => damage(pick(kinds)())))
    if (random(100) < 30) await index()
  }
  await index()
  t.strictSame(await findDifferences(), [])
  t.ok((await readTrades()).length > 10)
})
