import t from 'tap'
import { type Address, type Hex, parseEther, toHex, zeroAddress } from 'viem'
import { parseLog, type RpcLog } from '../../../chain/logs/log.ts'
import { fourMeme } from '../../../launchpads/four-meme/four-meme.ts'
import recorded from '../../fixtures/launchpads/four-meme-v2.json' with { type: 'json' }
import { fourMemeV2Events } from '../../support/launchpads/abi.ts'
import { encodeLog } from '../../support/launchpads/emitter.ts'

const MANAGER = '0x5c952063c7fc8610ffdb798152d69f0b9550762b'
const TOKEN = '0x2f0a0f50c71a605704fb729d5fd448789284ffff'
const [FACTORY, WRAPPED, QUOTE] = [1, 2, 3].map((value) => toHex(value, { size: 20 })) as [Address, Address, Address]
const contracts = { needed: FACTORY, wrappedNative: WRAPPED }

const word = (value: bigint | string): string => BigInt(value).toString(16).padStart(64, '0')
const words = (...values: readonly (bigint | string)[]): Hex => `0x${values.map(word).join('')}`
const log = (topics: readonly Hex[], data: Hex) =>
  parseLog({
    ...{
      topics: [...topics],
      data,
      address: MANAGER,
      blockNumber: '0x1',
      blockHash: toHex(0, { size: 32 }),
      logIndex: '0x0',
    },
    transactionHash: toHex(0, { size: 32 }),
  } as RpcLog)
const encode = (name: string, args: Record<string, unknown>) => {
  const { topics, data } = encodeLog(fourMemeV2Events, name, args)
  return log(topics, data)
}
const before = () => []

/** What TokenManager2 answers of a token; later trades change the last words. */
const infoOf = (token: string, quote: string, ...last: bigint[]) =>
  words(token, quote, 7n, parseEther('1000000000'), parseEther('800000000'), parseEther('18'), 9n, ...last)

t.test('a launch on BNB Smart Chain needs what TokenManager2 says, as far as it never changes', (t) => {
  const { topics, data } = recorded[0]!.log
  const launch = log(topics as Hex[], data as Hex)
  t.equal(fourMeme.subjectOf(launch), TOKEN)
  const read = fourMeme.reads!(launch, contracts)!
  t.match(read, { to: MANAGER, data: `0xe684626b${word(TOKEN)}` })
  const kept = read.keep(infoOf(TOKEN, zeroAddress, 1n, 2n, 3n, 4n, 5n, 0n))
  t.equal(kept, read.keep(infoOf(TOKEN, zeroAddress, 10n, 20n, 30n, 40n, 50n, 2n)), 'trades change nothing of it')
  t.match(fourMeme.decode(launch, before, kept!), {
    ...{ kind: 'create', launchpad: MANAGER, token: TOKEN, creator: '0xfd6a82b417e0ced80d5086830a37f6374e27ec4a' },
    ...{ name: /BUTT$/, symbol: /BUTT$/, quoteToken: zeroAddress, totalSupply: parseEther('1000000000') },
    curve: { saleSupply: parseEther('800000000'), targetQuote: parseEther('18') },
  })
  t.throws(() => fourMeme.decode(launch, before, null), RangeError, 'without an answer it has no effect')
  t.equal(read.keep(infoOf(QUOTE, zeroAddress, 1n, 2n, 3n, 4n, 5n, 0n)), undefined, 'of another token')
  t.end()
})

t.test('a graduation needs the pair of the token with its quote asset, or with the wrapped coin', (t) => {
  const graduate = (quote: Address) => encode('LiquidityAdded', { base: TOKEN, offers: 1n, quote, funds: 2n })
  const readOf = (quote: Address) => fourMeme.reads!(graduate(quote), contracts)!
  t.match(readOf(QUOTE), { to: FACTORY, data: `0xe6a43905${word(TOKEN)}${word(QUOTE)}` })
  t.match(readOf(zeroAddress), { data: `0xe6a43905${word(TOKEN)}${word(WRAPPED)}` })
  t.equal(readOf(QUOTE).keep(words(0n)), undefined, 'there is none')
  const pool = readOf(QUOTE).keep(words('0xabc'))!
  t.match(fourMeme.decode(graduate(QUOTE), before, pool), {
    ...{ kind: 'graduate', token: TOKEN, pool: toHex(0xabc, { size: 20 }), liquidity: null },
  })
  t.equal(fourMeme.reads!(graduate(QUOTE), { ...contracts, needed: undefined }), undefined)
  t.end()
})

t.test('trades carry the price of 10^18 base units, and amounts without the fee', (t) => {
  const args = { token: TOKEN, account: QUOTE, price: 5n, amount: 6n, cost: 700n, fee: 7n, offers: 8n, funds: 9n }
  const said = {
    ...{ kind: 'curve-trade', token: TOKEN, trader: QUOTE, recipient: QUOTE, tokenAmount: 6n, protocolFee: 7n },
    ...{ creatorFee: null, virtualQuote: 5n, virtualToken: 10n ** 18n, realQuote: 9n, realToken: 8n },
  }
  t.match(fourMeme.decode(encode('TokenPurchase', args), before), { ...said, side: 'buy', quoteAmount: 707n })
  t.match(fourMeme.decode(encode('TokenSale', args), before), { ...said, side: 'sell', quoteAmount: 693n })
  t.equal(fourMeme.reads!(encode('TokenSale', args), contracts), undefined)
  t.same(fourMeme.decode(encode('TradeStop', { token: TOKEN }), before), { kind: 'completed', token: TOKEN })
  t.end()
})
