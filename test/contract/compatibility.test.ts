import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

const text = { type: 'string' }
const object = (properties: object, required: string[]) => ({
  content: { 'application/json': { schema: { type: 'object', properties, required } } },
})

/** A document with the parts that a change can break. */
const released = {
  /** Fields of a token in responses. */
  token: { name: text, symbol: text, status: { type: 'string', enum: ['curve', 'completed'] } } as object,
  /** Fields and required fields of a request body. */
  creation: { name: { ...text, maxLength: 100 }, note: text } as object,
  required: ['name'],
  parameters: [{ name: 'sort', in: 'query', schema: { type: 'string', enum: ['new', 'old'] } }] as object[],
  /** Operations beside GET /tokens and POST /tokens. */
  others: {
    '/stats': { get: { operationId: 'getStats', responses: { 200: { description: 'Statistics.' } } } },
  } as object,
}

const toDocument = ({ token, creation, required, parameters, others }: typeof released) => ({
  openapi: '3.1.0',
  info: { title: 'An API', version: '0.1.0' },
  paths: {
    '/tokens': {
      get: {
        operationId: 'listTokens',
        parameters,
        responses: { 200: { description: 'Tokens.', ...object(token, ['name']) } },
      },
      post: {
        operationId: 'createToken',
        requestBody: object(creation, required),
        responses: { 200: { description: 'Created.' } },
      },
    },
    ...others,
  },
})

/** Compares the document with a revision of it, by the project's rules. */
async function compare(t: Test, change: Partial<typeof released>): Promise<{ failed: boolean; output: string }> {
  const folder = t.testdir({})
  const [base, revision] = [join(folder, 'released.json'), join(folder, 'revision.json')]
  await writeFile(base, JSON.stringify(toDocument(released)))
  await writeFile(revision, JSON.stringify(toDocument({ ...released, ...change })))
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const args = ['diff', base, revision, '--format', 'github-actions', '--config', join(ROOT, 'redocly.yaml')]
  try {
    const { stdout } = await run(join(ROOT, 'node_modules/.bin/redocly'), args, { cwd: ROOT, env })
    return { failed: false, output: stdout }
  } catch (error) {
    return { failed: true, output: (error as { stdout: string }).stdout }
  }
}

t.test('the comparison fails on removed and narrowed parts', async (t) => {
  const { failed, output } = await compare(t, {
    token: { name: text, status: text },
    creation: { name: { ...text, maxLength: 50 }, note: text },
    required: ['name', 'note'],
    parameters: [
      { name: 'sort', in: 'query', schema: { type: 'string', enum: ['new'] } },
      { name: 'page', in: 'query', required: true, schema: { type: 'integer' } },
    ],
    others: {},
  })
  t.ok(failed)
  for (const rule of [
    'path-removed',
    'property-removed',
    'enum-values-removed',
    'parameter-became-required',
    'required-properties-added',
    'schema-constraint-changed',
  ])
    t.match(output, rule)
})

t.test('the comparison passes additions', async (t) => {
  const { failed, output } = await compare(t, {
    token: { ...released.token, status: { type: 'string', enum: ['curve', 'completed', 'graduated'] }, risk: text },
    creation: { ...released.creation, links: text },
    parameters: [...released.parameters, { name: 'page', in: 'query', schema: { type: 'integer' } }],
    others: { ...released.others, '/raises': { get: { operationId: 'listRaises', responses: {} } } },
  })
  t.notOk(failed, output)
})
