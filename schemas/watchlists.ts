import { Type } from '@sinclair/typebox'
import { Address, component, IsoTime, Nullable } from './common.ts'

export const Watch = component(
  'Watch',
  {
    token: Address,
    watchedAt: Nullable(Type.String({ ...IsoTime, description: 'Null if the token is not watched now.' })),
    watcherCount: Type.Integer({ description: 'Current number of wallets that watch the token.' }),
  },
  {
    description: 'Whether a token is on the own watchlist.',
    examples: [
      {
        token: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
        watchedAt: '2026-11-21T12:00:00.000Z',
        watcherCount: 12,
      },
    ],
  },
)

export const components = [Watch]
