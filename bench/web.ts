// Measures the web client in Chromium.
import { runCommand } from '../lib/commands/run-command.ts'

await runCommand({
  command: 'npm run bench:web',
  about: `Prints, of ten runs each: the time from navigation, with an empty cache, to a market of which a row can be clicked; and the time
from a click on Buy in one browser to the trade's row in another. Then the requests of pages that count against the quota.
Needs Chromium and a built client (npm run build:web).`,
  notes: `Environment:
  CHROMIUM_PATH   default /usr/bin/chromium`,
  exitCodes: '0 measured, 2 it could not run.',
  run: async () => (await import('./web/measure.ts')).measureWeb(),
})
