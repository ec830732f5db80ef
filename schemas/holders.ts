import { Type } from '@sinclair/typebox'
import { Address, Amount, CursorList, CursorQuery, component, IsoTime, Nullable, OneOf, ref } from './common.ts'

const percent = (description: string) => Nullable(Type.Number({ description: `${description} In percent.` }))

export const Holder = component(
  'Holder',
  {
    address: Address,
    balance: Amount,
    pct: percent('Share of the total supply.'),
    label: Nullable(
      OneOf(['creator', 'curve', 'pool', 'burn', 'staking', 'raises'], {
        description:
          'Role of the address; null for a plain wallet. staking and raises: a contract of this platform that keeps tokens of ' +
          'many wallets.',
      }),
    ),
    firstSeenAt: IsoTime,
    lastActiveAt: Type.String({
      ...IsoTime,
      description: 'Time of the holder’s last trade of the token, or of its first balance.',
    }),
  },
  {
    description:
      'An address’s balance of a token. The supply in curve, pool, stakes and raises, and what is burnt, is listed with labels.',
    examples: [
      {
        address: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
        balance: '41893560112006519471348291',
        pct: 4.189356,
        label: null,
        firstSeenAt: '2026-11-20T10:02:00.000Z',
        lastActiveAt: '2026-11-20T11:58:12.000Z',
      },
    ],
  },
)
export const HolderQuery = CursorQuery({
  at: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'Balances after this block, at most the last indexed one. Default: the present ones. `lastActiveAt` is always of the ' +
        'present.',
    }),
  ),
})
export const HolderList = CursorList(ref(Holder))
