import type { TSchema } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import type { Channel, LiveEvent } from '../schemas/live.ts'

/** The channels of the socket and their events, of all domains together. */
export interface SocketContract {
  channels: Record<string, Channel>
  events: Record<string, LiveEvent>
}

export interface DomainOptions {
  /** For the routes of the socket itself. */
  socket: SocketContract
}

/** All that the rest of the service has to know about an API domain. routes/index.ts lists them. */
export interface Domain {
  /** The routes. Encapsulated: its hooks apply to nothing else. */
  plugin: FastifyPluginAsync<DomainOptions>
  prefix?: string
  /** Groups of its operations in the OpenAPI document. */
  tags?: readonly { name: string; description: string }[]
  /** Named schemas, which become components of the OpenAPI document. */
  schemas?: readonly TSchema[]
  /** Channels of the socket, by the first part of their names. */
  channels?: Record<string, Channel>
  /** Events of the socket, by type. */
  events?: Record<string, LiveEvent>
}
