import { Type } from '@sinclair/typebox'
import { Address, Amount, component, IsoTime, Nullable } from './common.ts'

const Latency = Type.Object({
  ok: Type.Literal(true),
  latencyMs: Type.Number({ description: 'Duration of the check in milliseconds.', examples: [1.4] }),
})

export const Health = component(
  'Health',
  {
    database: Latency,
    cache: Latency,
    rpc: Type.Object({
      ...Latency.properties,
      blockNumber: Type.Integer({ description: 'Latest block of the node.', examples: [19000123] }),
      problems: Type.Array(Type.String(), {
        description: 'What is wrong with single nodes, such as one of another chain, which is not used.',
        examples: [['node 2 of RPC_URL is not used, because it is on chain 5, and CHAIN_ID is 1']],
      }),
    }),
    indexer: Type.Object({
      ok: Type.Literal(true),
      blockNumber: Type.Integer({ description: 'Last indexed block.', examples: [19000123] }),
      blockTime: Nullable(IsoTime),
      lagBlocks: Type.Integer({
        description: 'Blocks between the last indexed block and the chain head.',
        examples: [0],
      }),
      lagSeconds: Type.Number({
        description: 'Time between the last indexed block and the chain head, in seconds of the blocks’ own times.',
        examples: [0],
      }),
      leader: Nullable(
        Type.String({
          description: 'Id of the active indexer, as in its log and its database sessions.',
          examples: ['1f3a9c2e'],
        }),
      ),
      heartbeatSeconds: Type.Number({
        description: 'Age of the active indexer’s last heartbeat in seconds.',
        examples: [0.8],
      }),
      backfills: Type.Array(
        Type.Object({
          address: Address,
          kind: Type.String({ description: 'Kind of the contract.', examples: ['nad-fun'] }),
          progressPct: Type.Number({
            description: 'Part of its history that is indexed, in percent.',
            examples: [41.5],
          }),
        }),
        { description: 'Contracts that operators have added, whose history is being indexed beside the head.' },
      ),
    }),
    readReplica: Nullable(
      Type.Object({
        state: Type.Unsafe<'ok' | 'behind' | 'promoted' | 'down'>(
          Type.String({
            enum: ['ok', 'behind', 'promoted', 'down'],
            description: 'The replica serves reads only while its state is ok. promoted: it is a primary.',
          }),
        ),
        lagSeconds: Nullable(Type.Number({ description: 'Replication lag in seconds.', examples: [0.2] })),
      }),
    ),
    keeper: Nullable(
      Type.Object({
        address: Type.String({ ...Address, description: 'Account that graduates completed tokens.' }),
        balance: Nullable(Type.String({ ...Amount, description: 'Coins of the account, in wei.' })),
        waiting: Type.Integer({ description: 'Completed tokens that wait for their graduation.', examples: [0] }),
        problem: Nullable(
          Type.String({
            description: 'Why they wait; the check fails after 60 s of it.',
            examples: ['The nodes did not answer'],
          }),
        ),
      }),
      { description: 'Null without KEEPER_KEY, or before its first round.' },
    ),
    version: Type.String({ examples: ['0.1.0'] }),
    uptimeSeconds: Type.Integer({ examples: [86400] }),
  },
  { description: 'The state of the service and of everything that it needs.' },
)

export const Alive = component('Alive', { alive: Type.Literal(true) }, { description: 'The process responds.' })
export const Ready = component(
  'Ready',
  { ready: Type.Literal(true) },
  { description: 'The process can serve requests.' },
)

export const components = [Health, Alive, Ready]
