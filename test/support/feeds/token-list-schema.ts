import schema from '@uniswap/token-lists/src/tokenlist.schema.json' with { type: 'json' }
import { Ajv, type Options } from 'ajv'
import addFormats from 'ajv-formats'

const options: Options = { strict: false, allErrors: true }
const ajv = new Ajv(options)
// CJS interop: the types know the namespace, the runtime the function.
;(addFormats as unknown as (ajv: Ajv) => void)(ajv)
const validate = ajv.compile(schema)
/** Errors of a list by the published schema of token lists. */
export const findListProblems = (list: unknown) =>
  validate(list) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
