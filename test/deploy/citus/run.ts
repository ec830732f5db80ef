// Three local nodes of Citus for tests, until they are stopped with Ctrl-C. It prints what to give to the tests:
//
//   CITUS_SOURCE=../citus node test/deploy/citus/run.ts
import { once } from 'node:events'
import { findCitus } from './find-citus.ts'
import { startCitusNodes } from './start-nodes.ts'

const bin = await findCitus()
if (bin === undefined) {
  console.error('No Citus: install the extension for /usr/lib/postgresql, or set CITUS_SOURCE to its unpacked source')
  process.exit(2)
}
const teardowns: (() => unknown)[] = []
try {
  const { url, workers } = await startCitusNodes({ teardown: (work) => void teardowns.unshift(work) }, bin)
  console.log(`TEST_DATABASE_URL=${url} TEST_CITUS_WORKERS=${workers.map((worker) => worker.url).join(',')}`)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
} finally {
  for (const teardown of teardowns) await teardown()
}
