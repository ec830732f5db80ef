import type { CommittedChange } from '../live/live-event.ts'

/** An address in a cache tag: see cacheTagOf. */
const TOKEN_TAG = 'token:'

/** What the next refresh must read. */
export class PendingChanges {
  readonly ids = new Set<number>()
  readonly addresses = new Set<string>()
  /** All figures must be read. */
  isLoad = false
  /** Records of any token may be others, with the same figures. */
  areRecordsChanged = false
  /** A refresh is due, whatever has changed. */
  isRequested = false
  /** The last commit; -1 if there is none. */
  last = -1
  /** The last commit that changed figures or records. */
  changedAt: number | null = null

  /** Returns whether the commit changes figures or records of tokens, or the clock. */
  add({ seq, cacheTags, tokens }: CommittedChange): boolean {
    this.last = Math.max(this.last, seq)
    const named = cacheTags.filter((tag) => tag.startsWith(TOKEN_TAG))
    const areRecordsChanged = cacheTags.includes('token')
    if (tokens.length === 0 && named.length === 0 && !areRecordsChanged && !cacheTags.includes('chain')) return false
    this.changedAt = Math.max(this.changedAt ?? -1, seq)
    this.areRecordsChanged ||= areRecordsChanged
    if (tokens === 'all') this.isLoad = true
    else for (const id of tokens) this.ids.add(id)
    for (const tag of named) this.addresses.add(tag.slice(TOKEN_TAG.length))
    return true
  }

  /** Adds changes whose refresh has failed. */
  merge(failed: PendingChanges): void {
    for (const id of failed.ids) this.ids.add(id)
    for (const address of failed.addresses) this.addresses.add(address)
    this.isLoad ||= failed.isLoad
    this.areRecordsChanged ||= failed.areRecordsChanged
    this.isRequested ||= failed.isRequested
    this.last = Math.max(this.last, failed.last)
    if (failed.changedAt !== null) this.changedAt = Math.max(this.changedAt ?? -1, failed.changedAt)
  }
}
