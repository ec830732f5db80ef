import type { Schema } from '@slipway/sdk'
import { formatShare, formatUsd } from '@slipway/sdk/helpers'
import { keyOf } from '@slipway/sdk/react'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { Outcome } from '../../components/action-button.tsx'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/states.tsx'
import { type Column, Table, Titled } from '../../components/table.tsx'
import { TokenImage } from '../../components/token-image.tsx'
import { toCoin } from '../../data/config.tsx'
import { api } from '../../lib/api.ts'
import { useFeeClaim } from '../../transactions/fee-claim.ts'
import { useSession } from '../../wallet/session.tsx'
import { FeeSharesDialog } from './fee-shares-dialog.tsx'

type Creation = Schema<'Creation'>

interface CreationListProps {
  title: string
  portfolio: Schema<'Portfolio'>
  rows: readonly Creation[]
}

/** Tokens whose creator fees the wallet gets, or may split. */
export function CreationList({ title, portfolio, rows }: CreationListProps) {
  const id = useId()
  const client = useQueryClient()
  const { wallet } = useSession()
  const claim = useFeeClaim()
  const [splitting, setSplitting] = useState<Creation | null>(null)
  if (rows.length === 0) return null
  const isOwn = wallet === portfolio.wallet
  const reload = () => void client.invalidateQueries({ queryKey: keyOf(api.portfolio.get) })
  const action: Column<Creation> = {
    label: 'Action',
    align: 'right',
    cell: (creation) => (
      <span className="inline-flex gap-1">
        <Button
          size="sm"
          disabled={creation.feeShareBps === null}
          aria-label={`Split the fees of ${creation.name}`}
          onClick={() => setSplitting(creation)}
        >
          Split
        </Button>
        <Button
          size="sm"
          disabled={claim.isPending || !Number(creation.feesClaimable)}
          aria-label={`Claim the fees of ${creation.name}`}
          onClick={() => claim.start(creation.token, reload)}
        >
          Claim
        </Button>
      </span>
    ),
  }
  return (
    <section aria-labelledby={id} className="panel">
      <h2 id={id} className="border-b border-line px-4 py-2.5 font-bold">
        {title}
      </h2>
      <Outcome action={claim} done="The fees were claimed." />
      {claim.progress && <Notice tone="info">{claim.progress}</Notice>}
      <Table
        caption={`${title} and their fees`}
        columns={[...columns, ...(isOwn ? [action] : [])]}
        rows={rows}
        keyOf={({ token }) => token}
      />
      <FeeSharesDialog creation={splitting} onClose={() => setSplitting(null)} onDone={reload} />
    </section>
  )
}

const columns: readonly Column<Creation>[] = [
  {
    label: 'Token',
    isFlexible: true,
    cell: (creation) => (
      <Titled
        image={<TokenImage address={creation.token} {...creation} className="size-8" />}
        title={
          <Link
            to="/token/$address"
            params={{ address: creation.token }}
            title={creation.name}
            className="font-semibold hover:underline"
          >
            <bdi>{creation.name}</bdi>
          </Link>
        }
      />
    ),
  },
  { label: 'Market cap', align: 'right', from: 'md', cell: ({ marketCapUsd }) => formatUsd(marketCapUsd) },
  {
    label: 'Fees earned',
    align: 'right',
    from: 'xl',
    cell: ({ feesEarned, quote }) => toCoin(quote).format(feesEarned),
  },
  {
    label: 'Share',
    align: 'right',
    from: 'sm',
    cell: ({ feeShareBps }) => (feeShareBps === null ? '–' : formatShare(feeShareBps)),
  },
  {
    label: 'To claim',
    align: 'right',
    className: 'font-semibold',
    cell: ({ feesClaimable, quote }) => toCoin(quote).format(feesClaimable),
  },
]
