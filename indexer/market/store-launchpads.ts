import { type RawBuilder, sql } from 'kysely'
import { type Column, tableOf } from '../../db/bulk.ts'
import { getOrCreate } from '../../lib/collections/get-or-create.ts'
import type { Deltas } from './deltas.ts'
import type { TokenFigures } from './token-figures.ts'
import { addTokensDelta, makeTokensDelta, type TokensDelta } from './tokens-delta.ts'

type Row = TokensDelta & { launchpad: string; kind: string }

const sums: Column<Row>[] = [
  { name: 'tokens_total', type: 'bigint', value: ({ tokens }) => tokens },
  { name: 'tokens_graduated', type: 'bigint', value: ({ graduated }) => graduated },
  ...(['total', 'h24'] as const).flatMap((window): Column<Row>[] => [
    { name: `trades_${window}`, type: 'bigint', value: (row) => row[window].trades },
    { name: `volume_${window}`, type: 'numeric', value: (row) => row[window].volume },
    { name: `volume_usd_${window}`, type: 'numeric8', value: (row) => row[window].volumeUsd },
    { name: `protocol_fees_${window}`, type: 'numeric', value: (row) => row.protocolFees[window] },
    { name: `creator_fees_${window}`, type: 'numeric', value: (row) => row.creatorFees[window] },
  ]),
]
const columns: Column<Row>[] = [
  { name: 'launchpad', type: 'text', value: ({ launchpad }) => launchpad },
  { name: 'kind', type: 'text', value: ({ kind }) => kind },
  ...sums,
]
const names = columns.map(({ name }) => name).join(', ')
const additions = sums.map(({ name }) => `${name} = launchpad_figures.${name} + excluded.${name}`).join(', ')

/**
 * Adds the deltas of tokens to the figures of their launchpads: one row for each and batch, whatever the number of trades.
 * figures: of all tokens in the deltas. null: nothing is added.
 */
export function buildLaunchpads(
  { parts }: Pick<Deltas, 'parts'>,
  figures: ReadonlyMap<string, Pick<TokenFigures, 'launchpad' | 'launchpadKind'>>,
): RawBuilder<unknown> | null {
  const byLaunchpad = new Map<string, Row>()
  for (const [token, part] of parts) {
    const { launchpad, launchpadKind: kind } = figures.get(token)!
    addTokensDelta(
      getOrCreate(byLaunchpad, launchpad, () => ({ ...makeTokensDelta(), launchpad, kind })),
      part,
    )
  }
  if (byLaunchpad.size === 0) return null
  const rows = [...byLaunchpad.values()]
  return sql`insert into launchpad_figures (${sql.raw(names)}) select * from ${tableOf(columns, rows)}
    on conflict (launchpad) do update set ${sql.raw(additions)}`
}
