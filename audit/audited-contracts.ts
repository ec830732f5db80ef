import type { AuditedQuotes } from './rates.ts'

/** The contracts whose logs the audit reads: those that are configured, and those that were indexed. */
export interface AuditedContracts {
  /** The kind in DEPLOYMENTS of each launchpad. */
  launchpads: ReadonlyMap<string, string>
  staking: ReadonlySet<string>
  raises: ReadonlySet<string>
  wrappedNative: string
  feed: string | null
  quotes: AuditedQuotes
  startBlock: number
}
