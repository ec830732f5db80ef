/** A bounded queue that serves owners round-robin, so that an owner with many entries does not delay the others. */
export interface FairQueue<Entry> {
  readonly size: number
  /** False if the queue is full, in total or for this owner. */
  add(owner: string, entry: Entry): boolean
  take(): Entry | undefined
  /** Removes an entry before it was taken. */
  remove(owner: string, entry: Entry): void
}

export function createFairQueue<Entry>(limits: { total: number; perOwner: number }): FairQueue<Entry> {
  /** In serving order. Owners without entries are absent. */
  const owners = new Map<string, Entry[]>()
  let size = 0
  return {
    get size() {
      return size
    },
    add: (owner, entry) => {
      const entries = owners.get(owner) ?? []
      if (size >= limits.total || entries.length >= limits.perOwner) return false
      entries.push(entry)
      owners.set(owner, entries)
      size++
      return true
    },
    take: () => {
      const [first] = owners
      if (!first) return undefined
      const [owner, entries] = first
      const entry = entries.shift()
      owners.delete(owner)
      if (entries.length > 0) owners.set(owner, entries)
      size--
      return entry
    },
    remove: (owner, entry) => {
      const entries = owners.get(owner) ?? []
      const at = entries.indexOf(entry)
      if (at < 0) return
      entries.splice(at, 1)
      if (entries.length === 0) owners.delete(owner)
      size--
    },
  }
}
