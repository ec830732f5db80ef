import { formatAmount } from '@slipway/sdk/helpers'
import { keyOf } from '@slipway/sdk/react'
import { useQueryClient } from '@tanstack/react-query'
import { DetailsEditor } from '../../components/details-editor.tsx'
import { ChainReference } from '../../components/explorer-link.tsx'
import { ExternalLink } from '../../components/external-link.tsx'
import type { Token } from '../../data/tokens.ts'
import { api } from '../../lib/api.ts'
import { formatTime } from '../../lib/time.ts'

export function TokenAbout({ token }: { token: Token }) {
  const { links, description, poolAddress } = token
  const { protocolFeeBps, creatorFeeBps } = token
  const facts: [string, React.ReactNode][] = [
    ['Supply', formatAmount(token.totalSupply, token.decimals)],
    ['Launched', `${formatTime(token.createdAt)} on ${token.launchpad.name}`],
    [
      'Contract',
      <ChainReference key="contract" kind="address" value={token.address} label="Copy the address of the token" />,
    ],
  ]
  if (protocolFeeBps !== null && creatorFeeBps !== null)
    facts.splice(2, 0, ['Fees', `${(protocolFeeBps + creatorFeeBps) / 100} % of each trade on the curve`])
  if (poolAddress)
    facts.push(['Pool', <ChainReference key="pool" kind="pool" value={poolAddress} label="Copy the pool" />])
  const client = useQueryClient()
  return (
    <section aria-labelledby="about" className="panel p-4">
      <h2 id="about" className="mb-2 font-bold">
        About
      </h2>
      {description && (
        <p dir="auto" className="mb-3 whitespace-pre-wrap text-muted">
          {description}
        </p>
      )}
      <div className="mb-3 flex flex-wrap gap-1.5 empty:hidden">
        <ExternalLink url={links.website} label="Website" />
        <ExternalLink url={links.twitter} label="X" />
        <ExternalLink url={links.telegram} label="Telegram" />
        <ExternalLink url={links.discord} label="Discord" />
      </div>
      <dl className="grid gap-1.5 text-xs">
        {facts.map(([label, value]) => (
          <div key={label} className="flex items-center justify-between gap-4">
            <dt className="text-faint">{label}</dt>
            <dd className="text-right">{value}</dd>
          </div>
        ))}
      </dl>
      <div className="mt-3 grid empty:hidden">
        <DetailsEditor
          creator={token.creator}
          known={token}
          imageLabel="Image of the token"
          save={async (change) => {
            await api.tokens.patch(token.address, change)
            await client.invalidateQueries({ queryKey: keyOf(api.tokens.get.with(token.address)) })
          }}
        />
      </div>
    </section>
  )
}
