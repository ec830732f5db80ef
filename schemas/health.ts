import { Type } from '@sinclair/typebox'
import { component, IsoTime, Nullable } from './common.ts'

const Latency = Type.Object({
  ok: Type.Literal(true),
  latencyMs: Type.Number({ description: 'How long the check took.' }),
})

export const Health = component('Health', {
  database: Latency,
  cache: Latency,
  rpc: Type.Object({ ...Latency.properties, blockNumber: Type.Integer({ description: 'Head of the chain.' }) }),
  indexer: Type.Object({
    ok: Type.Literal(true),
    blockNumber: Type.Integer({ description: 'The last block indexed.' }),
    blockTime: Nullable(IsoTime),
    lagBlocks: Type.Integer({ description: 'How many blocks the chain is ahead.' }),
    lagSeconds: Type.Number({ description: 'Age of the last block indexed while blocks are missing; else 0.' }),
  }),
  readReplica: Nullable(
    Type.Object({
      state: Type.Unsafe<'ok' | 'behind' | 'down'>(
        Type.String({ enum: ['ok', 'behind', 'down'], description: 'Only while it is ok is it read.' }),
      ),
      lagSeconds: Nullable(Type.Number({ description: 'How late it is.' })),
    }),
  ),
  version: Type.String(),
  uptimeSeconds: Type.Integer(),
})

export const Alive = component('Alive', { alive: Type.Literal(true) })
export const Ready = component('Ready', { ready: Type.Literal(true) })

export const components = [Health, Alive, Ready]
