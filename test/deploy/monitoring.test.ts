import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { buildApp } from '../../app.ts'
import { watchIndexer, watchProgress } from '../../indexer/engine/watch-indexer.ts'
import { createMetrics } from '../../lib/telemetry/create-metrics.ts'
import { watchClock } from '../../lib/telemetry/watch-clock.ts'
import { watchPools } from '../../lib/telemetry/watch-database.ts'
import { watchReplica } from '../../lib/telemetry/watch-replica.ts'
import { createTestApp, testConfig } from '../support/app.ts'
import { ROOT } from '../support/container/dockerfile.ts'
import { createTestDatabase } from '../support/database.ts'
import { type Metric, parseScrape } from '../support/scrape.ts'

interface Dashboard {
  panels: {
    id: number
    type: string
    title: string
    gridPos: Record<'x' | 'y' | 'w' | 'h', number>
    targets?: { expr: string }[]
  }[]
  templating: { list: { name: string }[] }
}
interface Rules {
  groups: {
    rules: {
      alert: string
      expr: string
      labels: { severity: string }
      annotations: { summary: string; description: string }
    }[]
  }[]
}
const dashboard = JSON.parse(readFileSync(join(ROOT, 'deploy/grafana/slipway.json'), 'utf8')) as Dashboard
const rules = (parse(readFileSync(join(ROOT, 'deploy/prometheus/alerts.yaml'), 'utf8')) as Rules).groups.flatMap(
  ({ rules }) => rules,
)
const panels = dashboard.panels.filter(({ type }) => type !== 'row')

/** Every metric that a process can have, from a scrape over HTTP of one that has them all. */
async function scrapeAll(): Promise<Map<string, Metric>> {
  const database = await createTestDatabase(t)
  const metrics = createMetrics()
  watchPools(metrics, database.pools)
  const quiet = { info: () => {}, warn: () => {} }
  t.teardown(watchClock(metrics, { readTime: async () => Date.now() / 1000, log: quiet }))
  watchProgress(metrics, database.db)
  watchIndexer(metrics, () => true)
  watchReplica(metrics, { status: () => ({ state: 'ok', lagSeconds: 0 }) })
  const config = testConfig()
  const { services } = await createTestApp({ config, services: { db: database.db } })
  const app = await buildApp(config, { ...services, metrics })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.close())
  await (await fetch(`${url}/tokens`)).text()
  return parseScrape(await (await fetch(`${url}/metrics`)).text())
}

const scraped = await scrapeAll()
/** The series that an expression asks for, with the labels that it names. */
function* readSelectors(expression: string) {
  for (const [, name = '', matchers = ''] of expression.matchAll(/\b(slipway_\w+)(?:\{([^}]*)\})?/g)) {
    yield {
      name,
      labels: [...matchers.matchAll(/(\w+)\s*=~?\s*"([^"]*)"/g)].map(([, label = '', value = '']) => ({
        label,
        value,
      })),
    }
  }
}
/** Labels that Prometheus itself adds. */
const ADDED = new Set(['job', 'instance'])
const labelNames = (name: string) => {
  const family = scraped.get(name) ?? scraped.get(name.replace(/_(bucket|sum|count)$/, ''))
  const isPart = family && family.type === 'histogram' ? /_(bucket|sum|count)$/.test(name) : true
  return family && isPart ? family : undefined
}

t.test('every panel and alert queries metrics that a process serves', async (t) => {
  const expressions = [
    ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr }))),
    ...rules.map(({ alert, expr }) => ({ title: alert, expr })),
  ]
  t.ok(expressions.length > 40)
  for (const { title, expr } of expressions) {
    const selectors = [...readSelectors(expr)]
    t.ok(selectors.length > 0, `${title} asks for something`)
    for (const { name } of selectors) t.ok(labelNames(name), `${title}: ${name}`)
  }
})

t.test('panels and alerts use only label values that the service sets', async (t) => {
  const known: Record<string, string[]> = {
    status: ['5xx'],
    result: ['hit'],
    source: ['service'],
    outcome: ['failed'],
    quantile: ['0.99'],
    part: ['used'],
  }
  for (const expr of [
    ...panels.flatMap(({ targets = [] }) => targets.map((one) => one.expr)),
    ...rules.map((one) => one.expr),
  ]) {
    for (const { labels } of readSelectors(expr)) {
      for (const { label, value } of labels) {
        t.ok(ADDED.has(label) || known[label]?.includes(value), `${label}="${value}" in ${expr}`)
      }
    }
  }
})

t.test('every metric of the service is on the dashboard, in an alert or explicitly excluded', async (t) => {
  const text = JSON.stringify(dashboard) + JSON.stringify(rules)
  const leftOut = ['slipway_process_start_time_seconds', 'slipway_process_open_fds']
  for (const name of scraped.keys()) t.ok(leftOut.includes(name) || text.includes(name), name)
})

t.test('panels have distinct ids and do not overlap', async (t) => {
  t.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length)
  for (const one of panels) {
    for (const other of panels) {
      if (one === other) continue
      const a = one.gridPos
      const b = other.gridPos
      t.notOk(a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h, `${one.title}, ${other.title}`)
    }
  }
})

t.test('every alert has a severity, a summary and a description', async (t) => {
  for (const { alert, labels, annotations } of rules) {
    t.match(alert, /^Slipway[A-Z]\w+$/)
    t.match(labels.severity, /^(warning|critical)$/)
    t.ok(annotations.summary && annotations.description)
  }
  for (const wanted of ['IndexerBehind', 'IndexerHalted', 'Failures', 'PoolWaiting', 'NoLeader']) {
    t.ok(
      rules.some(({ alert }) => alert === `Slipway${wanted}`),
      wanted,
    )
  }
})
