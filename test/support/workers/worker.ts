import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { joinPrimary } from '../../../lib/workers/worker.ts'

const { BEHAVIOUR, PORT, REFUSED_BY } = process.env
const primary = joinPrimary()
if (BEHAVIOUR === 'starts-never' || (REFUSED_BY && existsSync(REFUSED_BY))) process.exit(3)
if (BEHAVIOUR === 'stops-never') process.on('SIGTERM', () => {})
if (PORT) await once(createServer((_, response) => response.end(String(process.pid))).listen(Number(PORT)), 'listening')
primary.reportReady(`ready ${process.pid}`)
if (BEHAVIOUR === 'ends') setTimeout(() => process.exit(3), 20)
await primary.retired
await primary.leave()
process.exit(0)
