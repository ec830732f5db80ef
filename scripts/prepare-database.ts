// Prepares the embedded database, of which each new one is a copy. npm runs it after an installation.
import { parseArgs } from 'node:util'
import { makeMigratedCluster } from '../db/make-migrated-cluster.ts'

const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } })

if (values.help)
  console.log(`Usage: npm run prepare:database

Makes a database with the schema of this version below node_modules/.cache, once. A service without DATABASE_URL
starts with a copy of it, which saves seconds at its first start; without it, it migrates an empty database.`)
else
  try {
    await makeMigratedCluster()
    console.log('Prepared the embedded database.')
  } catch (error) {
    // Nothing depends on it, so an installation goes on.
    console.error('The embedded database is not prepared, so the first start will take longer.', error)
  }
