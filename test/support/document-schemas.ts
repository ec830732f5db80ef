import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

const compiled = new Map<string, Ajv2020>()

/**
 * Compiles the schemas of an OpenAPI or AsyncAPI document: `getSchema('document#/components/…')`. Apps of a process have the
 * same document, whose schemas are compiled once.
 */
export function createDocumentSchemas(document: object): Ajv2020 {
  const text = JSON.stringify(document)
  const known = compiled.get(text)
  if (known) return known
  // Ajv's optimizer takes longer than the checks that it shortens.
  const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } })
  // CJS interop: the types know the namespace, the runtime the function.
  ;(addFormats as unknown as (ajv: Ajv2020) => void)(ajv)
  compiled.set(text, ajv.addSchema(document, 'document'))
  return ajv
}
