/** A metric as exposed. */
export interface Metric {
  name: string
  type: string
  help: string
  samples: { name: string; labels: Record<string, string>; value: number }[]
}

const SAMPLE = /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-z_][a-z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/g

/** Reads the text format of Prometheus, strictly: anything that is not of it is an error. */
export function parseScrape(text: string): Map<string, Metric> {
  const metrics = new Map<string, Metric>()
  let current: Metric | undefined
  for (const line of text.split('\n')) {
    if (line === '') continue
    const [, keyword, name, rest] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (keyword === 'HELP') {
      if (metrics.has(String(name))) throw new Error(`${name} is described twice`)
      current = { name: String(name), help: String(rest), type: '', samples: [] }
      metrics.set(current.name, current)
    } else if (keyword === 'TYPE') {
      if (current?.name !== name) throw new Error(`A type without a description: ${line}`)
      current!.type = String(rest)
    } else current?.samples.push(readSample(line, current))
  }
  return metrics
}

function readSample(line: string, { name: family, type }: Metric) {
  const [, name, labelText = '', number] = SAMPLE.exec(line) ?? []
  const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
  if (!name || !suffixes.some((suffix) => name === family + suffix)) throw new Error(`No sample of ${family}: ${line}`)
  const labels: Record<string, string> = {}
  let read = 0
  for (const [whole, label, value] of labelText.matchAll(LABEL)) {
    labels[String(label)] = String(value)
    read += whole.length
  }
  if (read !== labelText.length) throw new Error(`Labels that cannot be read: ${line}`)
  const value = number === '+Inf' ? Number.POSITIVE_INFINITY : Number(number)
  if (Number.isNaN(value)) throw new Error(`No number: ${line}`)
  return { name, labels, value }
}

/** The sum of a metric's samples that have these labels; undefined if there are none. */
export function readValue(metrics: Map<string, Metric>, name: string, labels: Record<string, string> = {}) {
  const family = metrics.get(name) ?? metrics.get(name.replace(/_(bucket|sum|count)$/, ''))
  const found = family?.samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )
  return found && found.length > 0 ? found.reduce((sum, { value }) => sum + value, 0) : undefined
}
