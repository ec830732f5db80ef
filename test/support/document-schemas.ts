import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** Compiles the schemas of an OpenAPI or AsyncAPI document: `getSchema('document#/components/…')`. */
export function createDocumentSchemas(document: object): Ajv2020 {
  // Ajv's optimizer takes longer than the checks that it shortens.
  const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } })
  // CJS interop: the types know the namespace, the runtime the function.
  ;(addFormats as unknown as (ajv: Ajv2020) => void)(ajv)
  return ajv.addSchema(document, 'document')
}
