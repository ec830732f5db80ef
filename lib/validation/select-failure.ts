import type { ErrorObject } from 'ajv'

export type Failure = Pick<ErrorObject, 'keyword' | 'instancePath' | 'params' | 'parentSchema' | 'data'> & {
  schema?: unknown
  schemaPath?: string
}

interface Branch {
  properties?: Record<string, { const?: unknown }>
}

/**
 * The failure to describe: of a union whose branches differ by a constant field, such as `type`, that of the branch which the
 * request names; of any other, the first, since that of a branch is more specific than that of the union itself.
 */
export function selectFailure(failures: readonly Failure[]): Failure {
  const first = failures[0] as Failure
  // The outermost schema fails last.
  const { keyword, schema, schemaPath, instancePath, data } = failures.at(-1) as Failure
  if (keyword !== 'anyOf' || typeof data !== 'object' || data === null || Array.isArray(data)) return first
  const branches = schema as Branch[]
  const name = findDiscriminator(branches)
  if (name === undefined) return first
  if (!Object.hasOwn(data, name)) return { keyword: 'required', instancePath, params: { missingProperty: name } }
  const allowedValues = branches.map(({ properties }) => properties?.[name]?.const)
  const index = allowedValues.indexOf((data as Record<string, unknown>)[name])
  if (index < 0) return { keyword: 'enum', instancePath: `${instancePath}/${name}`, params: { allowedValues } }
  return failures.find((failure) => failure.schemaPath?.startsWith(`${schemaPath}/${index}/`)) ?? first
}

/** The field that is a constant in every branch. */
const findDiscriminator = (branches: readonly Branch[]): string | undefined =>
  Object.keys(branches[0]?.properties ?? {}).find((name) =>
    branches.every(({ properties }) => properties?.[name]?.const !== undefined),
  )
