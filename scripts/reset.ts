// Deletes the embedded chain and the embedded database.
import { runCommand } from '../lib/commands/run-command.ts'

await runCommand({
  command: 'npm run reset',
  about: `Deletes the embedded chain and the embedded database from DATA_DIR; the next start creates new ones. Uploads, and the databases
and nodes of DATABASE_URL and RPC_URL, are not changed. Fails while a process has the chain or the database open.`,
  notes: `Environment:
  DATA_DIR   the folder, ./data by default`,
  exitCodes: '0 cleared, or nothing to clear; 2 the reset could not run.',
  run: async () => {
    const [{ loadConfig }, { reset }] = await Promise.all([
      import('../config/config.ts'),
      import('./commands/reset.ts'),
    ])
    await reset(loadConfig(process.env).dataDir)
  },
})
