import { type Address, BlockNotFoundError, createPublicClient, http, type PublicClient, zeroAddress } from 'viem'
import { Bloom } from '../chain/logs/bloom.ts'
import { isMissingBlock, isRejected } from '../chain/rpc/node-failure.ts'
import type { Config } from '../config/config.ts'
import { checkMethods } from './check-methods.ts'
import { type Finding, fail, pass, reasonOf, warn } from './finding.ts'

const TIMEOUT_MS = 10_000
/** The indexer splits ranges down to single blocks; below this a backfill takes long. */
const WANTED_RANGE = 1_000n
/** Few: a busy chain has thousands of logs in a block. */
const BLOOM_BLOCKS = 10n
/** Above it, times in records and sessions are visibly wrong. */
const MAX_CLOCK_SECONDS = 30
/** How far back the state of an audit and of prices is read while the service runs. */
const STATE_BLOCKS = 64n

type Settings = Pick<
  Config,
  'rpcUrls' | 'rpcSocketUrl' | 'chainId' | 'deployments' | 'finality' | 'maxBlockAge' | 'nodeProofs'
>

/** Checks each node of RPC_URL: chain, methods, clock, log ranges, log blooms, old state and finality. */
export async function checkNodes(config: Settings, now = Date.now): Promise<Finding[]> {
  if (config.rpcUrls.length === 0) return [pass('RPC_URL', 'not set; the embedded chain is used')]
  const findings: Finding[] = []
  for (const [index, url] of config.rpcUrls.entries())
    findings.push(...(await checkNode(`node ${index + 1}`, url, config, now)))
  findings.push(...(await checkGenesis(config)))
  if (config.rpcSocketUrl !== null) findings.push(await checkSocket(config.rpcSocketUrl, config.chainId))
  return findings
}

export const connect = (url: string): PublicClient =>
  createPublicClient({ transport: http(url, { timeout: TIMEOUT_MS, retryCount: 1 }), cacheTime: 0 })

/** The first blocks of the nodes. Others of the same chain id may be forks, or test chains. */
async function checkGenesis({ rpcUrls, chainId }: Settings): Promise<Finding[]> {
  const read = async (url: string) => {
    const client = connect(url)
    const isOurs = (await client.getChainId()) === chainId
    return isOurs ? (await client.getBlock({ blockNumber: 0n })).hash : undefined
  }
  const hashes = await Promise.all(rpcUrls.map((url) => read(url).catch(() => undefined)))
  const first = hashes.findIndex((hash) => hash !== undefined)
  return hashes.flatMap((hash, index) => {
    if (hash === undefined || hash === hashes[first]) return []
    const message = `node ${index + 1} is on another chain than node ${first + 1}: their first blocks are ${hash} and ${hashes[first]}`
    return fail('RPC_URL', message, 'Name nodes of one chain; the service uses none that differs from its database')
  })
}

async function checkNode(node: string, url: string, config: Settings, now: () => number): Promise<Finding[]> {
  const client = connect(url)
  let actual: number
  try {
    actual = await client.getChainId()
  } catch (error) {
    const remedy = 'Start the node, or correct its URL and key'
    return [fail('RPC_URL', `${node} does not respond: ${reasonOf(error)}`, remedy)]
  }
  if (actual !== config.chainId) {
    const remedy = `Set CHAIN_ID to ${actual}, or RPC_URL to a node of chain ${config.chainId}`
    return [fail('CHAIN_ID', `${config.chainId} is set, but ${node} of RPC_URL is on chain ${actual}`, remedy)]
  }
  const findings = [
    pass('RPC_URL', `${node} responds on chain ${actual}`),
    ...(await checkMethods(node, url, TIMEOUT_MS)),
  ]
  // The other checks use these methods.
  if (findings.some(({ level }) => level === 'fail')) return findings
  for (const check of [checkSync, checkClock, checkRange, checkBloom, checkState, checkFinality])
    findings.push(
      await check(node, client, config, now).catch((error: unknown) =>
        warn(
          'RPC_URL',
          `${node} failed a request: ${reasonOf(error)}`,
          'Run this again; if it stays, ask the provider',
        ),
      ),
    )
  return findings
}

type Check = (node: string, client: PublicClient, config: Settings, now: () => number) => Promise<Finding>

const checkSync: Check = async (node, client) => {
  const syncing = await client.request({ method: 'eth_syncing' } as never).catch(() => false)
  return syncing
    ? warn('RPC_URL', `${node} is still syncing`, 'Wait until it has the head of the chain, or use another node')
    : pass('RPC_URL', `${node} is in sync`)
}

/** The newest block shows both a stale node and a wrong clock: only a block from the future tells them apart. */
const checkClock: Check = async (node, client, { maxBlockAge }, now) => {
  const { timestamp, number } = await client.getBlock()
  const age = Math.round(now() / 1_000 - Number(timestamp))
  if (age < -MAX_CLOCK_SECONDS) {
    const remedy = 'Synchronize the clock of this machine (NTP)'
    return fail('MAX_BLOCK_AGE', `the newest block of ${node} is ${-age} s ahead of this machine’s clock`, remedy)
  }
  if (maxBlockAge !== null && maxBlockAge > 0 && age > maxBlockAge) {
    const remedy = 'Use another node, synchronize the clock of this machine (NTP), or raise MAX_BLOCK_AGE'
    return fail(
      'MAX_BLOCK_AGE',
      `block ${number}, the newest of ${node}, is ${age} s old; the limit is ${maxBlockAge}`,
      remedy,
    )
  }
  return pass('RPC_URL', `${node} is at block ${number}, ${age} s old`)
}

