/** A bounded queue that serves its owners in turn, so that one with many entries holds up nobody else. */
export interface FairQueue<Entry> {
  readonly size: number
  /** False if there is no room for it, in all or for this owner. */
  add(owner: string, entry: Entry): boolean
  take(): Entry | undefined
  /** Takes an entry out before its turn. */
  remove(owner: string, entry: Entry): void
}

export function createFairQueue<Entry>(limits: { total: number; perOwner: number }): FairQueue<Entry> {
  /** In the order in which owners are served next; an owner without entries is not in it. */
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
