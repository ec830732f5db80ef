import type { ReactNode } from 'react'
import { useConfig } from '../data/config.tsx'
import { shorten } from '../lib/links.ts'
import { CopyButton } from './copy-button.tsx'

interface Props {
  kind: 'tx' | 'address' | 'pool'
  /** A transaction hash, an address, or the address or id of a pool. */
  value: string
  children: ReactNode
}

/** Leads to the block explorer, where the service names one. */
export function ExplorerLink({ kind, value, children }: Props) {
  const { explorerUrl } = useConfig()
  // Explorers have no page of a pool that is no contract.
  if (!explorerUrl || (kind === 'pool' && value.length !== 42)) return children
  return (
    <a
      href={`${explorerUrl}/${kind === 'tx' ? 'tx' : 'address'}/${value}`}
      target="_blank"
      rel="noopener noreferrer"
      title={`${new URL(explorerUrl).host}: ${value}`}
      className="hover:text-accent-ink hover:underline"
    >
      {children}
    </a>
  )
}

/** A transaction hash, an address or a pool: short, to copy, and to look up. */
export function ChainReference({ kind, value, label }: Omit<Props, 'children'> & { label: string }) {
  return (
    <span className="inline-flex items-center font-mono">
      <ExplorerLink kind={kind} value={value}>
        {shorten(value)}
      </ExplorerLink>
      <CopyButton text={value} label={label} />
    </span>
  )
}
