// Rules of redocly.yaml beyond its own: what a reader or a generator of clients would stumble over.
import { Ajv2020 } from 'ajv/dist/2020.js'

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })

function isRegex(text) {
  try {
    new RegExp(text, 'u')
    return true
  } catch {
    return false
  }
}

/** Schemas are JSON Schema: no value of an enum twice, patterns that compile, a default of its type. */
const validSchemas = () => ({
  Schema(schema, { report, location }) {
    if (!ajv.validateSchema(schema))
      for (const { instancePath, message } of ajv.errors)
        report({ message: `${instancePath || '/'} ${message}`, location })
    if (typeof schema.pattern === 'string' && !isRegex(schema.pattern))
      report({ message: 'pattern does not compile', location })
    if (new Set(schema.enum).size < (schema.enum?.length ?? 0))
      report({ message: 'A value of enum is repeated', location })
    if (schema.type === 'array' && !('items' in schema || 'prefixItems' in schema))
      report({ message: 'An array does not say what its items are', location })
    const { type, default: value } = schema
    if (value !== undefined && type && !ajv.validate({ type, ...(schema.enum && { enum: schema.enum }) }, value))
      report({ message: `default ${ajv.errorsText()}`, location })
  },
})

/** Documentation pages render Markdown. */
const inertMarkdown = () => ({
  any(node, { report, location }) {
    if (typeof node?.description === 'string' && /<script|\beval\(/i.test(node.description))
      report({ message: 'A description contains a script', location: location.child('description') })
  },
})

/** AsyncAPI: what an operation names must be a message of its channel. */
const messagesOfTheirChannel = () => ({
  Operation(operation, { report, location }) {
    for (const [index, { $ref = '' }] of (operation.messages ?? []).entries())
      if (!$ref.startsWith(`${operation.channel?.$ref}/messages/`))
        report({ message: `${$ref} is no message of the channel`, location: location.child(['messages', index]) })
  },
})

export default function documentRules() {
  return {
    id: 'document',
    rules: {
      oas3: { 'valid-schemas': validSchemas, 'inert-markdown': inertMarkdown },
      async3: {
        'valid-schemas': validSchemas,
        'inert-markdown': inertMarkdown,
        'messages-of-their-channel': messagesOfTheirChannel,
      },
    },
  }
}
