import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { parse } from 'yaml'
import { socket } from '../../routes/index.ts'
import { clientMessages, errorCodes } from '../../schemas/live.ts'
import { createTestApp, testConfig } from '../support/app.ts'

const KEPT = new URL('../../asyncapi.yaml', import.meta.url)

interface Document {
  asyncapi: string
  servers: Record<string, { host: string; protocol: string; pathname: string }>
  channels: { socket: { messages: Record<string, object> } }
  operations: Record<string, { action: string; messages: { $ref: string }[] }>
  components: {
    messages: Record<string, { payload: object; examples?: { payload: unknown }[] }>
    schemas: Record<string, object>
  }
}

const { app } = await createTestApp({ config: testConfig({ PUBLIC_URL: 'https://launch.example/base' }) })
t.teardown(() => app.close())
const document = (await app.inject('/asyncapi.json')).json() as Document

t.test('the document of the socket is served as it is stored', async (t) => {
  t.equal(document.asyncapi, '3.0.0')
  // The stored one, which names no deployment, is linted by `npm run check:api`.
  const stored = parse(await readFile(KEPT, 'utf8')) as Document
  t.same({ ...document, servers: {} }, { ...stored, servers: {} })
})

t.test('examples of messages match their schemas', async (t) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'document', components: document.components })
  const { messages } = document.components
  const examples = Object.entries(messages).flatMap(([name, { examples = [] }]) =>
    examples.map((one) => ({ name, one })),
  )
  t.not(examples.length, 0)
  for (const { name, one } of examples)
    t.ok(
      ajv.validate({ $ref: `document#/components/messages/${name}/payload` }, one.payload),
      `${name} ${ajv.errorsText()}`,
    )
})

t.test('the document has every message, channel and error code, and no dangling reference', async (t) => {
  const { messages, schemas } = document.components
  const names = [
    ...Object.keys(clientMessages),
    'subscribed',
    'unsubscribed',
    'pong',
    'error',
    ...Object.keys(socket.events),
  ]
  t.same(Object.keys(messages).sort(), names.sort())
  t.same(Object.keys(document.channels.socket.messages).sort(), names.sort())
  const operations = Object.keys(document.operations)
  t.equal(operations.filter((name) => name.startsWith('hear')).length, Object.keys(socket.channels).length)
  for (const code of Object.keys(errorCodes)) t.match(JSON.stringify(messages.error?.payload), code)
  const text = JSON.stringify(document)
  for (const [, name] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g))
    t.ok(schemas[name as string], `${name} is there`)
  t.notMatch(text, /x-expects|x-lowercase|"\$id"/)
})

t.test('every object and enumeration has a name of its own, by which generators call its type', async (t) => {
  const { messages, schemas } = document.components
  const names = Object.keys(schemas)
  const unnamed: string[] = []
  const visit = (value: unknown, path: string, isComponent = false) => {
    if (typeof value !== 'object' || value === null) return
    const { title } = value as { title?: unknown }
    const isType = 'properties' in value || 'enum' in value || 'const' in value
    if (isType && !isComponent) (typeof title === 'string' ? names : unnamed).push(String(title ?? path))
    for (const [key, part] of Object.entries(value)) {
      if (key === 'properties') for (const [name, one] of Object.entries(part as object)) visit(one, `${path}.${name}`)
      else if (key !== 'enum' && key !== 'const' && key !== 'examples' && key !== 'default')
        visit(part, `${path}/${key}`)
    }
  }
  for (const [name, { payload }] of Object.entries(messages)) visit(payload, name)
  for (const [name, schema] of Object.entries(schemas)) visit(schema, name, true)
  t.same(unnamed, [])
  t.same(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
    'no name twice',
  )
  for (const name of ['SubscribeMessage', 'TokenCreatedMessage', 'CurrentCandlesCandles1m'])
    t.ok(names.includes(name), name)
})

t.test('the document has the address of the socket at both mounts', async (t) => {
  t.same(
    Object.values(document.servers).map(({ host, protocol, pathname }) => `${protocol}://${host}${pathname}`),
    ['wss://launch.example/base', 'wss://launch.example/base/api'],
  )
  const answer = await app.inject('/api/asyncapi.json')
  t.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  t.same(answer.json(), document)
  const yaml = await app.inject('/api/asyncapi.yaml')
  t.equal(yaml.headers['content-type'], 'application/yaml; charset=utf-8')
  t.same(parse(yaml.body), document)
})
