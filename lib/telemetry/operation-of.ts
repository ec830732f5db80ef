import type { FastifyRequest } from 'fastify'

/** operationId of a request; 'none' for unmatched routes, so that scans add no label values. */
export const operationOf = ({ route: { schema } }: FastifyRequest): string =>
  (schema as { operationId?: string } | undefined)?.operationId ?? 'none'
