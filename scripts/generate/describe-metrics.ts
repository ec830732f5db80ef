import { globSync, readFileSync } from 'node:fs'
import ts from 'typescript'

export interface MetricDescription {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  help: string
}

const ROOT = new URL('../..', import.meta.url).pathname
const SOURCES = ['*.ts', '{chain,db,features,indexer,lib,plugins,routes}/**/*.ts']
/** Functions of lib/telemetry/create-metrics.ts, and `add`, as watchers call their own shorthand. */
const REGISTRARS = /^(add|counter|gauge|gauges|histogram|totals|totalsByLabels|distributions)$/

const METRIC_NAME = /^[a-z][a-z0-9_]*$/

/**
 * All metrics of the service, by name: the calls in the code that register one. A test compares them with a scrape, because
 * some are registered by processes of one role only.
 */
export function listMetrics(): MetricDescription[] {
  const found = new Map<string, MetricDescription>()
  for (const path of globSync(SOURCES, { cwd: ROOT })) {
    const source = ts.createSourceFile(path, readFileSync(ROOT + path, 'utf8'), ts.ScriptTarget.Latest)
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node)) {
        const metric = readRegistration(node)
        if (metric) found.set(metric.name, metric)
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function readRegistration({ expression, arguments: [name, help] }: ts.CallExpression): MetricDescription | undefined {
  const called = ts.isPropertyAccessExpression(expression) ? expression.name : expression
  if (!ts.isIdentifier(called) || !REGISTRARS.test(called.text)) return undefined
  if (!name || !help || !ts.isStringLiteralLike(name) || !ts.isStringLiteralLike(help)) return undefined
  if (!METRIC_NAME.test(name.text)) return undefined
  return { name: `slipway_${name.text}`, type: typeOf(called.text, name.text), help: help.text }
}

function typeOf(registrar: string, name: string): MetricDescription['type'] {
  if (registrar === 'histogram' || registrar === 'distributions') return 'histogram'
  return name.endsWith('_total') ? 'counter' : 'gauge'
}
