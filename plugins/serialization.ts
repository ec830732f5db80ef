import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyServerOptions } from 'fastify'

type Factories = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>
type SerializerFactory = NonNullable<Factories['buildSerializer']>
type Serialize = ReturnType<ReturnType<SerializerFactory>>

/**
 * A serializer factory that compiles each distinct schema once. The framework asks for one a route, status and mount, each
 * compiled over all components: most of what an application's start costs, and nearly all of them the same few.
 */
export function createSerializerFactory(): SerializerFactory {
  const build = SerializerSelector() as unknown as SerializerFactory
  return (components, options) => {
    const compile = build(components, options)
    const compiled = new Map<string, Serialize>()
    return (route) => {
      const key = JSON.stringify(route.schema)
      const known = compiled.get(key)
      if (known) return known
      const serialize = compile(route)
      compiled.set(key, serialize)
      return serialize
    }
  }
}
