import { sql, type Transaction } from 'kysely'
import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  getAbiItem,
  type Hex,
  numberToHex,
  parseEventLogs,
  toEventSelector,
  zeroAddress,
} from 'viem'
import { launchTokenAbi } from '../chain/abi/launch-token.ts'
import { launchpadAbi } from '../chain/abi/launchpad.ts'
import { uniswapV2PairAbi } from '../chain/abi/uniswap-v2-pair.ts'
import type { Chain } from '../chain/rpc/client.ts'
import { isExecutionError } from '../chain/rpc/node-failure.ts'
import { bytes } from '../db/hex.ts'
import type { Database } from '../db/schema.ts'
import type { AuditedContracts } from './audited-contracts.ts'
import { type Findings, type Row, SilentContractError } from './findings.ts'

const DEAD = '0x000000000000000000000000000000000000dead'
const BALANCES_PAGE = 1_000
const STATUS = ['none', 'curve', 'completed', 'graduated']

/** Reads contracts at the end of a fixed block. */
export class PinnedReader {
  readonly #chain: Chain
  readonly #block: Hex

  constructor(chain: Chain, block: number) {
    this.#chain = chain
    this.#block = numberToHex(block)
  }

  /** Calls a view function; the transport batches concurrent calls. */
  async read<T>(address: string, abi: Abi, functionName: string, args: readonly unknown[] = []): Promise<T> {
    const call = { to: address as Address, data: encodeFunctionData({ abi, functionName, args }) }
    const params = [call, this.#block]
    const silent = () => new SilentContractError(`${address} does not answer ${functionName}`)
    const data = await this.#chain.client.request({ method: 'eth_call', params } as never).catch((error: unknown) => {
      throw isExecutionError(error) ? silent() : error
    })
    try {
      return decodeFunctionResult({ abi, functionName, data: data as Hex }) as T
    } catch {
      throw silent()
    }
  }
}

interface CurveInfo {
  creator: string
  pool: string
  status: number
  protocolFeeBps: number
  creatorFeeBps: number
  virtualQuote: bigint
  virtualToken: bigint
  realQuote: bigint
  realToken: bigint
  targetQuote: bigint
  creatorFees: bigint
}

interface TokenState {
  token: string
  row: Row
}

/** Compares a token's supply, curve, pool and balances with the contracts. */
export async function auditTokenState(
  trx: Transaction<Database>,
  findings: Findings,
  reader: PinnedReader,
  { wrappedNative, lpBurned }: { wrappedNative: string; lpBurned: ReadonlyMap<string, bigint> },
  token: string,
): Promise<void> {
  const { rows } = await sql<Row>`select t.*, f.* from tokens t join token_figures f on f.token_id = t.id
    where t.address = ${token}`.execute(trx)
  const row = rows[0]
  if (!row) return findings.report(`token ${token}: is not in tokens and token_figures both`)
  const state = { token, row }
  const supply = await reader.read<bigint>(token, launchTokenAbi, 'totalSupply')
  findings.compare(`token ${token} total_supply`, row.total_supply ?? null, supply)
  // Of other launchpads and pools, the logs are all that is known here.
  if (row.launchpad_kind === 'slipway') await compareCurve(findings, reader, state)
  if (row.pool && row.venue === 'uniswap-v2')
    await comparePool(findings, reader, state, { wrappedNative, lpBurned: lpBurned.get(token) ?? 0n })
  await compareBalances(trx, findings, reader, token, supply)
}

async function compareCurve(findings: Findings, reader: PinnedReader, { token, row }: TokenState): Promise<void> {
  const curve = await reader.read<CurveInfo>(String(row.launchpad), launchpadAbi, 'curves', [token])
  const graduated = STATUS[curve.status] === 'graduated'
  const unclaimed = BigInt(String(row.creator_fees)) - BigInt(String(row.creator_fees_claimed))
  findings.compareRows(
    `token ${token}`,
    { ...row, unclaimed_creator_fees: unclaimed },
    {
      creator: curve.creator.toLowerCase(),
      pool: graduated ? curve.pool.toLowerCase() : null,
      status: STATUS[curve.status] ?? String(curve.status),
      protocol_fee_bps: curve.protocolFeeBps,
      creator_fee_bps: curve.creatorFeeBps,
      virtual_quote: curve.virtualQuote,
      virtual_token: curve.virtualToken,
      // A graduated curve has paid its quote into the pool; the stored value is that amount.
      real_quote: graduated ? curve.targetQuote : curve.realQuote,
      real_token: curve.realToken,
      target_quote: curve.targetQuote,
      unclaimed_creator_fees: curve.creatorFees,
    },
  )
}