/** Tries ranges from the largest useful one downwards, with an address that has no logs. */
const checkRange: Check = async (node, client) => {
  const head = await client.getBlockNumber()
  for (const range of [10_000n, WANTED_RANGE, 100n, 1n]) {
    const fromBlock = head > range ? head - range + 1n : 0n
    const works = await client.getLogs({ address: zeroAddress, fromBlock, toBlock: head }).then(
      () => true,
      () => false,
    )
    if (!works) continue
    return range >= WANTED_RANGE
      ? pass('RPC_URL', `${node} answers eth_getLogs over ${range} blocks`)
      : warn(
          'RPC_URL',
          `${node} answers eth_getLogs over ${range} blocks at most`,
          'The first indexing takes long; use a node without this limit for it',
        )
  }
  return fail('RPC_URL', `${node} does not answer eth_getLogs`, 'Use a node that does: everything is indexed from logs')
}

/** A block with logs whose header has an empty bloom: the chain does not fill it, and blocks are read twice. */
const checkBloom: Check = async (node, client, { nodeProofs }) => {
  const head = await client.getBlockNumber()
  const fromBlock = head > BLOOM_BLOCKS ? head - BLOOM_BLOCKS : 0n
  const [log] = await client.getLogs({ fromBlock, toBlock: head })
  if (!log) return pass('NODE_PROOFS', `${node} has no recent logs to check log blooms by`)
  const { logsBloom } = await client.getBlock({ blockHash: log.blockHash })
  const isValid = logsBloom !== null && new Bloom(logsBloom).has(log.address.toLowerCase())
  if (isValid) return pass('NODE_PROOFS', `${node} has valid log blooms`)
  return nodeProofs
    ? warn(
        'NODE_PROOFS',
        `the blocks of ${node} have no valid log blooms`,
        'Logs near the head need two equal answers: name two nodes in RPC_URL',
      )
    : pass('NODE_PROOFS', `${node} has no valid log blooms, and proofs are off`)
}

const checkState: Check = async (node, client, { deployments }) => {
  const head = await client.getBlockNumber()
  const address: Address = deployments[0]?.address ?? zeroAddress
  const stateAt = (blockNumber: bigint) =>
    client.getBalance({ address, blockNumber }).then(
      () => true,
      () => false,
    )
  const first = BigInt(Math.min(...deployments.map(({ startBlock }) => startBlock), Number(head)))
  if (await stateAt(first)) return pass('RPC_URL', `${node} has the state since block ${first}`)
  const recent = head > STATE_BLOCKS ? head - STATE_BLOCKS : 0n
  if (await stateAt(recent))
    return warn(
      'RPC_URL',
      `${node} has no state of block ${first}, only recent state`,
      'Prices in US dollars before the first update of the feed stay unknown; an archive node has them',
    )
  return fail(
    'RPC_URL',
    `${node} has no state of block ${recent}, ${STATE_BLOCKS} below its head`,
    'Use a node that keeps at least 64 blocks of state',
  )
}

/** A node without the tag of FINALITY=finalized would never confirm a record. */
const checkFinality: Check = async (node, client, { finality }) => {
  if (finality.unit !== 'finalized') return pass('FINALITY', `${finality.amount} ${finality.unit}`)
  const otherwise = 'et FINALITY to a number of blocks, such as 12, or of seconds, such as 60s'
  try {
    const { number, timestamp } = await client.getBlock({ blockTag: 'finalized' })
    return pass(
      'FINALITY',
      `${node} has finalized block ${number}, of ${new Date(Number(timestamp) * 1_000).toISOString()}`,
    )
  } catch (error) {
    const isMissing = error instanceof BlockNotFoundError || isMissingBlock(error)
    if (isMissing)
      return fail('FINALITY', `${node} has no finalized block`, `Wait until the chain has one, or s${otherwise}`)
    if (!isRejected(error)) throw error
    return fail('FINALITY', `${node} does not know the block tag finalized`, `S${otherwise}`)
  }
}

/** Connects and reads the chain id. */
async function checkSocket(url: string, chainId: number): Promise<Finding> {
  const { promise, resolve } = Promise.withResolvers<Finding>()
  const remedy = 'Correct the URL, or unset it: the head is then polled'
  const socket = new WebSocket(url)
  const timer = setTimeout(() => resolve(fail('RPC_SOCKET_URL', 'no answer within 10 s', remedy)), TIMEOUT_MS)
  socket.onopen = () => socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }))
  socket.onerror = () => resolve(fail('RPC_SOCKET_URL', 'the node cannot be connected to', remedy))
  socket.onmessage = ({ data }) => resolve(judge(String(data), chainId))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    socket.close()
  }
}

function judge(data: string, chainId: number): Finding {
  const actual = Number(/"result"\s*:\s*"(0x[0-9a-f]+)"/i.exec(data)?.[1] ?? Number.NaN)
  return actual === chainId
    ? pass('RPC_SOCKET_URL', `the node responds on chain ${actual}`)
    : fail('RPC_SOCKET_URL', `the node is not on chain ${chainId}`, 'Use the WebSocket of a node of RPC_URL')
}
