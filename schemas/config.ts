import { Type } from '@sinclair/typebox'
import { Address, component, Nullable, OneOf } from './common.ts'

const Contract = Type.Object({
  kind: Type.String({ description: 'What the contract is.', examples: ['launchpad'] }),
  address: Address,
  startBlock: Type.Integer({ description: 'The block to read its events from.', examples: [19000000] }),
  abi: Nullable(
    Type.String({
      description: 'Where its ABI is served, relative to either mount.',
      examples: ['/config/abis/launchpad'],
    }),
  ),
})

const RequestQuota = Type.Object({
  name: Type.String({ description: 'As in RateLimit and x-rate-limit-bucket.', examples: ['global'] }),
  limit: Type.Integer({ description: 'Requests of one wallet or address.', examples: [300] }),
  windowSeconds: Type.Integer({ description: 'Seconds within which they may be made.', examples: [60] }),
})

export const ServiceConfig = component(
  'Config',
  {
    version: Type.String({ examples: ['0.1.0'] }),
    chainId: Type.Integer({ examples: [8453] }),
    finalityDepth: Type.Integer({ description: 'Blocks after which a record counts as confirmed.', examples: [12] }),
    contracts: Type.Array(Contract, { description: 'Every contract followed, older deployments included.' }),
    abis: Type.Array(Type.String({ examples: ['/config/abis/launchpad'] }), {
      description: 'Where ABIs are served, relative to either mount.',
    }),
    siweDomain: Type.String({ description: 'The domain that sign-in messages name.', examples: ['launch.example'] }),
    publicUrl: Type.String({ examples: ['https://launch.example'] }),
    openapi: Type.String({ description: 'Where this API’s document is served.', examples: ['/docs/json'] }),
    socket: Type.String({ description: 'Where the WebSocket is, relative to either mount.', examples: ['/ws'] }),
    asyncapi: Type.String({
      description: 'Where the document of the WebSocket is served.',
      examples: ['/asyncapi.json'],
    }),
    limits: Type.Object({
      defaultLimit: Type.Integer({ examples: [20] }),
      maxLimit: Type.Integer({ examples: [100] }),
      maxDepth: Type.Integer({
        description: 'Most that page times limit may come to; go on by cursor.',
        examples: [10000],
      }),
      bodyBytes: Type.Integer({ description: 'Largest JSON body.', examples: [65536] }),
      requests: Type.Array(RequestQuota, { description: 'Quotas of requests: the global one and each bucket.' }),
    }),
    brand: Type.Object({
      name: Type.String({ examples: ['Slipway'] }),
      url: Type.String({ examples: ['https://launch.example'] }),
      logoUrl: Nullable(Type.String({ examples: ['https://launch.example/logo.svg'] })),
      color: Type.String({ examples: ['#0ea5e9'] }),
    }),
  },
  { description: 'All that a web client needs to start from a base URL.' },
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
] as const

export const AbiParams = Type.Object({ name: OneOf(abiNames, { description: 'Name of the contract.' }) })
export const Abi = Type.Array(
  Type.Object({ type: Type.String({ examples: ['event'] }) }, { additionalProperties: true }),
  {
    description: 'An ABI, as Solidity compilers write it.',
  },
)

export const components = [ServiceConfig]
