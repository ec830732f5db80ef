import { Type } from '@sinclair/typebox'
import { Address, Amount, component, Decimal, Hex, Nullable, OneOf, ref } from './common.ts'
import { exampleQuote, QuoteAsset } from './quote-asset.ts'

export const QuoteQuery = Type.Object({
  side: OneOf(['buy', 'sell'], { description: 'Whether to buy or to sell tokens.' }),
  amount: Type.String({
    pattern: '^[1-9][0-9]{0,77}$',
    description: 'Input amount in base units: native coin for a buy (fees included), tokens for a sell.',
    examples: ['100000000000000000'],
    'x-expects': 'must be a positive integer in decimal digits',
  }),
  slippageBps: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10_000,
      default: 100,
      description: 'Slippage tolerance in basis points: the call reverts if the output is further below the quote.',
    }),
  ),
  recipient: Type.Optional(
    Type.String({
      ...Address,
      description: 'Wallet that receives the output. Default: the authenticated wallet.',
    }),
  ),
})

const Call = Type.Object(
  { to: Address, data: Hex, value: Type.String({ ...Amount, description: 'Native coin to send with the call.' }) },
  { description: 'An unsigned call for a wallet to sign and send.' },
)

export const Quote = component(
  'Quote',
  {
    token: Address,
    side: OneOf(['buy', 'sell']),
    venue: OneOf(['curve', 'pool'], {
      description: 'curve: on the bonding curve. pool: in the pool, after graduation or a launch in it.',
    }),
    router: Nullable(Type.String({ ...Address, description: 'Contract that trades in the pool. Null on the curve.' })),
    quote: ref(QuoteAsset),
    amountIn: Type.String({ ...Amount, description: 'Amount paid: the input amount less the refund.' }),
    amountOut: Type.String({
      ...Amount,
      description: 'Output after all fees: tokens for a buy, native coin for a sell.',
    }),
    minimumOut: Type.String({ ...Amount, description: 'Minimum output; below it, the call reverts.' }),
    refund: Type.String({ ...Amount, description: 'Amount returned by a buy that completes the curve.' }),
    protocolFee: Type.String({ ...Amount, description: 'In native coin.' }),
    creatorFee: Type.String({ ...Amount, description: 'In native coin.' }),
    poolFee: Type.String({ ...Amount, description: 'Fee kept by the pool, in the input currency.' }),
    priceImpactPct: Type.Number({
      description:
        'Price impact in percent, without fees: how much worse the average price of the trade is than the price ' +
        'before it. The trade moves the price further, to priceAfter.',
    }),
    priceBefore: Nullable(
      Type.String({ ...Decimal, description: 'Price of one whole token before the trade, in native coin.' }),
    ),
    priceAfter: Nullable(
      Type.String({ ...Decimal, description: 'Price of one whole token after the trade, in native coin.' }),
    ),
    completesCurve: Type.Boolean({
      description:
        'Whether this buy takes all remaining tokens of the curve. With 3,400,000 gas more than a node estimates, it graduates ' +
        'the token in the same transaction, and gets the bounty of the launchpad for it.',
    }),
    slippageBps: Type.Integer(),
    deadline: Type.Integer({ description: 'Time in Unix seconds after which the call reverts.' }),
    recipient: Nullable(
      Type.String({ ...Address, description: 'Wallet that receives the output. Null if it is unknown.' }),
    ),
    call: Nullable(Call),
    approval: Nullable(
      Type.Object(
        { spender: Address, amount: Amount },
        { description: 'Token allowance that a sell in the pool requires first, for this spender. Null on the curve.' },
      ),
    ),
  },
  {
    description:
      'Exact result of a trade, to the base unit, in the state of the last indexed block; in a pool of another launchpad than ours, in that of ' +
      'the newest block of the node. `call` is null if the recipient is unknown.',
    examples: [
      {
        token: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
        side: 'buy',
        venue: 'curve',
        router: null,
        quote: exampleQuote,
        amountIn: '100000000000000000',
        amountOut: '39554199574905294846782497',
        minimumOut: '39158657579156241898314672',
        refund: '0',
        protocolFee: '1000000000000000',
        creatorFee: '500000000000000',
        poolFee: '0',
        priceImpactPct: 5.372727,
        priceBefore: '0.0000000023632812500000000008593749992614746',
        priceAfter: '0.00000000262404845703125000085689430829476004',
        completesCurve: false,
        slippageBps: 100,
        deadline: 1_795_170_000,
        recipient: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
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