async function comparePool(
  findings: Findings,
  reader: PinnedReader,
  { token, row }: TokenState,
  { wrappedNative, lpBurned }: { wrappedNative: string; lpBurned: bigint },
): Promise<void> {
  const pool = String(row.pool)
  const [reserves, token0, token1, burned] = await Promise.all([
    reader.read<readonly [bigint, bigint, number]>(pool, uniswapV2PairAbi, 'getReserves'),
    reader.read<string>(pool, uniswapV2PairAbi, 'token0'),
    reader.read<string>(pool, uniswapV2PairAbi, 'token1'),
    reader.read<bigint>(pool, uniswapV2PairAbi, 'balanceOf', [DEAD]),
  ])
  const isToken0 = token0.toLowerCase() === token
  findings.compareRows(`token ${token}`, row, {
    pool_token: reserves[isToken0 ? 0 : 1],
    pool_quote: reserves[isToken0 ? 1 : 0],
  })
  findings.compare(`pool ${pool} quote side`, wrappedNative, (isToken0 ? token1 : token0).toLowerCase())
  // Other holders may have burnt LP shares as well.
  if (burned < lpBurned) findings.report(`pool ${pool}: ${burned} LP shares are burnt, ${lpBurned} should be`)
}

async function compareBalances(
  trx: Transaction<Database>,
  findings: Findings,
  reader: PinnedReader,
  token: string,
  supply: bigint,
): Promise<void> {
  let sum = 0n
  let after = '0x'
  for (;;) {
    const { rows } = await sql<{ wallet: string; balance: string }>`select wallet, balance from balances
      where token_id = (select id from tokens where address = ${token}) and wallet > ${bytes(after)} order by wallet limit ${BALANCES_PAGE}`.execute(
      trx,
    )
    const held = rows.filter(({ wallet }) => wallet !== zeroAddress)
    const actual = await Promise.all(
      held.map(({ wallet }) => reader.read<bigint>(token, launchTokenAbi, 'balanceOf', [wallet])),
    )
    for (const [index, { wallet, balance }] of held.entries()) {
      findings.compare(`balance ${token}/${wallet}`, balance, actual[index] ?? null)
      sum += BigInt(balance)
    }
    after = rows.at(-1)?.wallet ?? after
    if (rows.length < BALANCES_PAGE) break
  }
  findings.compare(`token ${token} sum of all balances`, sum, supply)
}

/** Compares what each launchpad kept, paid out and paid for graduations of its fees with the fees of all trades. */
export async function auditProtocolFees(
  trx: Transaction<Database>,
  findings: Findings,
  {
    chain,
    contracts,
    reader,
    checkpoint,
  }: { chain: Chain; contracts: AuditedContracts; reader: PinnedReader; checkpoint: number },
): Promise<void> {
  const eventName = ['ProtocolFeeClaimed', 'GraduationBountyPaid'] as const
  const logs = await chain.getLogs({
    address: [...contracts.launchpads.keys()],
    topics: eventName.map((name) => toEventSelector(getAbiItem({ abi: launchpadAbi, name }))),
    range: { from: contracts.startBlock, to: checkpoint },
  })
  const payments = parseEventLogs({ abi: launchpadAbi, eventName: [...eventName], logs: logs as never[] })
  const { rows } = await sql<{ launchpad: string; fees: string }>`
    select t.launchpad, sum(f.protocol_fees) as fees from tokens t join token_figures f on f.token_id = t.id
    where t.launchpad_kind = 'slipway' group by t.launchpad`.execute(trx)
  for (const { launchpad, fees } of rows) {
    const subject = `launchpad ${launchpad} protocol fees ever paid`
    await findings.attempt(subject, async () => {
      const kept = await reader.read<bigint>(launchpad, launchpadAbi, 'protocolFees')
      const own = payments.filter(({ address }) => address.toLowerCase() === launchpad)
      const paid = own.reduce((sum, { args }) => sum + (args.amount ?? 0n), 0n)
      findings.compare(subject, fees, kept + paid)
    })
  }
}
