import { Type } from '@sinclair/typebox'
import { component, IsoTime, Nullable } from './common.ts'

const Latency = Type.Object({
  ok: Type.Literal(true),
  latencyMs: Type.Number({ description: 'How long the check took.', examples: [1.4] }),
})

export const Health = component('Health', {
  database: Latency,
  cache: Latency,
  rpc: Type.Object({
    ...Latency.properties,
    blockNumber: Type.Integer({ description: 'Head of the chain.', examples: [19000123] }),
  }),
  indexer: Type.Object({
    ok: Type.Literal(true),
    blockNumber: Type.Integer({ description: 'The last block indexed.', examples: [19000123] }),
    blockTime: Nullable(IsoTime),
    lagBlocks: Type.Integer({ description: 'How many blocks the chain is ahead.', examples: [0] }),
    lagSeconds: Type.Number({
      description: 'Age of the last block indexed while blocks are missing; else 0.',
      examples: [0],
    }),
    leader: Nullable(
      Type.String({
        description: 'The active indexer, as its log and its database sessions name it.',
        examples: ['1f3a9c2e'],
      }),
    ),
    heartbeatSeconds: Type.Number({ description: 'Age of its last heartbeat.', examples: [0.8] }),
  }),
  readReplica: Nullable(
    Type.Object({
      state: Type.Unsafe<'ok' | 'behind' | 'down'>(
        Type.String({ enum: ['ok', 'behind', 'down'], description: 'Only while it is ok is it read.' }),
      ),
      lagSeconds: Nullable(Type.Number({ description: 'How late it is.', examples: [0.2] })),
    }),
  ),
  version: Type.String({ examples: ['0.1.0'] }),
  uptimeSeconds: Type.Integer({ examples: [86400] }),
})

export const Alive = component('Alive', { alive: Type.Literal(true) })
export const Ready = component('Ready', { ready: Type.Literal(true) })

export const components = [Health, Alive, Ready]
