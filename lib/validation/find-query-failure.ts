import type { ErrorObject } from 'ajv'
import { findNearMiss } from '../text/find-near-miss.ts'

interface QuerySchema {
  properties?: Record<string, { type?: string }>
}

/** As in JSON. Ajv's coercion also takes a blank for 0, and hexadecimal digits. */
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i
const NUMERIC = new Set(['integer', 'number'])

/**
 * What Ajv would accept and read as something else than the client meant: a number that is not written as one, and a parameter that
 * is spelt almost as one that exists, such as `wallett`: without it, the rows of every wallet would be listed. Other unknown
 * parameters are ignored, for old clients and those that add their own, such as `utm_source`.
 */
export function findQueryFailure({ properties = {} }: QuerySchema, query: object): ErrorObject | undefined {
  for (const [name, value] of Object.entries(query)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (property) {
      const isWrong = typeof value === 'string' && NUMERIC.has(property.type ?? '') && !NUMBER.test(value)
      if (isWrong) return fail('type', `/${name}`, { type: property.type })
      continue
    }
    const meant = findNearMiss(name, Object.keys(properties))
    if (meant !== undefined) return fail('additionalProperties', '', { additionalProperty: name, meant })
  }
  return undefined
}

const fail = (keyword: string, instancePath: string, params: object): ErrorObject => ({
  ...{ keyword, instancePath, params },
  schemaPath: `#/${keyword}`,
})
