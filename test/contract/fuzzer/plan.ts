import fc from 'fast-check'
import type { Request } from './client.ts'
import type { ApiDocument, Operation, Parameter } from './document.ts'
import { allowedBy, breakages, misfits } from './generate.ts'
import type { Memory } from './memory.ts'
import type { Session } from './session.ts'

/** What a request is sent to find out. */
export type Aim = 'accepts' | 'refuses' | 'malformed' | 'no token' | 'bad token' | 'method'

export interface Plan {
  aim: Aim
  operation: Operation
  request: Request
  /** The path without base, prefix and query. */
  path: string
}

/** Everything random about one request; the same seed draws the same. */
export interface Draw {
  aim: Aim
  mount: string
  /** By name of the parameter; the body under `body`. Absent means left out. */
  values: Record<string, unknown>
  picks: number[]
  signedIn: boolean
}

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const BOUNDARY = 'contract-fuzzer'
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** What can be drawn for an operation. */
export function drawsOf(operation: Operation, document: ApiDocument): fc.Arbitrary<Draw> {
  const { parameters, body, security } = operation
  const aims: fc.WeightedArbitrary<Aim>[] = [
    { weight: 8, arbitrary: fc.constant('accepts') },
    { weight: 1, arbitrary: fc.constant('method') },
  ]
  if (parameters.length > 0 || body) aims.push({ weight: 6, arbitrary: fc.constant('refuses') })
  if (body) aims.push({ weight: 1, arbitrary: fc.constant('malformed') })
  if (security !== 'none') aims.push({ weight: 1, arbitrary: fc.constant('bad token') })
  if (security === 'required') aims.push({ weight: 1, arbitrary: fc.constant('no token') })
  const values = Object.fromEntries([
    ...parameters.map(({ name, schema }) => [name, allowedBy(schema, document)]),
    ...(body?.type === 'application/json' ? [['body', allowedBy(body.schema, document)]] : []),
  ])
  return fc.record({
    aim: fc.oneof(...aims),
    mount: fc.constantFrom(...document.mounts),
    values: fc.record(values, {
      requiredKeys: [
        ...parameters.filter(({ required }) => required).map(({ name }) => name),
        ...(body ? ['body'] : []),
      ].filter((name) => name in values),
      noNullPrototype: true,
    }),
    picks: fc.array(fc.nat(1_000_000), { minLength: 24, maxLength: 24 }),
    signedIn: fc.boolean(),
  })
}

interface Ground {
  base: string
  document: ApiDocument
  memory: Memory
  /** Who asks, if anybody does. */
  session: Session
}

/** Makes a request of what was drawn; null where the operation offers nothing for that aim. */
export function toPlan(draw: Draw, operation: Operation, { base, document, memory, session }: Ground): Plan | null {
  const pick = createPicker(draw.picks)
  const values: Record<string, unknown> = {}
  // A cursor belongs to the list that gave it: those are followed where they are met.
  for (const parameter of operation.parameters)
    if (parameter.name in draw.values && parameter.name !== 'cursor') {
      // Mostly things that exist, or every request would end at its 404.
      const value = pick.isOften() ? memory.recall(operation, parameter, pick.next()) : undefined
      values[parameter.name] = value ?? draw.values[parameter.name]
    }
  thinOut(operation, values, pick)
  orderBounds(values)
  let body = draw.values.body
  if (body !== undefined && pick.isOften()) body = memory.fill(operation, body, pick.next())

  let method = operation.method
  if (draw.aim === 'refuses') {
    const broken = breakOne(operation, values, body, pick)
    if (!broken) return null
    body = broken.body
  }
  // No segment of a path is empty or made of dots: such a URL is that of another route.
  if (operation.parameters.some(({ in: place, name }) => place === 'path' && /^\.*$/.test(toText(values[name]))))
    return null
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(toText(values[name])))
  if (draw.aim === 'method') {
    const known = document.methodsAt(path)
    const isKnown = (one: string) => known.has(one.toLowerCase()) || (one === 'HEAD' && known.has('get'))
    const others = METHODS.filter((one) => !isKnown(one))
    if (others.length === 0) return null
    method = pick.from(others)
  }
  const query = new URLSearchParams()
  for (const parameter of operation.parameters)
    if (parameter.in === 'query' && values[parameter.name] !== undefined)
      query.set(parameter.name, toText(values[parameter.name]))
  const url = `${base}${draw.mount}${path}${query.size > 0 ? `?${query}` : ''}`
  const content = draw.aim === 'method' ? null : encodeBody(operation, body, draw.aim, pick)
  const headers = { ...content?.headers, ...authorize(draw, operation, session, pick) }
  const request: Request = { method, url, headers, ...(content && { body: content.bytes }) }
  return { aim: draw.aim, operation, request, path }
}

