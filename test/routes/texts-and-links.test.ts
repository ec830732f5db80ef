import { Ajv } from 'ajv'
import t from 'tap'
import { cleanLine, cleanText } from '../../lib/text/clean-text.ts'
import { readText } from '../../routes/read-text.ts'
import { legible } from '../../schemas/common.ts'
import { headersOf } from '../support/client.ts'
import { makeRequest, operations } from '../support/operations.ts'
import { ADMIN, ann, createPeopleApp, LABS } from '../support/people.ts'

/*
 * Every field of every body that takes a text or a link, found in the API's document: a new one is held to the same rules.
 */
interface Schema {
  type?: string
  pattern?: string
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  patternProperties?: Record<string, Schema>
}
const market = await createPeopleApp(t)
const { app } = market
const ajv = new Ajv({ strict: false })
const accepts = (schema: Schema, value: string) => ajv.validate({ ...schema, examples: undefined }, value)

/** The strings of a body, by the path to each. */
function* stringsOf(schema: Schema, path: string[] = []): Generator<{ path: string[]; schema: Schema }> {
  for (const one of schema.anyOf ?? []) yield* stringsOf(one, path)
  if (schema.type === 'string' && !schema.enum) yield { path, schema }
  for (const [name, one] of Object.entries(schema.properties ?? {})) yield* stringsOf(one, [...path, name])
  for (const one of Object.values(schema.patternProperties ?? {})) yield* stringsOf(one, [...path, 'x'])
}
const fields = operations
  .filter(({ body }) => body?.type === 'application/json')
  .flatMap((operation) =>
    [...stringsOf(operation.body?.schema as Schema)].map(({ path, schema }) => ({ operation, path, schema })),
  )
const links = fields.filter(({ schema }) => schema.pattern?.includes('https://'))
// A message that a wallet signs is compared to the letter, and kept nowhere.
const texts = fields.filter(({ schema, operation }) => accepts(schema, 'A text.') && operation.id !== 'login')

const send = async ({ operation, path }: (typeof fields)[number], value: string) => {
  const request = makeRequest(operation)
  const wallet = operation.path.startsWith('/admin/') ? ADMIN : operation.path.startsWith('/labs/') ? LABS : ann
  const nested = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object
  const payload = { ...(request.payload as object), ...nested }
  const answer = await app.inject({ ...request, headers: headersOf(app, wallet), payload })
  return { status: answer.statusCode, error: answer.json().error as string | undefined }
}

t.test('links that read as another host are rejected in every field', async (t) => {
  t.ok(links.length >= 12, `${links.length} fields`)
  const bad = [
    ...[
      'https://user@a.example',
      'https://user:pass@a.example/x',
      'https://a.example:80@b.example',
      'https://@a.example',
    ],
    ...[
      'https://a.example\\@b.example',
      'https://a.example/x\\y',
      'https://a.example/a b',
      'https://a.example/\u202egnp.exe',
    ],
    ...[
      'https://a.example/\u0085',
      'https://a.example/\u200b',
      'https://a.example/\ufeff',
      'https://a.example/\u2066x',
    ],
    ...['https://a.example/\u200f', 'https://a.example/\u00ad', 'https://a.example/<b>', 'https://a.example/"x'],
    ...[
      'http://a.example',
      'javascript:alert(1)',
      '//a.example',
      'https:a.example',
      'https://',
      'https:///x',
      ' https://a.example',
    ],
    ...['ipfs://user:pass@bafy', 'ipfs://a@bafy/x', 'ipfs://bafy/\u202ex', 'data:text/html,x', '/uploads/../x'],
  ]
  for (const field of links) {
    const name = `${field.operation.id} ${field.path.join('.')}`
    for (const link of bad) t.notOk(accepts(field.schema, link), `${name} ${JSON.stringify(link)}`)
    const { status, error } = await send(field, 'https://user:pass@a.example')
    t.equal(status, 400, name)
    t.match(error, `body.${field.path.join('.')} must be`, name)
  }
})

t.test('control characters and direction marks are rejected or removed in every text field', async (t) => {
  t.ok(texts.length >= 12, `${texts.length} fields`)
  for (const field of texts) {
    const name = `${field.operation.id} ${field.path.join('.')}`
    const { status, error } = await send(field, 'A text.\u0000')
    t.same([status, error?.includes('must not contain control characters')], [400, true], name)
    for (const hidden of ['\u0000', '\u0007', '\u001b', '\u007f'])
      t.notOk(accepts(field.schema, `A text.${hidden}`), `${name} ${showEscaped(hidden)}`)
    if (field.operation.id === 'uploadMetadata' || field.path.at(-1) === 'homepage') continue
    for (const hidden of ['\u0080', '\u009f', '\u202a', '\u202e', '\u2066', '\u2069'])
      t.notOk(accepts(field.schema, `A text.${hidden}`), `${name} ${showEscaped(hidden)}`)
  }
})

t.test(
  'text input is rejected for exactly the characters that are removed from on-chain and external texts',
  async (t) => {
    const isLegible = new RegExp(legible.pattern, 'u')
    for (let code = 0; code <= 0xffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const text = `a${String.fromCharCode(code)}b`
      const [line, lines] = [cleanLine(text), cleanText(text)]
      const kept = text.replace('\r', '\n')
      if (line === 'ab' && kept !== 'a\nb' && text !== 'a\tb') t.equal(lines, 'ab', showEscaped(text))
      else if (lines !== kept) t.fail(showEscaped(text))
      if (isLegible.test(text)) {
        const read = readText(text, 'x', 10)
        if (read !== lines.normalize('NFC')) t.fail(`${showEscaped(text)} is stored as ${showEscaped(read)}`)
      } else if (lines !== 'ab') t.fail(`${showEscaped(text)} is refused here and kept elsewhere`)
    }
    for (const kept of [
      '\u{1F469}\u200d\u{1F680}',
      '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
      '\u2764\ufe0f',
      'a\tb\nc',
    ])
      t.equal(readText(kept, 'x', 20), kept.normalize('NFC'))
  },
)

t.test('invisible marks are removed from stored text', async (t) => {
  const hidden = '\u200b\u200e\u200f\u061c\u2060\ufeff\u00ad\u2028'
  const { address, creator } = market.tokens[0] as { address: string; creator: string }
  const text = `${hidden}The ${hidden}cat.${hidden}`
  const patched = await market.send<{ description: string }>(
    'PATCH',
    `/tokens/${address}`,
    { description: text },
    creator,
  )
  t.equal(patched.body.data.description, 'The cat.')
  const said = await market.send<{ text: string }>('POST', `/tokens/${address}/comments`, { text }, ann)
  t.equal(said.body.data.text, 'The cat.')
  const profile = await market.send<{ bio: string }>('PATCH', '/profiles/me', { bio: text }, ann)
  t.equal(profile.body.data.bio, 'The cat.')
  const blank = await market.send('PATCH', `/tokens/${address}`, { description: hidden }, creator)
  t.same([blank.status, blank.body.error], [400, 'body.description must contain visible text'])
})

const showEscaped = (text: string) =>
  text.replace(/[^\x20-\x7e]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
