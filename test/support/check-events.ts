import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import type { Db } from '../../db/client.ts'
import type { OutboxEvent } from '../../db/queries/outbox.ts'
import { socket } from '../../routes/index.ts'
import { createDocumentSchemas } from './document-schemas.ts'
import { listLiveEvents } from './outbox.ts'

/**
 * Checks every live event that the app has stored against the document of the socket, and that these types occurred, each
 * in all of its channels. Each declared type is named in one such call: test/indexer/event-schemas.test.ts names the rest.
 */
export async function checkEvents(
  t: Test,
  { app, db }: { app: FastifyInstance; db: Db },
  types: readonly string[],
): Promise<OutboxEvent[]> {
  const events = await listLiveEvents(db, { after: 0, limit: 10_000 })
  const check = await createStrictCheck(app)
  t.strictSame(events.flatMap(check), [], 'events match the document, without further fields')
  for (const type of types) {
    const rooms = events.filter((event) => event.type === type).flatMap(({ rooms }) => rooms)
    const used = new Set(rooms.map((room) => room.split(':', 1)[0]))
    t.strictSame([...used].sort(), [...(socket.events[type]?.channels ?? ['undeclared'])].sort(), `channels of ${type}`)
  }
  return events
}

/** Validates an event against the document, which must describe every field. */
async function createStrictCheck(app: FastifyInstance): Promise<(event: OutboxEvent) => string[]> {
  const document = (await app.inject('/asyncapi.json')).json()
  close(document.components)
  const ajv = createDocumentSchemas(document)
  return ({ type, data, rooms, seq }) => {
    const validate = ajv.getSchema(`document#/components/messages/${type}/payload`)
    if (!validate) return [`${type} is not described`]
    return rooms
      .filter((room) => !validate({ type, room, seq, data: JSON.parse(data) }))
      .map((room) => `${type} in ${room}: ${ajv.errorsText(validate.errors)}`)
  }
}

function close(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return
  for (const part of Object.values(schema)) close(part)
  if ('type' in schema && schema.type === 'object' && 'properties' in schema && !('additionalProperties' in schema))
    Object.assign(schema, { additionalProperties: false })
}
