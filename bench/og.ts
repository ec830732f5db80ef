// Measures link previews per second, and the event loop delay meanwhile.
import { integer } from '../lib/commands/options.ts'
import { runCommand } from '../lib/commands/run-command.ts'

await runCommand({
  command: 'npm run bench:og',
  about: `Prints link previews per second from 1, 2 and 4 child processes against threads with bare loops of satori and resvg, and the
event loop delay meanwhile.`,
  arguments: { cards: integer('CARDS', 'cards that each worker draws', { min: 1, max: 100_000 }, 100) },
  exitCodes: '0 measured, 2 it could not run.',
  run: async ({ cards }) => (await import('./og/measure.ts')).measureCards(cards),
})
