import { Type } from '@sinclair/typebox'
import { Address, Amount, component, Hex, Nullable, OneOf } from './common.ts'

export const QuoteQuery = Type.Object({
  side: OneOf(['buy', 'sell'], { description: 'Whether tokens are bought or sold.' }),
  amount: Type.String({
    pattern: '^[1-9][0-9]{0,77}$',
    description: 'What goes in, in base units: native coin of a buy (fees included), tokens of a sell.',
    examples: ['100000000000000000'],
    'x-expects': 'must be a positive integer in decimal digits',
  }),
  slippageBps: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10_000,
      default: 100,
      description: 'How far below the quote the outcome may be before the call reverts, in basis points.',
    }),
  ),
  recipient: Type.Optional(
    Type.String({
      ...Address,
      description: 'Who receives what comes out. Default: the wallet of the token of sign-in.',
    }),
  ),
})

const Call = Type.Object(
  { to: Address, data: Hex, value: Type.String({ ...Amount, description: 'Native coin to send along.' }) },
  { description: 'An unsigned call, ready for a wallet to sign and send.' },
)

export const Quote = component(
  'Quote',
  {
    token: Address,
    side: OneOf(['buy', 'sell']),
    venue: OneOf(['curve', 'pool'], { description: 'Where it trades: on the curve, or in the pool after graduation.' }),
    amountIn: Type.String({ ...Amount, description: 'What is paid in the end: the amount, less the refund.' }),
    amountOut: Type.String({ ...Amount, description: 'What comes out after all fees: tokens, or native coin.' }),
    minimumOut: Type.String({ ...Amount, description: 'Less than this and the call reverts.' }),
    refund: Type.String({ ...Amount, description: 'What a buy that completes the curve gives back.' }),
    protocolFee: Type.String({ ...Amount, description: 'In native coin.' }),
    creatorFee: Type.String({ ...Amount, description: 'In native coin.' }),
    poolFee: Type.String({ ...Amount, description: 'Kept by the pool, in the currency that goes in.' }),
    priceImpactPct: Type.Number({
      description:
        'How much worse than the price before it the trade is for its size alone, fees left out, in percent.',
    }),
    completesCurve: Type.Boolean({ description: 'Whether this buy takes all that is left on the curve.' }),
    slippageBps: Type.Integer(),
    deadline: Type.Integer({ description: 'Unix seconds after which the call reverts.' }),
    call: Nullable(Call),
    approval: Nullable(
      Type.Object(
        { spender: Address, amount: Amount },
        { description: 'What a sell needs first: this allowance of the token for this spender.' },
      ),
    ),
  },
  {
    description:
      'What a trade would do, to the last unit, in the state of the last block read. `call` is null when no recipient ' +
      'is known.',
    examples: [
      {
        token: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
        side: 'buy',
        venue: 'curve',
        amountIn: '100000000000000000',
        amountOut: '39554199574905294846782497',
        minimumOut: '39158657579156241898314672',
        refund: '0',
        protocolFee: '1000000000000000',
        creatorFee: '500000000000000',
        poolFee: '0',
        priceImpactPct: 5.372727,
        completesCurve: false,
        slippageBps: 100,
        deadline: 1_795_170_000,
        call: {
          to: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
          data: [
            '0xa9d424e2',
            '0000000000000000000000009fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
            '0000000000000000000000003c44cdddb6a900fa2b585dd299e03d12fa4293bc',
            '00000000000000000000000000000000000000000020642b14b8eeec19309bb0',
            '000000000000000000000000000000000000000000000000000000006b001ed0',
          ].join(''),
          value: '100000000000000000',
        },
        approval: null,
      },
    ],
  },
)

export const components = [Quote]
