// Prepares the embedded database, of which each new one is a copy. npm runs it after an installation.
import { runCommand } from '../lib/commands/run-command.ts'

await runCommand({
  command: 'npm run prepare:database',
  about: `Makes a database with the schema of this version below node_modules/.cache, once. A service without DATABASE_URL
starts with a copy of it, which saves seconds at its first start; without it, it migrates an empty database.`,
  exitCodes: '0 prepared, or it failed, which it reports: nothing depends on it, so an installation goes on.',
  run: async () => {
    const { isPgliteInstalled } = await import('../db/embedded/is-installed.ts')
    if (!isPgliteInstalled()) return console.log('The embedded database is not prepared: it is not installed.')
    const { makeMigratedCluster } = await import('../db/embedded/make-migrated-cluster.ts')
    try {
      await makeMigratedCluster()
      console.log('Prepared the embedded database.')
    } catch (error) {
      console.error('The embedded database is not prepared, so the first start will take longer.', error)
    }
  },
})
