import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Address, createPublicClient, createWalletClient, decodeEventLog, type Hex, http, parseEther } from 'viem'
import { WebSocket } from 'ws'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { startAnvil } from '../../dev/anvil.ts'
import { deployContracts } from '../../dev/deploy.ts'
import { callNode } from '../../dev/json-rpc.ts'
import { startService } from '../../scripts/start-service.ts'
import { makeActions } from '../../test/support/actors.ts'
import { makeEnvironment } from '../../test/support/chain-fixture.ts'
import { quantile } from '../children.ts'
import { createScratchDatabase } from '../indexer/databases.ts'
import { type Journey, printParts, startCollector } from './spans.ts'

const WARM_UP = 5
const STALLED_MS = 30_000

/** Where the service stores its data: the URL of a PostgreSQL server, or null for PGlite. */
type Place = string | null

/**
 * Measures from a new block (the node's own push to a subscriber) to the message of its trade at a client of the service,
 * which runs in production form; then once more with tracing, to say where the time goes.
 */
export async function measureLatency(count: number, place: Place): Promise<void> {
  const delays = (await measureTrades(count, place)).map(({ mined, arrived }) => arrived - mined)
  console.log(
    `block mined -> message at a client: p50 ${quantile(delays, 0.5).toFixed(1)} ms, p99 ${quantile(delays, 0.99).toFixed(1)} ms, ` +
      `max ${Math.max(...delays).toFixed(1)} ms, of ${delays.length} trades`,
  )
  const collector = await startCollector()
  try {
    const trades = await measureTrades(count, place, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
    printParts(trades, collector.spans())
  } finally {
    collector.close()
  }
}

/** Starts a chain and a service, sends `count` trades, and returns their times. */
async function measureTrades(count: number, place: Place, env: Record<string, string> = {}): Promise<Journey[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-bench-'))
  const database = place === null ? null : await createScratchDatabase(place, `slipway_latency_${process.pid}`)
  const anvil = await startAnvil()
  const [account] = await callNode<[Address]>(anvil.url, 'eth_accounts')
  const transport = http(anvil.url)
  const clients = {
    publicClient: createPublicClient({ transport }),
    walletClient: createWalletClient({ account, transport }),
  }
  const deployed = await deployContracts(clients)
  const actions = makeActions(deployed)
  const service = await startService({
    ...makeEnvironment([anvil.url], deployed, { DATA_DIR: dataDir }),
    ...(database && { DATABASE_URL: database.url }),
    // Blocks are pushed, and polled once a second, as on the embedded chain.
    RPC_SOCKET_URL: anvil.wsUrl,
    POLL_INTERVAL_MS: '1000',
    ...env,
  })
  try {
    const send = async (action: object) => {
      // Resolves when the transaction is mined.
      const request = {
        ...action,
        gas: '0x7a1200',
        value: `0x${((action as { value?: bigint }).value ?? 0n).toString(16)}`,
      }
      return callNode<{ logs: { topics: [Hex, ...Hex[]]; data: Hex }[] }>(anvil.url, 'eth_sendTransactionSync', [
        request,
      ])
    }
    const token = (await send(actions.launch(account, 'LAT'))).logs.flatMap(readCreated)[0] as Address

    const mined = new Map<number, number>()
    const heads = new WebSocket(anvil.wsUrl)
    await once(heads, 'open')
    heads.on('message', (text) => {
      const { params } = JSON.parse(String(text)) as { params?: { result: { number: Hex } } }
      if (params) mined.set(Number(params.result.number), performance.now())
    })
    heads.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))

    const arrived = new Map<number, number>()
    const client = new WebSocket(`${service.url.replace('http', 'ws')}/ws`)
    await once(client, 'open')
    client.on('message', (text) => {
      const { type, data } = JSON.parse(String(text)) as { type: string; data?: { blockNumber: number } }
      if (type === 'trade' && data) arrived.set(data.blockNumber, performance.now())
    })
    client.send('{"type":"subscribe","room":"trades"}')

    for (let trade = 0; trade < WARM_UP + count; trade++) {
      await send(actions.buy(account, token, parseEther('0.001')))
      const deadline = performance.now() + STALLED_MS
      while (arrived.size <= trade) {
        if (performance.now() > deadline) throw new Error('No message of a trade: is the event bus there?')
        await pause(1)
      }
      // Random delays, to avoid alignment with the service's timers.
      await pause(Math.random() * 50)
    }
    client.terminate()
    heads.terminate()
    return [...arrived]
      .slice(WARM_UP)
      .map(([block, at]) => ({ mined: toUnix(mined.get(block) as number), arrived: toUnix(at) }))
  } finally {
    // The service exports its last spans while it stops.
    await service.stop()
    await anvil.stop()
    await database?.drop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Unix milliseconds of a time of performance.now. */
const toUnix = (time: number): number => performance.timeOrigin + time

function readCreated({ topics, data }: { topics: [Hex, ...Hex[]]; data: Hex }): Address[] {
  try {
    const event = decodeEventLog({ abi: launchpadAbi, topics, data })
    return event.eventName === 'CurveCreate' ? [event.args.token] : []
  } catch {
    return []
  }
}
