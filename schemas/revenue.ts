import { Type } from '@sinclair/typebox'
import { Address, Amount, component, Nullable, ref } from './common.ts'
import { exampleQuote, QuoteAsset } from './quote-asset.ts'

const amount = (description: string) => Nullable(Type.String({ ...Amount, description }))

const amounts = {
  asset: ref(QuoteAsset),
  earned: amount('Claimed and unclaimed together, in base units.'),
  claimed: amount(
    'Paid out by the launchpad. It keeps what a recipient does not accept for this recipient, which counts as paid.',
  ),
  unclaimed: amount('Earned by trades and not paid out yet. It is shared as the creator fees are split now.'),
}

const example = {
  asset: exampleQuote,
  earned: '41000000000000000',
  claimed: '30000000000000000',
  unclaimed: '11000000000000000',
}

export const Revenue = component('Revenue', amounts, {
  description: 'Creator fees of a token in one asset. Null where the events of the launchpad do not contain them.',
  examples: [example],
})

export const RevenueTotal = component(
  'RevenueTotal',
  {
    ...amounts,
    unknownTokens: Type.Integer({
      description:
        'Tokens that the wallet launched of which the events of the launchpad do not contain the creator fees: no sum has them.',
      examples: [2],
    }),
  },
  {
    description: 'Creator fees of a wallet in one asset. Null if they are unknown of all its tokens.',
    examples: [{ ...example, unknownTokens: 2 }],
  },
)

export const RevenueQuery = Type.Object({
  wallet: Type.Optional(
    Type.String({
      ...Address,
      description:
        'Only what this wallet was paid and can claim, as the creator or by a split. Default: all recipients.',
    }),
  ),
})
export const RevenueList = Type.Object({ items: Type.Array(ref(Revenue), { description: 'One item for each asset.' }) })

export const components = [Revenue, RevenueTotal]
