import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { erc20Abi } from '../../chain/abi/erc20.ts'
import { feeSplitterAbi } from '../../chain/abi/fee-splitter.ts'
import { feeStakingAbi } from '../../chain/abi/fee-staking.ts'
import { launchTokenAbi } from '../../chain/abi/launch-token.ts'
import { priceFeedAbi } from '../../chain/abi/price-feed.ts'
import { raisesAbi } from '../../chain/abi/raises.ts'
import { uniswapV2FactoryAbi } from '../../chain/abi/uniswap-v2-factory.ts'
import { uniswapV2PairAbi } from '../../chain/abi/uniswap-v2-pair.ts'
import { uniswapV2Router02Abi } from '../../chain/abi/uniswap-v2-router02.ts'
import { weth9Abi } from '../../chain/abi/weth9.ts'
import { contractLimits } from '../../chain/contract-limits.ts'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../db/client.ts'
import { findFinalityDepth } from '../../db/queries/chain-state.ts'
import { listFollowed } from '../../db/queries/deployments/deployments.ts'
import { findWrappedNative } from '../../db/queries/integrations/adapter.ts'
import { findByDeployment, launchpadContracts } from '../../launchpads/index.ts'
import type { Capability } from '../../launchpads/kinds.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { nameLaunchpad } from '../../records/launchpad.ts'
import { nativeQuote } from '../../records/quote.ts'
import { Envelope, ok, paging, ref } from '../../schemas/common.ts'
import { Abi, AbiParams, abiNames, ServiceConfig } from '../../schemas/config.ts'

const abis: Record<(typeof abiNames)[number], readonly object[]> = {
  launchpad: launchpadContracts.launchpad.abi,
  'launch-token': launchTokenAbi,
  erc20: erc20Abi,
  'price-feed': priceFeedAbi,
  'wrapped-native': weth9Abi,
  'uniswap-factory': uniswapV2FactoryAbi,
  'uniswap-pair': uniswapV2PairAbi,
  'uniswap-router': uniswapV2Router02Abi,
  staking: feeStakingAbi,
  raises: raisesAbi,
  'fee-splitter': feeSplitterAbi,
}

const abiPath = (name: string) => `/config/abis/${name}`

/** Configuration for web clients; constant while the process runs, apart from contracts that operators add and values that are read from the chain. */
const config: FastifyPluginAsyncTypebox = async (app) => {
  const { settings } = app
  app.addHook('onSend', async (_request, reply) => {
    // A 304 replaces the headers of a cached response.
    if (reply.statusCode === 200 || reply.statusCode === 304) reply.header('cache-control', 'public, max-age=300')
  })

  app.get(
    '',
    {
      config: { needsDatabase: false },
      schema: {
        operationId: 'getConfig',
        tags: ['Service'],
        summary: 'Get the configuration for web clients',
        description:
          'The chain, its contracts with their start blocks, the sign-in domain, limits and brand: all that a ' +
          'client needs besides the base URL.',
        response: { 200: Envelope(ref(ServiceConfig)), ...failures() },
      },
    },
    async ({ db }) => {
      // Without the database, the service still describes itself.
      const deployments = await listFollowed(db, settings.deployments).catch(() => settings.deployments)
      return ok({
        version: settings.version,
        chainId: settings.chainId,
        chainName: settings.chainName,
        nativeCurrency: await describeCoin(db, settings),
        explorerUrl: settings.explorerUrl,
        finality: settings.finality,
        finalityDepth: await readFinalityDepth(db, settings),
        contracts: deployments.map(({ kind, address, startBlock }) => ({
          kind,
          address,
          startBlock,
          abi: kind in abis ? abiPath(kind) : null,
        })),
        launchpads: listLaunchpads({ ...settings, deployments }),
        quotes: [describeQuote(settings), ...settings.quotes.map(describeOther)],
        contractLimits,
        abis: abiNames.map(abiPath),
        siweDomain: settings.siweDomain,
        publicUrl: settings.publicUrl,
        openapi: '/docs/json',
        limits: {
          ...paging,
          bodyBytes: app.initialConfig.bodyLimit ?? 0,
          requests: settings.rateLimits
            ? Object.entries(settings.quotas).map(([name, quota]) => ({ name, ...quota }))
            : [],
        },
        socket: '/ws',
        asyncapi: '/asyncapi.json',
        brand: settings.brand,
        ...(settings.demo && { demo: { ...settings.demo, accounts: [...settings.demo.accounts] } }),
      })
    },
  )

  app.get(
    '/abis/:name',
    {
      config: { needsDatabase: false },
      schema: {
        operationId: 'getAbi',
        tags: ['Service'],
        summary: 'Get the ABI of a contract',
        description:
          'For encoding calls to the contract and decoding its events. The contract addresses are in /config.',
        params: AbiParams,
        response: { 200: Envelope(Abi), ...failures() },
      },
    },
    async ({ params }) => ok(abis[params.name] as { type: string }[]),
  )
}

export default config

type Settings = Pick<Config, 'finality' | 'deployments' | 'quotes' | 'nativeCurrency' | 'brand'>

const findLast = ({ deployments }: Settings, wanted: Config['deployments'][number]['kind']) =>
  deployments.findLast(({ kind }) => kind === wanted)?.address ?? null

/** The wrapped coin is in DEPLOYMENTS, or the indexer has read it from the launchpad. */
async function describeCoin(db: Db, settings: Settings) {
  const { name, symbol, decimals } = settings.nativeCurrency
  const wrapped = findLast(settings, 'wrapped-native') ?? (await findWrappedNative(db).catch(() => null)) ?? null
  return { name, symbol, decimals, wrapped }
}

/** The present distance of the newest final block from the head, for rules that are not in blocks. */
async function readFinalityDepth(db: Db, { finality }: Settings): Promise<number> {
  if (finality.unit === 'blocks') return finality.amount
  return (await findFinalityDepth(db).catch(() => undefined)) ?? 0
}

function describeQuote(settings: Settings) {
  const feed = findLast(settings, 'price-feed')
  return { ...nativeQuote(settings.nativeCurrency.symbol), usdRoute: feed === null ? null : [feed] }
}

/** A fixed price is read from no contract. */
function describeOther({ address, symbol, decimals, usd }: Config['quotes'][number]) {
  const usdRoute = 'fixed' in usd ? [] : ['feed' in usd ? usd.feed : usd.pool]
  return { address, symbol, decimals, usdRoute }
}

const listLaunchpads = ({ deployments, brand }: Settings) =>
  deployments.flatMap(({ kind: deployment, address, startBlock }) => {
    const launchpad = findByDeployment(deployment)
    if (launchpad === undefined) return []
    const { kind, capabilities, venue } = launchpad
    const names = (kind: string) => deployments.some((one) => one.kind === kind)
    const canTrade = venue.trades !== undefined && names(venue.trades.router) && names(venue.trades.quoter)
    const all: Capability[] = canTrade ? [...capabilities, 'pool-trade'] : [...capabilities]
    return [{ kind, address, name: nameLaunchpad(kind, brand), startBlock, capabilities: all }]
  })
