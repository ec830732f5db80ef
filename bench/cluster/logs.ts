import { encodeAbiParameters, parseAbiParameters } from 'viem'
import type { Curve } from '../../chain/curve.ts'
import { initialVirtualToken, totalSupply } from '../../chain/curve.ts'
import { tokenTopics } from '../../chain/token-events.ts'
import { topics } from '../../launchpads/slipway/decode.ts'
import { type Events, FEES, openCurve, TARGET, type Trade } from './market.ts'
import {
  addressOfToken,
  addressOfWallet,
  CONTRACTS,
  creatorOf,
  hashOfBlock,
  hashOfTransaction,
  mix,
  type Shape,
  timeOfBlock,
} from './shape.ts'

/** What filters match. */
export interface LogKey {
  address: string
  topic0: string
  topic1: string
}

/** The logs of a block. Bytes, because many strings would keep the garbage collector busy. */
export interface ServedBlock {
  keys: LogKey[]
  /** The logs as JSON with commas between them. */
  bytes: Buffer
  /** Where each log ends in the bytes. */
  ends: number[]
}

const ZERO = `0x${'0'.repeat(40)}`
const FIRST = ['Moon', 'Golden', 'Tiny', 'Based', 'Lazy', 'Cosmic', 'Happy', 'Baby', 'Mega', 'Lucky', 'Iron', 'Neon']
const SECOND = ['Cat', 'Dog', 'Frog', 'Whale', 'Bear', 'Fox', 'Otter', 'Panda', 'Goat', 'Duck', 'Wolf', 'Owl', 'Toad']
const creation = parseAbiParameters('string, string, string, uint256, uint256, uint256, uint256, uint16, uint16')

const word = (amount: bigint) => amount.toString(16).padStart(64, '0')
const pad = (address: string) => `0x${'0'.repeat(24)}${address.slice(2)}`
const reserves = ({ virtualQuote, virtualToken, realQuote, realToken }: Curve) =>
  word(virtualQuote) + word(virtualToken) + word(realQuote) + word(realToken)

/** Names repeat, as on any launchpad; every third symbol is a token's own. */
export function nameToken(token: number): { name: string; symbol: string } {
  const [first, second] = [FIRST[mix(token) % FIRST.length]!, SECOND[mix(token + 1) % SECOND.length]!]
  const symbol = token % 3 === 0 ? mix(token).toString(36) : token % 3 === 1 ? second : first.slice(0, 2) + second
  return { name: `${first} ${second}${token % 2 === 0 ? ` ${token % 9_973}` : ''}`, symbol: symbol.toUpperCase() }
}

/** Collects the logs of one block, as the contracts emit them. */
export class BlockWriter implements Events {
  readonly #keys: LogKey[] = []
  readonly #texts: string[] = []
  readonly #shape: Shape
  readonly #block: number
  readonly #place: string
  #transaction = -1
  /** The fields that all logs of a transaction have. */
  #origin = ''
  /** The next trade belongs to the transaction of its launch. */
  #isLaunching = false

  constructor(shape: Shape, block: number) {
    this.#shape = shape
    this.#block = block
    const [number, time] = [block, timeOfBlock(shape, block)].map((n) => `0x${n.toString(16)}`)
    this.#place = `"blockNumber":"${number}","blockHash":"${hashOfBlock(block)}","blockTimestamp":"${time}","removed":false`
  }

  finish(): ServedBlock {
    let end = -1
    const ends = this.#texts.map(({ length }) => (end += length + 1))
    return { keys: this.#keys, bytes: Buffer.from(this.#texts.join(), 'latin1'), ends }
  }

  launch(token: number): void {
    this.#begin()
    this.#isLaunching = true
    const [address, creator] = [addressOfToken(token), addressOfWallet(creatorOf(token, this.#shape))]
    this.#transfer(address, ZERO, CONTRACTS.launchpad, totalSupply)
    const { name, symbol } = nameToken(token)
    const uri = `ipfs://${address.slice(2)}`
    const { virtualQuote } = openCurve()
    const { protocolFeeBps, creatorFeeBps } = FEES
    const amounts = [totalSupply, virtualQuote, initialVirtualToken, TARGET] as const
    const data = encodeAbiParameters(creation, [name, symbol, uri, ...amounts, protocolFeeBps, creatorFeeBps])
    this.#write(CONTRACTS.launchpad, [topics.create, pad(address), pad(creator), pad(ZERO)], data)
  }

  trade(trade: Trade): void {
    if (!this.#isLaunching) this.#begin()
    this.#isLaunching = false
    const [address, wallet] = [addressOfToken(trade.token), addressOfWallet(trade.wallet)]
    const { protocolFee, creatorFee } = trade.quote
    const [topic, paid, received] =
      trade.side === 'buy'
        ? [topics.buy, trade.quote.quoteIn, trade.quote.tokenOut]
        : [topics.sell, trade.tokenIn, trade.quote.quoteOut]
    const data = `0x${word(paid)}${word(received)}${word(protocolFee)}${word(creatorFee)}${reserves(trade.curve)}`
    this.#write(CONTRACTS.launchpad, [topic, pad(address), pad(wallet), pad(wallet)], data)
    if (trade.side === 'buy') this.#transfer(address, CONTRACTS.launchpad, wallet, received)
    else this.#transfer(address, wallet, CONTRACTS.launchpad, paid)
  }

  #transfer(token: string, from: string, to: string, amount: bigint): void {
    this.#write(token, [tokenTopics.transfer, pad(from), pad(to)], `0x${word(amount)}`)
  }

  #begin(): void {
    this.#transaction += 1
    this.#origin =
      `${this.#place},"transactionIndex":"0x${this.#transaction.toString(16)}",` +
      `"transactionHash":"${hashOfTransaction(this.#block, this.#transaction)}"`
  }

  #write(address: string, given: readonly string[], data: string): void {
    const index = this.#texts.length.toString(16)
    this.#keys.push({ address, topic0: given[0]!, topic1: given[1]! })
    this.#texts.push(
      `{"address":"${address}","topics":["${given.join('","')}"],"data":"${data}",${this.#origin},"logIndex":"0x${index}"}`,
    )
  }
}
