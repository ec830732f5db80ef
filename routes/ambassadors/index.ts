import { randomUUID } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import { type Application, addApplication } from '../../db/queries/ambassador-applications.ts'
import { exemplify, failures } from '../../lib/openapi/failures.ts'
import * as ambassadorsSchemas from '../../schemas/ambassadors.ts'
import { ApplicationCreation, ApplicationReceipt, lengths } from '../../schemas/ambassadors.ts'
import { Envelope, ok, ref } from '../../schemas/common.ts'
import type { Domain } from '../domain.ts'
import { readText } from '../read-text.ts'

/** Sending of applications, without sign-in. Operators review them in routes/operators. */
const ambassadors: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/ambassador-applications',
    {
      config: { bucket: 'ambassador' },
      // Also texts that no schema can check are refused before the quota is counted.
      preHandler: async ({ body }) => void readApplication(body),
      schema: {
        operationId: 'applyAsAmbassador',
        tags: ['Ambassadors'],
        summary: 'Apply to become an ambassador',
        description:
          'Requires no sign-in. 409 while another application with the same e-mail address or wallet is undecided. ' +
          'The response contains none of the submitted data. A rejected body (400, 413, 415) does not count ' +
          'towards the quota `ambassador`.',
        body: ApplicationCreation,
        response: {
          200: Envelope(ref(ApplicationReceipt)),
          ...failures(exemplify('ALREADY_EXISTS', { resource: 'An open application' })),
        },
      },
    },
    async ({ db, body }) => {
      const application = readApplication(body)
      // A bot that filled in the honeypot gets the response of a success.
      const { id } = body.homepage ? { id: randomUUID() } : await addApplication(db, application)
      return ok({ id, status: 'pending' as const })
    },
  )
}

export default {
  plugin: ambassadors,
  tags: [{ name: 'Ambassadors', description: 'Applications to the ambassador programme.' }],
  schemas: ambassadorsSchemas.components,
} satisfies Domain

/** The application in a request body. Throws INVALID_INPUT. */
function readApplication(body: Static<typeof ApplicationCreation>): Application {
  const { email, wallet = null, country, socials = {} } = body
  const read = (field: 'name' | 'audience' | 'motivation') => readText(body[field], `body.${field}`, lengths[field])
  return {
    ...{ email, wallet, country, socials },
    name: read('name'),
    audience: read('audience'),
    motivation: read('motivation'),
  }
}
