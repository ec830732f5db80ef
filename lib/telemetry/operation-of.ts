import type { FastifyRequest } from 'fastify'

/** The operation of a request; requests that no operation takes share one name, so that a scan adds no series. */
export const operationOf = ({ routeOptions: { schema } }: FastifyRequest): string =>
  (schema as { operationId?: string } | undefined)?.operationId ?? 'none'
