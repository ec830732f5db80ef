import { type PublicClient, parseAbi } from 'viem'
import { erc20Abi } from '../chain/abi/erc20.ts'
import { readReserves } from '../chain/feed/read-pool.ts'
import { findContractProblem, MAX_ANSWER_AGE_SECONDS, readAnswerAge } from '../chain/prove-contract.ts'
import { isNodeFailure } from '../chain/rpc/node-failure.ts'
import type { Config } from '../config/config.ts'
import type { QuoteSetting } from '../config/quotes.ts'
import { findWrappedNativeCall, launchpadContracts } from '../launchpads/index.ts'
import { connect } from './check-node.ts'
import { type Finding, fail, pass, reasonOf, warn } from './finding.ts'

type Settings = Pick<Config, 'rpcUrls' | 'chainId' | 'deployments' | 'quotes'>
type Feed = Extract<QuoteSetting['usd'], { feed: string }>
type Pool = Extract<QuoteSetting['usd'], { pool: string }>

const pairAbi = parseAbi(['function token0() view returns (address)', 'function token1() view returns (address)'])
/** The most characters that are shown of a name that a contract gives itself. */
const MAX_SHOWN = 40

/** Checks QUOTES against the chain: with other decimals than those of its contract, all values in an asset would be wrong. */
export async function checkQuotes({ rpcUrls, chainId, deployments, quotes }: Settings): Promise<Finding[]> {
  const [url] = rpcUrls
  if (url === undefined || quotes.length === 0) return []
  const client = connect(url)
  // An unreachable node, or one of another chain, has its own finding.
  if ((await client.getChainId().catch(() => null)) !== chainId) return []
  try {
    const wrapped = await findWrapped(client, deployments)
    return (await Promise.all(quotes.map((quote) => checkQuote(client, quote, wrapped)))).flat()
  } catch (error) {
    return [warn('QUOTES', `not checked: ${reasonOf(error)}`, 'Run this again when the node of RPC_URL responds')]
  }
}

/** The wrapped native coin, as the service finds it; null without one, which has its own finding. */
async function findWrapped(client: PublicClient, deployments: Settings['deployments']): Promise<string | null> {
  const named = deployments.find(({ kind }) => kind === 'wrapped-native')
  if (named !== undefined) return named.address
  const call = findWrappedNativeCall(deployments)
  if (call === null) return null
  return (await answerOf(client.readContract(call)))?.toLowerCase() ?? null
}

/** Undefined if the contract does not answer. Rejects if the node fails. */
async function answerOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    return String(await call)
  } catch (error) {
    if (isNodeFailure(error)) throw error
    return undefined
  }
}

async function checkQuote(client: PublicClient, quote: QuoteSetting, wrapped: string | null): Promise<Finding[]> {
  const { address, symbol, decimals, usd } = quote
  const name = `${symbol} ${address}`
  const read = (functionName: 'decimals' | 'symbol') =>
    answerOf(client.readContract({ address, abi: erc20Abi, functionName }))
  const [found, called] = await Promise.all([read('decimals'), read('symbol')])
  if (found === undefined)
    return [fail('QUOTES', `${name} does not answer decimals(), so it is no ERC-20`, 'Correct its address')]
  if (found !== String(decimals))
    return [
      fail(
        'QUOTES',
        `${name} has ${found} decimals, not ${decimals}`,
        `Set its decimals to ${found}, or correct its address`,
      ),
    ]
  const shown = JSON.stringify(called?.slice(0, MAX_SHOWN) ?? '')
  const renamed = called === symbol ? [] : [warn('QUOTES', `${name} calls itself ${shown}`, 'Check its address')]
  return [...renamed, await checkRoute(client, name, { address, usd }, wrapped)]
}

async function checkRoute(
  client: PublicClient,
  name: string,
  { address, usd }: Pick<QuoteSetting, 'address' | 'usd'>,
  wrapped: string | null,
): Promise<Finding> {
  if ('fixed' in usd) return pass('QUOTES', `${name} is there, at ${usd.fixed} US dollars`)
  return 'feed' in usd ? checkFeed(client, name, usd) : checkPool(client, name, { ...usd, asset: address }, wrapped)
}

async function checkFeed(client: PublicClient, name: string, { feed }: Feed): Promise<Finding> {
  const problem = await findContractProblem(client, { kind: 'price-feed', address: feed }, launchpadContracts)
  if (problem !== null)
    return fail('QUOTES', `the feed ${feed} of ${name} ${problem}`, 'Correct the address of the feed')
  const { timestamp } = await client.getBlock()
  const age = await readAnswerAge(client, feed, Number(timestamp))
  return age <= MAX_ANSWER_AGE_SECONDS
    ? pass('QUOTES', `${name} is there, and its feed has a price, ${age} s old`)
    : warn(
        'QUOTES',
        `the feed ${feed} of ${name} has a price that is ${Math.round(age / 3_600)} hours old`,
        'Check that it is the feed of this asset in US dollars that Chainlink lists for this chain',
      )
}

async function checkPool(
  client: PublicClient,
  name: string,
  { pool, venue, quote, asset }: Pool & { asset: string },
  wrapped: string | null,
): Promise<Finding> {
  const side = (functionName: 'token0' | 'token1') =>
    answerOf(client.readContract({ address: pool, abi: pairAbi, functionName }))
  const sides = await Promise.all([side('token0'), side('token1')])
  const other = quote === 'native' ? wrapped : quote
  const wanted = [asset, ...(other === null ? [] : [other])]
  const subject = `the pool ${pool} of ${name}`
  if (!wanted.every((token) => sides.some((one) => one?.toLowerCase() === token)))
    return fail('QUOTES', `${subject} is not one of ${wanted.join(' and ')}`, 'Name the pool of these two assets')
  const block = Number(await client.getBlockNumber())
  const reserves = await readReserves({ client }, { pool, venue }, block)
  if (reserves === null)
    return fail('QUOTES', `${subject} does not answer as a pool of ${venue}`, 'Correct its venue or its address')
  return reserves.zero === 0n || reserves.one === 0n
    ? warn('QUOTES', `${subject} is empty`, 'Name one with liquidity: until then, values in this asset are unknown')
    : pass('QUOTES', `${name} is there, and its pool has a price`)
}
