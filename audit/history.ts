import { sql, type Transaction } from 'kysely'
import { zeroAddress } from 'viem'
import { formatUsd } from '../chain/amounts.ts'
import { dataHex, type RpcLog } from '../chain/logs/log.ts'
import type { Chain } from '../chain/rpc/client.ts'
import { FilterChoice } from '../chain/rpc/filter-choice.ts'
import { toBytes } from '../db/hex.ts'
import type { Database } from '../db/schema.ts'
import { unpackLogs } from '../indexer/engine/pack-logs.ts'
import type { ArchivedRanges } from './archived.ts'
import type { AuditedContracts } from './audited-contracts.ts'
import { compareHistoryRows } from './compare-history-rows.ts'
import {
  type AuditedBlock,
  type AuditedLaunch,
  type AuditedPool,
  lower,
  makeExpected,
  wasLaunchedBy,
} from './expected.ts'
import type { Findings, Row } from './findings.ts'
import { auditedLaunchpads } from './launchpads/index.ts'
import { expectBlock } from './oracle.ts'
import { PriceOracle } from './price-oracle.ts'
import { expectRaisesLogs } from './raises-oracle.ts'
import { BlockWorth, findQuote } from './rates.ts'
import { expectStakingLogs } from './staking-oracle.ts'
import { answerTopic, configuredTopics, createdTopics, heldTopics, transferTopic, uriTopic } from './topics.ts'
import { auditedVenues, findVenueSharing } from './venues/index.ts'
import { expectTransfers, WalletSums } from './wallets-oracle.ts'

const FIRST_RANGE = 1_000
const MAX_RANGE = 10_000
const TARGET_LOGS = 10_000

/** The results that the audit of single tokens needs. */
export interface History {
  tokens: number
  logs: number
  lpBurned: Map<string, bigint>
  wallets: WalletSums
}

interface AuditedRange {
  from: number
  to: number
}

/** The number of blocks of the next range, after one of `blocks` with so many logs: dense ranges would fill the memory. */
export function nextRange(blocks: number, logs: number): number {
  if (logs * 2 < TARGET_LOGS) return Math.min(MAX_RANGE, blocks * 2)
  return logs > TARGET_LOGS ? Math.max(1, Math.floor(blocks / 2)) : blocks
}

/**
 * Fetches all indexed logs again, range by range, and compares them with the stored logs, and the expected rows with
 * the stored rows.
 */
export class HistoryAudit {
  readonly #trx: Transaction<Database>
  readonly #chain: Chain
  readonly #contracts: AuditedContracts
  readonly #findings: Findings
  readonly #archived: ArchivedRanges
  readonly #wallets = new WalletSums()
  readonly #tokens = new Map<string, AuditedLaunch>()
  /** Unique creations, with the position of the first event. */
  readonly #first = new Map<string, string>()
  readonly #pools = new Map<string, AuditedPool>()
  readonly #lpBurned = new Map<string, bigint>()
  /** The answers in contract_reads in the range, by block/logIndex. */
  #answers: ReadonlyMap<string, string | null> = new Map()
  readonly #filters = new FilterChoice()
  #prices = PriceOracle.none
  #logs = 0

  constructor(
    { trx, chain, findings }: { trx: Transaction<Database>; chain: Chain; findings: Findings },
    contracts: AuditedContracts,
    archived: ArchivedRanges,
  ) {
    this.#trx = trx
    this.#chain = chain
    this.#contracts = contracts
    this.#findings = findings
    this.#archived = archived
  }

  async run(checkpoint: number, onProgress: (block: number) => void): Promise<History> {
    const { startBlock } = this.#contracts
    this.#prices = await PriceOracle.open(this.#chain, this.#contracts, Math.max(startBlock - 1, 0))
    let range = FIRST_RANGE
    for (let from = startBlock; from <= checkpoint; ) {
      const to = Math.min(from + range - 1, checkpoint)
      const logs = await this.#fetchLogs({ from, to })
      await this.#compareRange({ from, to }, logs)
      this.#logs += logs.length
      onProgress(to)
      from = to + 1
      range = nextRange(range, logs.length)
    }
    await this.#compareEmptyBlocks()
    await this.#archived.compare(this.#trx, this.#findings)
    return { tokens: this.#tokens.size, logs: this.#logs, lpBurned: this.#lpBurned, wallets: this.#wallets }
  }

  async #readAnswers({ from, to }: AuditedRange): Promise<void> {
    const { rows } = await sql<{ block_number: number; log_index: number; answer: string | null }>`
      select block_number, log_index, answer from contract_reads
      where block_number >= ${from} and block_number <= ${to}`.execute(this.#trx)
    this.#answers = new Map(rows.map((row) => [`${row.block_number}/${row.log_index}`, row.answer]))
  }

  #answerOf({ blockNumber, logIndex }: RpcLog): string | null {
    return this.#answers.get(`${Number(blockNumber)}/${Number(logIndex)}`) ?? null
  }

