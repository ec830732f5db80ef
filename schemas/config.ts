import { Type } from '@sinclair/typebox'
import { Address, component, Nullable, OneOf } from './common.ts'
import { QuoteAsset } from './quote-asset.ts'

const Contract = Type.Object({
  kind: Type.String({ description: 'Kind of the contract.', examples: ['launchpad'] }),
  address: Address,
  startBlock: Type.Integer({ description: 'Block from which to read the contract’s events.', examples: [19000000] }),
  abi: Nullable(
    Type.String({
      description: 'Path of the ABI, relative to either mount.',
      examples: ['/config/abis/launchpad'],
    }),
  ),
})

const RequestQuota = Type.Object({
  name: Type.String({
    description: 'Name of the quota, as in the headers RateLimit and x-rate-limit-bucket.',
    examples: ['global'],
  }),
  limit: Type.Integer({ description: 'Requests allowed for one wallet or address per window.', examples: [300] }),
  windowSeconds: Type.Integer({ description: 'Length of the window in seconds.', examples: [60] }),
})

const Launchpad = Type.Object({
  kind: Type.String({ description: 'Kind of the launchpad: which contracts it runs.', examples: ['slipway'] }),
  address: Address,
  name: Type.String({ examples: ['Slipway'] }),
  startBlock: Type.Integer({ examples: [19000000] }),
  capabilities: Type.Array(
    OneOf(['launch', 'trade', 'quote', 'pool-trade', 'graduate', 'creator-fees'], {
      description:
        'What this service can do with it. trade, quote: on its curve and in its pools. pool-trade: trade with tokens that are in ' +
        'their pool, and quote these trades.',
    }),
  ),
})

const Quote = Type.Object(
  {
    ...QuoteAsset.properties,
    usdRoute: Nullable(
      Type.Array(Address, {
        description: 'Contracts by which its US dollar price is read; empty: its price is fixed. Null without a price.',
      }),
    ),
  },
  { description: 'An asset that tokens are priced in.' },
)

const NativeCurrency = Type.Object(
  {
    name: Type.String({ examples: ['Ether'] }),
    symbol: Type.String({ examples: ['ETH'] }),
    decimals: Type.Integer({ examples: [18] }),
    wrapped: Nullable(
      Type.String({ ...Address, description: 'The ERC-20 that wraps it; null before the first block is indexed.' }),
    ),
  },
  { description: 'Native coin of the chain, as for wallet_addEthereumChain.' },
)

const Demo = Type.Object(
  {
    mnemonic: Type.String({
      description: 'Mnemonic of the accounts, at the path m/44’/60’/0’/0/index.',
      examples: ['test test test test test test test test test test test junk'],
    }),
    accounts: Type.Array(
      Type.Object({
        index: Type.Integer({ examples: [1] }),
        address: Address,
        name: Type.String({ examples: ['harbormaster'] }),
      }),
    ),
  },
  { description: 'Accounts that anyone may use. Present only on the embedded chain.' },
)

export const ServiceConfig = component(
  'Config',
  {
    version: Type.String({ examples: ['0.1.0'] }),
    chainId: Type.Integer({ examples: [8453] }),
    chainName: Type.String({ examples: ['Base'] }),
    nativeCurrency: NativeCurrency,
    explorerUrl: Nullable(
      Type.String({
        description: 'Block explorer; /tx/<hash> and /address/<address> follow.',
        examples: ['https://basescan.org'],
      }),
    ),
    finality: Type.Object(
      {
        unit: OneOf(['blocks', 'seconds', 'finalized'], {
          description:
            'blocks: the block is that many below the head; seconds: it is that much older than the head; ' +
            'finalized: the node’s block tag of this name has reached it.',
        }),
        amount: Nullable(Type.Integer({ description: 'Null for finalized.', examples: [12] })),
      },
      { description: 'When a block is final, which confirms its records.' },
    ),
    finalityDepth: Type.Integer({
      description:
        'Depth in blocks at which a record counts as confirmed. If the unit of finality is another one: the present ' +
        'distance of the newest final block from the head.',
      examples: [12],
    }),
    contracts: Type.Array(Contract, { description: 'All indexed contracts, including older deployments.' }),
    launchpads: Type.Array(Launchpad, { description: 'Launchpads, in the order of contracts.' }),
    quotes: Type.Array(Quote),
    contractLimits: Type.Object(
      {
        nameBytes: Type.Integer({ examples: [64] }),
        symbolBytes: Type.Integer({ examples: [16] }),
        uriBytes: Type.Integer({ examples: [512] }),
      },
      { description: 'Maximum lengths of a launch’s texts in bytes of UTF-8; the contract reverts above them.' },
    ),
    abis: Type.Array(Type.String({ examples: ['/config/abis/launchpad'] }), {
      description: 'Paths of the ABIs, relative to either mount.',
    }),
    siweDomain: Type.String({ description: 'Domain in sign-in messages.', examples: ['launch.example'] }),
    publicUrl: Type.String({ examples: ['https://launch.example'] }),
    openapi: Type.String({ description: 'Path of the OpenAPI document.', examples: ['/docs/json'] }),
    socket: Type.String({ description: 'Path of the WebSocket, relative to either mount.', examples: ['/ws'] }),
    asyncapi: Type.String({
      description: 'Path of the AsyncAPI document of the WebSocket.',
      examples: ['/asyncapi.json'],
    }),
    limits: Type.Object({
      defaultLimit: Type.Integer({ examples: [20] }),
      maxLimit: Type.Integer({ examples: [100] }),
      maxDepth: Type.Integer({
        description: 'Maximum of page times limit; use cursor beyond that.',
        examples: [10000],
      }),
      bodyBytes: Type.Integer({ description: 'Maximum size of a JSON body in bytes.', examples: [65536] }),
      requests: Type.Array(RequestQuota, {
        description: 'Request quotas: the global one, that of an address, and one per bucket.',
      }),
    }),
    brand: Type.Object({
      name: Type.String({ examples: ['Slipway'] }),
      url: Type.String({ examples: ['https://launch.example'] }),
      logoUrl: Nullable(Type.String({ examples: ['https://launch.example/logo.svg'] })),
      color: Type.String({ examples: ['#0ea5e9'] }),
    }),
    demo: Type.Optional(Demo),
  },
  { description: 'Configuration that a web client needs to start from a base URL.' },
)

export const abiNames = [
  'launchpad',
  'launch-token',
  'erc20',
  'price-feed',
  'wrapped-native',
  'uniswap-factory',
  'uniswap-pair',
  'uniswap-router',
  'staking',
  'raises',
  'fee-splitter',
] as const

export const AbiParams = Type.Object({ name: OneOf(abiNames, { description: 'Name of the contract.' }) })
export const Abi = Type.Array(
  Type.Object({ type: Type.String({ examples: ['event'] }) }, { additionalProperties: true }),
  {
    description: 'A contract ABI in Solidity’s JSON format.',
  },
)

export const components = [ServiceConfig]
