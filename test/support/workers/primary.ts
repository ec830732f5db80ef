// Runs one worker, or as many as WORKERS says, which behave as their variables say; logs as JSON lines.
import { fileURLToPath } from 'node:url'
import { Primary } from '../../../lib/workers/primary.ts'

const write = (level: string) => (fields: object, msg: string) => console.log(JSON.stringify({ level, ...fields, msg }))
const primary = new Primary({
  exec: fileURLToPath(new URL('worker.ts', import.meta.url)),
  places: Array.from({ length: Number(process.env.WORKERS ?? 1) }, (_, at) => ({
    name: `${at}`,
    env: {},
    serves: true,
  })),
  log: { info: write('info'), error: write('error'), fatal: write('fatal') },
  stopMs: 0,
  retireMs: 0,
  pace: { firstMs: 1, longestMs: 4, stableMs: 60_000, mostFailures: 4 },
})
process.on('SIGHUP', () => void primary.reload())
process.on('SIGTERM', () => void primary.stop())
const first = await primary.start()
if (!first) process.exit(4)
write('info')({}, first.greeting ?? '')
process.exit(await primary.ended)
