import { writeFile } from 'node:fs/promises'
import { UsageError } from '../../lib/commands/options.ts'
import { type Engine, openCitus, openPostgres } from './engines.ts'
import { measureEngine } from './measure-engine.ts'
import { describeMachine, printResult } from './report.ts'
import type { EngineResult, Values } from './result.ts'
import { makeShape } from './shape.ts'

const INTERRUPTED = 130

/** Resolves to the exit code. One engine at a time: the disk need not hold both. */
export async function measureCluster(values: Values): Promise<number> {
  if (values.trades < 2 * values.tokens) throw new UsageError('--trades is less than twice --tokens')
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())
  const engines: (() => Promise<Engine>)[] = []
  if (!values['only-citus']) engines.push(() => openPostgres(values['database-url']))
  if (values.citus || values['only-citus']) engines.push(openCitus)
  const machine = describeMachine()
  console.log(machine)
  const results: EngineResult[] = []
  try {
    for (const open of engines) {
      const engine = await open()
      try {
        const result = await measureEngine(engine, makeShape(values), values, stop.signal)
        printResult(result)
        results.push(result)
      } finally {
        await engine.close()
      }
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error
    console.error('Interrupted: the processes are stopped, and the database is dropped')
    return INTERRUPTED
  }
  if (values.json !== undefined)
    await writeFile(values.json, `${JSON.stringify({ machine, options: values, results }, null, 2)}\n`)
  return 0
}
