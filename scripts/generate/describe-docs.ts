import { readFile } from 'node:fs/promises'
import { environment } from '../../config/environment.ts'
import type { Note } from '../../config/variables.ts'
import { aggregationOf } from '../../lib/telemetry/across-processes.ts'
import { reasons, socket } from '../../routes/index.ts'
import { countOwnCode } from './count-own-code.ts'
import { listMetrics } from './describe-metrics.ts'
import { remedies } from './error-remedies.ts'
import { escapeCell, readTable, replaceTable, toTable } from './tables.ts'

const variables = toTable(
  ['variable', 'description', 'accepts', 'default'],
  Object.entries(environment).map(([name, schema]) => {
    const { description, accepts, secret } = schema as unknown as Note
    const fallback = schema.default === undefined || schema.default === '' ? '' : `\`${schema.default}\``
    const shown = secret && fallback ? 'a development key' : fallback
    return [`\`${name}\`${secret ? ' (secret)' : ''}`, escapeCell(description), escapeCell(accepts), shown]
  }),
)

const nameOf = (kind: string) => {
  const parameter = socket.channels[kind]?.parameter
  return `\`${parameter ? `${kind}:<${parameter === 'address' ? 'address' : 'id'}>` : kind}\``
}

const events = toTable(
  ['type', 'channels', 'data', 'meaning'],
  Object.entries(socket.events).map(([type, { data, channels, description }]) => [
    `\`${type}\``,
    channels.map(nameOf).join(' '),
    `\`${data.$id}\``,
    escapeCell(description),
  ]),
)

const channels = toTable(
  ['channel', 'meaning', 'events'],
  Object.entries(socket.channels).map(([kind, { description }]) => [
    nameOf(kind),
    escapeCell(description),
    Object.keys(socket.events)
      .filter((type) => socket.events[type]?.channels.includes(kind))
      .map((type) => `\`${type}\``)
      .join(', '),
  ]),
)

const errors = toTable(
  ['status', 'reason', 'message, for example', 'what to do'],
  Object.values(reasons)
    .sort((a, b) => a.status - b.status)
    .map(({ name, status, message, example }) => {
      const remedy = remedies[name]
      if (remedy === undefined) throw new Error(`scripts/generate/error-remedies.ts has no remedy for ${name}`)
      return [String(status), `\`${name}\``, escapeCell(message(example)), remedy]
    }),
)

const AGGREGATIONS = { sum: 'sum', max: 'highest', min: 'lowest' }

const metrics = toTable(
  ['metric', 'type', 'meaning', 'of several workers'],
  listMetrics().map(({ name, type, help }) => [
    `\`${name}\``,
    type,
    escapeCell(help),
    type === 'gauge' ? AGGREGATIONS[aggregationOf(name.replace('slipway_', ''))] : 'sum',
  ]),
)

/** The name of the table between two comments of each page, and the table. */
const tables: Record<string, readonly [name: string, table: string]> = {
  'docs/operations.md': ['variables', variables],
  'docs/live-events.md': ['events', events],
  'docs/sockets.md': ['channels', channels],
  'docs/error-reasons.md': ['errors', errors],
  'docs/metrics.md': ['metrics', metrics],
}

const readPage = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

/** The pages that have a table made from code, by path. */
export async function describePages(): Promise<Record<string, string>> {
  const pages = Object.entries(tables).map(async ([path, [name, table]]) => [
    path,
    replaceTable(await readPage(path), name, table),
  ])
  const described = Object.fromEntries(await Promise.all(pages))
  const architecture = await readPage('docs/architecture.md')
  const own = countOwnCode(readTable(architecture, 'own code'))
  return { ...described, 'docs/architecture.md': replaceTable(architecture, 'own code', own) }
}
