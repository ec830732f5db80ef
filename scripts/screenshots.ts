// Takes a picture of every screen of the web client.
import { text, url } from '../lib/commands/options.ts'
import { runCommand } from '../lib/commands/run-command.ts'

await runCommand({
  command: 'npm run screenshots',
  about: `Takes a picture of every screen of the web client, at four widths and in both themes. Needs Chromium and a built client
(npm run build:web).`,
  options: {
    base: url('URL', 'a running service with the embedded chain; default: starts one of its own', 'http'),
    out: text('FOLDER', 'where to write the pictures', 'screenshots'),
    only: text('NAME', 'screens whose name begins with it; default all'),
  },
  notes: `Environment:
  CHROMIUM_PATH   default /usr/bin/chromium`,
  exitCodes: '0 the pictures are taken, 2 they could not be.',
  run: async (values) => (await import('./commands/screenshots.ts')).takeScreenshots(values),
})
