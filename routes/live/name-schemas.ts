interface Schema {
  title?: string
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
}

interface Components {
  messages: Record<string, { payload: Schema }>
  schemas: Record<string, unknown>
}

/**
 * Gives each object and each enumeration that is no component a title. Generators of code name types by it, and would else count
 * them: the name of a type then changes with each schema before it.
 */
export function nameSchemas({ messages, schemas }: Components): void {
  for (const [name, { payload }] of Object.entries(messages)) nameSchema(payload, `${toPascalCase(name)}Message`)
  for (const [name, schema] of Object.entries(schemas)) nameParts(schema as Schema, name)
}

function nameSchema(schema: Schema, name: string): void {
  if (schema.properties || schema.enum || schema.const !== undefined) schema.title ??= name
  nameParts(schema, name)
}

function nameParts({ properties = {}, items, additionalProperties, anyOf = [] }: Schema, name: string): void {
  for (const [key, property] of Object.entries(properties)) nameSchema(property, name + toPascalCase(key))
  if (items) nameSchema(items, `${name}Item`)
  if (typeof additionalProperties === 'object') nameSchema(additionalProperties, `${name}Value`)
  // What may be null has the name of what it is else.
  const [first, ...others] = anyOf.filter((one) => !('type' in one && one.type === 'null'))
  if (first) nameSchema(first, name)
  for (const [index, other] of others.entries()) nameSchema(other, `${name}${index + 2}`)
}

const toPascalCase = (name: string): string =>
  name.replace(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase())
