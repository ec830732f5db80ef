import { existsSync } from 'node:fs'
import { joinPrimary } from '../../../lib/workers/worker.ts'

const { BEHAVIOUR, REFUSED_BY } = process.env
const primary = joinPrimary()
if (BEHAVIOUR === 'starts-never' || (REFUSED_BY && existsSync(REFUSED_BY))) process.exit(3)
if (BEHAVIOUR === 'stops-never') process.on('SIGTERM', () => {})
primary.reportReady(`ready ${process.pid}`)
if (BEHAVIOUR === 'ends') setTimeout(() => process.exit(3), 20)
await primary.retired
await primary.leave()
process.exit(0)
