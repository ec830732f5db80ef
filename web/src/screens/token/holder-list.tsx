import type { Schema } from '@slipway/sdk'
import { formatAmount, formatPercent } from '@slipway/sdk/helpers'
import { useHolders } from '@slipway/sdk/react'
import { Badge } from '../../components/badges.tsx'
import { Age } from '../../components/figures.tsx'
import { FlagBadges } from '../../components/flag-badges.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { useFlags } from '../../data/forensics.ts'
import type { Token } from '../../data/tokens.ts'
import { TraderName } from './trader-name.tsx'

const labels = {
  creator: { tone: 'warn', text: 'Creator' },
  curve: { tone: 'accent', text: 'Bonding curve' },
  pool: { tone: 'accent', text: 'Pool' },
  burn: { tone: 'plain', text: 'Burnt' },
  token: { tone: 'plain', text: 'Token contract' },
  staking: { tone: 'accent', text: 'Staking' },
  raises: { tone: 'accent', text: 'Raises' },
} as const

function listColumns(
  { address: token, decimals }: Token,
  flags: ReturnType<typeof useFlags>,
): readonly Column<Schema<'Holder'>>[] {
  return [
    {
      label: 'Holder',
      isFlexible: true,
      cell: ({ address, label }) => {
        const role = label ?? (address === token ? 'token' : null)
        return (
          <TraderName wallet={address}>
            {role && (
              <span className="shrink-0">
                <Badge tone={labels[role].tone}>{labels[role].text}</Badge>
              </span>
            )}
            <FlagBadges flags={flags.get(address)?.filter((flag) => flag !== label) ?? []} />
          </TraderName>
        )
      },
    },
    { label: 'Balance', align: 'right', cell: ({ balance }) => formatAmount(balance, decimals) },
    { label: 'Share', align: 'right', cell: ({ pct }) => formatPercent(pct, 2) },
    {
      label: 'Of the supply',
      from: 'xl',
      cell: ({ pct }) => (
        <span className="block h-1.5 w-24 overflow-hidden rounded-full bg-line" aria-hidden="true">
          <span className="block h-full rounded-full bg-accent-ink" style={{ width: `${Math.min(100, pct ?? 0)}%` }} />
        </span>
      ),
    },
    {
      label: 'Last active',
      align: 'right',
      from: 'md',
      className: 'text-muted',
      cell: ({ lastActiveAt }) => <Age iso={lastActiveAt} />,
    },
  ]
}

export function HolderList({ token }: { token: Token }) {
  const query = useHolders(token.address)
  const { items: holders } = query
  const flags = useFlags(token.address)
  return (
    <>
      <QueryState query={query} loading={<SkeletonRows count={8} className="h-7" />}>
        {() =>
          holders.length === 0 ? (
            <Empty icon="users" title="Nobody holds this token yet" />
          ) : (
            <Table
              caption="Holders, largest first"
              label="Holders"
              columns={listColumns(token, flags)}
              rows={holders}
              keyOf={({ address }) => address}
              maxHeight="max-h-[30rem]"
              isDense
            />
          )
        }
      </QueryState>
      <ShowMore list={query} parameter="holderPages" />
    </>
  )
}