/** So many filters at once match nothing: most requests of such a list have some of them. */
const MANY_PARAMETERS = 12
const KEPT_PARAMETERS = 3

function thinOut({ parameters }: Operation, values: Record<string, unknown>, pick: Picker): void {
  const optional = parameters.filter(({ name, required }) => !required && values[name] !== undefined)
  if (optional.length < MANY_PARAMETERS || !pick.isOften()) return
  const first = pick.next() % optional.length
  const kept = new Set(Array.from({ length: KEPT_PARAMETERS }, (_, at) => optional[(first + at) % optional.length]))
  for (const parameter of optional) if (!kept.has(parameter)) delete values[parameter.name]
}

/** The schema of one bound cannot say that it depends on the other. */
function orderBounds(values: Record<string, unknown>): void {
  for (const [name, min] of Object.entries(values)) {
    const other = name.replace(/^min(?=[A-Z])/, 'max')
    const max = values[other]
    if (other === name || typeof min !== 'number' || typeof max !== 'number' || min <= max) continue
    values[name] = max
    values[other] = min
  }
}

function authorize(
  { aim, signedIn }: Draw,
  { security }: Operation,
  session: Session,
  pick: Picker,
): Record<string, string> {
  if (aim === 'no token') return {}
  if (aim === 'bad token') {
    const token = session.headers.authorization ?? ''
    return {
      authorization: pick.from([
        `${token.slice(0, -4)}AAAA`,
        'Bearer',
        'Bearer x',
        'Basic YTpi',
        `${token}.x`,
        'Bearer a.b.c',
      ]),
    }
  }
  return security === 'required' || (security === 'optional' && signedIn) ? session.headers : {}
}

/** Breaks one parameter, in place, or the body. */
function breakOne(
  { parameters, body: declared }: Operation,
  values: Record<string, unknown>,
  body: unknown,
  pick: Picker,
): { body: unknown } | null {
  const inBody = declared?.type === 'application/json'
  const target = pick.from<Parameter | null>([...parameters, ...(inBody ? [null, null] : [])])
  if (target === undefined) return null
  if (target === null) {
    const broken = [...breakages(body)].filter((value) => value !== undefined && !declared?.validate(value))
    return broken.length > 0 ? { body: pick.from(broken) } : null
  }
  const broken = misfits.map(toText).filter((text) => isRefused(target, text))
  if (broken.length === 0) return null
  values[target.name] = pick.from(broken)
  return { body }
}

/** Whether the text of a parameter is against its schema, read as the type that the schema wants. */
function isRefused({ in: place, validate, schema }: Parameter, text: string): boolean {
  // None is a segment of a path: one names another route, one is taken away by every URL parser, one is HTTP's own 414.
  if (place === 'path' && (/^\.*$/.test(text) || text.length > 1000)) return false
  // A lone surrogate cannot be put into a URL.
  if (!text.isWellFormed()) return false
  if (schema.type === 'integer' || schema.type === 'number')
    return text.trim() !== '' && (Number.isNaN(Number(text)) || !validate(Number(text)))
  if (schema.type === 'boolean') return text !== '' && !['true', 'false', 'null', '0', '1'].includes(text)
  return !validate(text)
}

function encodeBody(
  { body: declared }: Operation,
  body: unknown,
  aim: Aim,
  pick: Picker,
): { headers: Record<string, string>; bytes: string | Uint8Array } | null {
  if (!declared) return null
  if (declared.type === 'multipart/form-data') return encodeForm(aim)
  const text = JSON.stringify(body)
  const json = { 'content-type': 'application/json' }
  if (aim !== 'malformed') return { headers: json, bytes: text }
  return pick.from([
    { headers: json, bytes: `${text.slice(0, -1)},` },
    { headers: json, bytes: '{"a":1' },
    { headers: json, bytes: new Uint8Array([0xff, 0xfe, 0x7b]) },
    { headers: json, bytes: '{"__proto__":{"a":1}}' },
    { headers: { 'content-type': 'text/plain' }, bytes: text },
    { headers: { 'content-type': 'application/xml' }, bytes: '<a/>' },
    { headers: json, bytes: JSON.stringify('x'.repeat(300_000)) },
  ])
}

function encodeForm(aim: Aim): { headers: Record<string, string>; bytes: Uint8Array } {
  const file = aim === 'malformed' ? Buffer.from('not a picture') : Buffer.from(PIXEL, 'base64')
  const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n`
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    bytes: Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]),
  }
}

const toText = (value: unknown) => (typeof value === 'string' ? value : String(value))

interface Picker {
  next(): number
  from<T>(values: readonly T[]): T
  isOften(): boolean
}

function createPicker(picks: readonly number[]): Picker {
  let at = 0
  const next = () => picks[at++ % picks.length] as number
  return {
    next,
    from: <T>(values: readonly T[]) => values[next() % values.length] as T,
    isOften: () => next() % 4 !== 0,
  }
}
