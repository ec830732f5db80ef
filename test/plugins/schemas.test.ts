import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifyInstance, RouteOptions } from 'fastify'
import t, { type Test } from 'tap'
import { createValidation } from '../../lib/validation/validation.ts'
import { clientMessages } from '../../schemas/live.ts'
import { createTestApp } from '../support/app.ts'

type Parts = Partial<Record<'body' | 'querystring' | 'params' | 'headers', object>>
type Responses = Record<string, { content?: Record<string, { schema: object }> }>

/** The app, and all that is registered on it. */
async function openRoutes(t: Test) {
  const routes: RouteOptions[] = []
  const listen = (message: unknown) =>
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', (route) => void routes.push(route))
  subscribe('fastify.initialization', listen)
  const { app } = await createTestApp()
  unsubscribe('fastify.initialization', listen)
  t.teardown(() => app.close())
  return { app, routes }
}

/** What a value lacks is an answer as well: only a schema that cannot be compiled is a fault. */
const isAboutValue = (message: string) => /is required|cannot be|does not match/.test(message)

t.test('every schema is valid and compiles, although compilation is lazy', async (t) => {
  const { app, routes } = await openRoutes(t)
  const { buildValidator, buildSerializer } = createValidation().schemaController.compilersFactory
  const makeValidator = buildValidator(app.getSchemas() as never, {})
  const makeSerializer = buildSerializer(app.getSchemas() as never, {})
  let compiled = 0
  const faults: string[] = []
  const ajv = new Ajv({ strict: false })
  ;(addFormats as unknown as (ajv: Ajv) => void)(ajv)
  const validate = (where: string, schema: object) => {
    if (!ajv.validateSchema(schema)) faults.push(`${where}: ${ajv.errorsText()}`)
  }
  for (const [id, schema] of Object.entries({ ...app.getSchemas(), ...clientMessages })) validate(id, schema as object)
  const attempt = (where: string, schema: object, run: () => unknown) => {
    compiled++
    validate(where, schema)
    try {
      run()
    } catch (error) {
      if (!isAboutValue(String(error))) faults.push(`${where}: ${error}`)
    }
  }
  for (const { method, url, schema } of routes) {
    const name = `${method} ${url}`
    for (const httpPart of ['body', 'querystring', 'params', 'headers'] as const) {
      const part = (schema as Parts | undefined)?.[httpPart]
      if (part) attempt(`${name} ${httpPart}`, part, () => makeValidator({ schema: part, httpPart } as never)({}))
    }
    for (const [httpStatus, response] of Object.entries((schema?.response ?? {}) as Responses)) {
      for (const schema of Object.values(response.content ?? { json: { schema: response } }))
        attempt(`${name} ${httpStatus}`, schema, () => makeSerializer({ ...schema, httpStatus } as never)({}))
    }
  }
  t.strictSame(faults, [])
  t.ok(compiled > 500, `${compiled} of them`)
})
