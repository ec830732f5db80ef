import type { TSchema } from '@sinclair/typebox'
import type { FastifyPluginAsync } from 'fastify'
import type { Reason } from '../errors.ts'
import type { Channel, LiveEvent } from '../schemas/live.ts'

/** Channels and events of the WebSocket, merged over all domains. */
export interface SocketContract {
  channels: Record<string, Channel>
  events: Record<string, LiveEvent>
}

export interface DomainOptions {
  /** Used by the routes of the WebSocket itself. */
  socket: SocketContract
}

/** Everything that an API domain contributes to the service. routes/index.ts lists the domains. */
export interface Domain {
  /** Routes, encapsulated: hooks of this plugin apply to no other domain. */
  plugin: FastifyPluginAsync<DomainOptions>
  prefix?: string
  /** OpenAPI tags of its operations. */
  tags?: readonly { name: string; description: string }[]
  /** Schemas that become OpenAPI components. */
  schemas?: readonly TSchema[]
  /** Reasons of failures that are its own, by name. errors.ts has the common ones. */
  reasons?: Readonly<Record<string, Reason>>
  /** WebSocket channels, by the first part of their names. */
  channels?: Record<string, Channel>
  /** WebSocket events, by type. */
  events?: Record<string, LiveEvent>
}