  async #fetchLogs(range: AuditedRange): Promise<RpcLog[]> {
    await this.#readAnswers(range)
    const { launchpads, staking, raises } = this.#contracts
    const named = [...launchpads.keys()].filter((address) => !this.#holdsPools(address))
    const platform = await this.#chain.getLogs({
      address: [...named, ...staking, ...raises, ...this.#prices.emitters],
      topics: configuredTopics,
      range,
    })
    for (const own of Map.groupBy(platform, ({ transactionHash }) => transactionHash).values())
      for (const log of own) this.#learn(log, own)
    const held = await this.#fetchHeld(range)
    const whole = [...platform, ...held].filter((log) => this.#isConcerned(log))
    const priced = await this.#fetchPrices(range)
    const contracts = [...this.#pools].flatMap(([address, { manager }]) => (manager === null ? [address] : []))
    const own = await this.#fetchCreated([...this.#tokens.keys(), ...contracts], range)
    return sortLogs([...whole, ...own, ...priced.filter((log) => !this.#isOurs(log))])
  }

  /** The logs of tokens and of pools that are contracts. */
  async #fetchCreated(ours: readonly string[], range: AuditedRange): Promise<RpcLog[]> {
    const readAll = async (some: AuditedRange) => {
      const logs = await this.#chain.getLogs({ topics: createdTopics, range: some })
      const own = logs.filter((log) => this.#isOurs(log))
      return { own, others: logs.length - own.length }
    }
    if (await this.#filters.isNaming(ours.length, range, async (sample) => (await readAll(sample)).others)) {
      const logs = await this.#chain.getLogs({ address: ours, topics: createdTopics, range })
      return logs.filter((log) => this.#isOurs(log))
    }
    const { own, others } = await readAll(range)
    this.#filters.learn(range, others)
    return own
  }

  /** The logs of the pools that are routes of quote assets. */
  async #fetchPrices(range: AuditedRange): Promise<RpcLog[]> {
    const { pools } = this.#prices
    return pools.length === 0 ? [] : this.#chain.getLogs({ address: pools, topics: createdTopics, range })
  }

  /** The logs of pools that other contracts hold. */
  async #fetchHeld(range: AuditedRange): Promise<RpcLog[]> {
    const ids = [...this.#pools].flatMap(([id, { manager }]) => (manager === null ? [] : [id]))
    if (ids.length === 0) return []
    const address = [...this.#contracts.launchpads.keys()].filter((contract) => this.#holdsPools(contract))
    return this.#chain.getLogs({ address, topics: heldTopics, topic1: ids, range })
  }

  #findVenue(address: string) {
    return findVenueSharing(this.#contracts.launchpads.get(address))
  }

  #isShared(address: string): boolean {
    return this.#findVenue(address) !== undefined
  }

  #holdsPools(address: string): boolean {
    return this.#findVenue(address)?.[1].shared?.holdsPools === true
  }

  /** The first configured contract that holds the pools of a venue. */
  #managerOf(venue: string): string | null {
    const own = auditedVenues[venue]?.shared
    if (!own?.holdsPools) return null
    return [...this.#contracts.launchpads].find(([, kind]) => kind === own.deployment)?.[0] ?? null
  }

  /** A log of a contract that pools share is indexed if it is about the pool of a launch. */
  #isConcerned(log: RpcLog): boolean {
    const venue = this.#findVenue(lower(log.address))
    if (!venue) return true
    const { poolOf, holdsPools } = venue[1].shared!
    const pool = this.#pools.get(poolOf(log) ?? '')
    if (pool?.venue !== venue[0] || Number(log.blockNumber) < pool.since) return false
    return holdsPools ? pool.manager === lower(log.address) : pool.isDirect
  }

  /** all: the logs of configured contracts in its transaction. */
  #learn(log: RpcLog, all: readonly RpcLog[]): void {
    const launchpad = auditedLaunchpads[this.#contracts.launchpads.get(lower(log.address)) ?? '']
    const created = launchpad?.learn(log, this.#findOthers(log, all, launchpad.topics), this.#answerOf(log))
    if (!launchpad || !created) return
    const { token } = created
    const where = { launchpad: lower(log.address), block: Number(log.blockNumber), log: Number(log.logIndex) }
    const manager = this.#managerOf(launchpad.venue)
    const opened = { since: where.block, sinceLog: where.log, sinceTx: log.transactionHash, venue: launchpad.venue }
    const open = (quote: AuditedPool['quote'], paired?: string) => ({
      // Where pools are no contracts, the zero address is the native coin, which is first.
      isToken0:
        !(auditedVenues[launchpad.venue]?.shared?.holdsPools && paired === zeroAddress) &&
        token < (quote?.address ?? this.#contracts.wrappedNative),
      ...{ token, quote, manager, ...opened },
    })
    if (created.kind === 'launch') {
      const { creator, soldOutAt, virtual, pool } = created
      const quote = findQuote(created.quoteToken, where.block, this.#contracts)
      if (quote === undefined || this.#tokens.has(token)) return
      this.#tokens.set(token, { ...where, creator, soldOutAt, virtual, quote })
      if (pool !== undefined && !this.#pools.has(pool))
        this.#pools.set(pool, { ...open(quote, created.quoteToken), isDirect: true })
      return
    }
    const launch = this.#tokens.get(token)
    if (this.#pools.has(created.pool) || !launch || !wasLaunchedBy(launch, where)) return
    if ([...this.#pools.values()].some((known) => known.token === token)) return
    this.#pools.set(created.pool, { ...open(launch.quote), isDirect: false })
  }

  /** The logs of shared contracts before a log, and those of its own contract with these topics. */
  #findOthers(log: RpcLog, all: readonly RpcLog[], topics: readonly (string | undefined)[]): RpcLog[] {
    const at = all.indexOf(log)
    return all.filter((other, index) =>
      lower(other.address) === lower(log.address)
        ? other !== log && topics.includes(other.topics[0])
        : index < at && this.#isShared(lower(other.address)),
    )
  }

  #isOurs({ address, topics: given, blockNumber }: RpcLog): boolean {
    const { launchpads, staking, raises } = this.#contracts
    if ([launchpads, staking, raises].some((some) => some.has(address.toLowerCase()))) return false
    const block = Number(blockNumber)
    const launched = this.#tokens.get(address.toLowerCase())
    const isOfToken =
      (given[0] === transferTopic && given.length === 3) || (given[0] === uriTopic && given.length === 1)
    if (launched !== undefined && block >= launched.block && isOfToken) return true
    const pool = this.#pools.get(address.toLowerCase())
    const ofPool: readonly (string | undefined)[] = auditedVenues[pool?.venue ?? '']?.topics ?? []
    return pool !== undefined && block >= pool.since && ofPool.includes(given[0])
  }

  async #compareRange(range: AuditedRange, logs: readonly RpcLog[]): Promise<void> {
    const stored = await this.#readBlocks(range)
    const expected = makeExpected()
    const onChain = Map.groupBy(logs, ({ blockNumber }) => Number(blockNumber))
    for (const number of [...new Set([...onChain.keys(), ...stored.keys()])].sort((a, b) => a - b)) {
      const row = stored.get(number)
      const block = await this.#makeBlock(number, onChain.get(number) ?? [], row)
      if (row) this.#compareBlock(row, block, onChain.get(number)?.[0])
      this.#compareLogs(number, row?.logs ?? null, block.logs)
      const isFirst = this.#isFirst
      const quoteOf = (named: string, at: number) => findQuote(named, at, this.#contracts)
      const isShared = (address: string) => this.#isShared(address)
      const answerOf = (log: RpcLog) => this.#answerOf(log)
      const managerOf = (venue: string) => this.#managerOf(venue)
      const known = { tokens: this.#tokens, pools: this.#pools, isFirst, quoteOf, isShared, answerOf, managerOf }
      expectBlock(expected, block, this.#contracts.launchpads, known)
      const ofTransactions = Map.groupBy(block.logs, ({ transactionHash }) => transactionHash)
      const isToken = (address: string) => this.#tokens.has(address)
      const holderOf = (pool: string) => this.#pools.get(pool)?.manager ?? pool
      for (const own of ofTransactions.values()) expectTransfers(expected, block, own, isToken, holderOf)
      expectStakingLogs(expected, block, this.#contracts.staking, isFirst)
      expectRaisesLogs(expected, block, this.#contracts.raises, isFirst)
    }
    for (const [token, amount] of expected.lpBurned) this.#lpBurned.set(token, amount)
    this.#wallets.add(expected)
    this.#archived.takeTrades(expected.trades)
    await compareHistoryRows(this.#trx, this.#findings, expected, range)
  }

  #isFirst = (makes: readonly string[], key: string): boolean => {
    if (makes.some((what) => (this.#first.get(what) ?? key) !== key)) return false
    for (const what of makes) this.#first.set(what, key)
    return true
  }

  async #readBlocks({ from, to }: AuditedRange): Promise<Map<number, StoredBlock>> {
    const { rows } = await sql<StoredBlock>`select number, hash, time, quote_usd, quote_prices, logs from blocks
      where number >= ${from} and number <= ${to} and log_count > 0 order by number`.execute(this.#trx)
    return new Map(rows.map((row) => [row.number, row]))
  }

  /** The block without the logs that are prices alone. */
  async #makeBlock(number: number, logs: readonly RpcLog[], stored: StoredBlock | undefined): Promise<AuditedBlock> {
    const timestamp = logs[0]?.blockTimestamp
    const time = (timestamp === undefined ? (await this.#chain.getHeader(number))?.time : Number(timestamp)) ?? 0
    const pools = new Set(this.#prices.pools)
    const isPrice = (log: RpcLog) =>
      log.topics[0] === answerTopic || (pools.has(lower(log.address)) && !this.#isOurs(log))
    for (const log of logs) this.#prices.add(log, time)
    const { nativeUsd, read } = this.#prices.expect(stored, time)
    const worth = new BlockWorth(this.#contracts.quotes, { nativeUsd, read })
    return { number, time, nativeUsd, worth, read, logs: logs.filter((log) => !isPrice(log)) }
  }

  #compareBlock(row: StoredBlock, block: AuditedBlock, log: RpcLog | undefined): void {
    const name = `block ${row.number}`
    if (log) this.#findings.compare(`${name} hash`, row.hash, log.blockHash)
    this.#findings.compare(`${name} time`, row.time, block.time)
    const price = block.nativeUsd === null ? null : formatUsd(block.nativeUsd)
    this.#findings.compare(`${name} quote_usd`, row.quote_usd, price)
    const stored = JSON.parse(row.quote_prices ?? '{}') as Record<string, string>
    for (const asset of new Set([...Object.keys(stored), ...block.read.keys()])) {
      // Before it was added, its price was not read.
      if (row.number < (this.#contracts.quotes.get(asset)?.since ?? 0)) continue
      this.#findings.compare(
        `${name} price of ${asset}`,
        stored[asset] ?? null,
        block.read.get(asset)?.toString() ?? null,
      )
    }
  }

  #compareLogs(number: number, packed: string | null, logs: readonly RpcLog[]): void {
    const stored = new Map<string, Row>()
    for (const log of packed ? unpackLogs(toBytes(packed)) : []) {
      const { logIndex, txHash, address, topics: given } = log
      stored.set(`${number}/${logIndex}`, { txHash, address, topics: given.join(' '), data: dataHex(log) })
    }
    const expected = new Map<string, Row>()
    for (const { logIndex, transactionHash, address, topics: given, data } of logs) {
      const log = { txHash: transactionHash, address: address.toLowerCase(), topics: given.join(' '), data }
      expected.set(`${number}/${Number(logIndex)}`, log)
    }
    this.#findings.compareMaps('log', stored, expected)
  }

  /** Compares stored blocks without logs, which are kept until they are final to detect reorgs. */
  async #compareEmptyBlocks(): Promise<void> {
    const { rows } = await sql<{ number: number; hash: string }>`
      select number, hash from blocks where log_count = 0`.execute(this.#trx)
    for (const { number, hash } of rows) {
      this.#findings.compare(`block ${number} hash`, hash, (await this.#chain.getHeader(number))?.hash ?? null)
    }
  }
}

const sortLogs = (logs: RpcLog[]): RpcLog[] =>
  logs.sort((a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex))

interface StoredBlock {
  number: number
  hash: string
  time: number
  quote_usd: string | null
  quote_prices: string | null
  logs: string | null
}
