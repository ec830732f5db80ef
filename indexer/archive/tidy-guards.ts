import type { Db } from '../../db/client.ts'
import { guard, listGuarded, unguard } from '../../db/guards.ts'
import { listEntries } from './entries.ts'

/** Guards what is archived, also after a rebuild that failed, and nothing whose rows are in the database. */
export async function tidyGuards(db: Db): Promise<void> {
  const guarded = new Set(await listGuarded(db))
  for (const { name, parent, state } of await listEntries(db)) {
    if (state === 'live' && guarded.has(name)) await unguard(db, name)
    if (state === 'archived') await guard(db, name, { isEmpty: parent === 'trades' })
  }
}
