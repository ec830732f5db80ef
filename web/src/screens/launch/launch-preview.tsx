import { useCoin } from '../../data/config.tsx'
import type { useLaunchTerms } from '../../transactions/launch-terms.ts'
import type { Draft } from './draft.ts'
import { usePreview } from './image-field.tsx'

type Terms = NonNullable<ReturnType<typeof useLaunchTerms>['data']>

interface Props {
  draft: Draft
  initialBuy: bigint
  /** Undefined until they are known. */
  terms: Terms | undefined
}

/** How the token will look in lists, and what the launch costs. */
export function LaunchPreview({ draft, initialBuy, terms }: Props) {
  const coin = useCoin()
  const preview = usePreview(draft.image)
  const rows: [string, string][] = [
    ['Launch', 'free'],
    ['Initial buy', initialBuy > 0n ? coin.format(initialBuy) : 'none'],
    ['Network fee', 'shown by your wallet'],
    ['Target of the curve', terms ? coin.format(terms.targetQuote) : '…'],
    ['Fees of each trade', terms ? `${(terms.protocolFeeBps + terms.creatorFeeBps) / 100} %` : '…'],
    ['Your part of them', terms ? `${terms.creatorFeeBps / 100} %` : '…'],
  ]
  return (
    <aside className="grid content-start gap-4" aria-label="Preview and costs">
      <section className="panel p-4" aria-labelledby="preview">
        <h2 id="preview" className="mb-3 font-bold">
          Preview
        </h2>
        <div className="flex items-center gap-3">
          {preview ? (
            <img src={preview} alt="" className="size-12 rounded-lg object-cover" />
          ) : (
            <span
              className="grid size-12 place-items-center rounded-lg bg-raised font-bold text-faint"
              aria-hidden="true"
            >
              {[...(draft.symbol.trim() || '?')].slice(0, 2).join('')}
            </span>
          )}
          <div className="min-w-0">
            <p className="truncate font-semibold">
              <bdi>{draft.name.trim() || 'Name'}</bdi>
            </p>
            <p className="truncate text-muted">
              <bdi>{draft.symbol.trim() || 'SYMBOL'}</bdi>
            </p>
          </div>
        </div>
        {draft.description.trim() && (
          <p dir="auto" className="mt-3 whitespace-pre-wrap text-muted">
            {draft.description.trim()}
          </p>
        )}
      </section>
      <section className="panel p-4" aria-labelledby="costs">
        <h2 id="costs" className="mb-3 font-bold">
          What it costs
        </h2>
        <dl className="grid gap-2">
          {rows.map(([label, value]) => (
            <div key={label} className="flex justify-between gap-3">
              <dt className="text-muted">{label}</dt>
              <dd className="font-semibold">{value}</dd>
            </div>
          ))}
        </dl>
        <p className="mt-3 text-xs text-faint">
          The supply is 1,000,000,000. It is sold along a curve; at the target the liquidity moves to a pool for good.
          Name, symbol and supply can never be changed. If the terms change before your launch, it fails.
        </p>
      </section>
    </aside>
  )
}
