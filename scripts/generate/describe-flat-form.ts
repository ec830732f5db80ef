import {
  type ApiOperation,
  fieldsOf,
  GENERATED,
  headingOf,
  listOperations,
  type OpenApi,
  readAnswer,
} from './describe-sdk.ts'

/** First path segments whose operation is a function of the client itself: `client.search(…)`. All others are groups. */
const UNGROUPED: ReadonlySet<string> = new Set([
  'ambassador-applications',
  'buy',
  'feed',
  'health',
  'leaderboard',
  'live',
  'metrics',
  'ready',
  'rpc',
  'search',
  'sell',
  'stats',
  'transactions',
])

/** What a client has beside the operations: sdk/src/client.ts. */
const CLIENT_MEMBERS = ['baseUrl', 'token', 'watchToken', 'send'] as const

/** Names that the rule would make unclear or alike. */
const NAMES: Readonly<Record<string, string>> = {
  getTokens: 'getMany',
  quoteTrade: 'quote',
  listWatchedTokens: 'list',
  uploadImage: 'image',
  uploadMetadata: 'metadata',
}

interface FlatOperation {
  /** Undefined for a function of the client itself. */
  group: string | undefined
  name: string
  id: string
  /** Its documentation and its declaration. */
  lines: string[]
}

/**
 * The flat form: the functions of `client.<group>`. A group is the first segment of the path. A name is that of the operation
 * without the noun of its group, and without `get` or `list` if a word is left: `listTokenTrades` is `tokens.trades`.
 */
export function writeApi({ paths }: OpenApi): string {
  const operations = listOperations(paths).map(({ method, path, operation }) => describe(method, path, operation))
  operations.sort((a, b) => (a.name < b.name ? -1 : 1))
  const groups = Map.groupBy(operations, ({ group }) => group)
  const names = [...groups.keys()].filter((group) => group !== undefined).sort()
  const own = groups.get(undefined) ?? []
  checkNames([...CLIENT_MEMBERS, ...own.map(({ name }) => name), ...names], 'the client')
  for (const name of names)
    checkNames(
      (groups.get(name) ?? []).map((one) => one.name),
      name,
    )
  return [
    GENERATED('openapi.yaml'),
    "import type { ListMethod, Method } from './bind.ts'",
    "import * as raw from '../operations.ts'",
    "import type { Body, Data, Options, Query, RawData } from '../types.ts'",
    '',
    '/** The operations of the API by group, with flat arguments. */',
    'export interface ApiOperations {',
    ...own.map(({ lines }) => indent(lines, 2)),
    ...names.flatMap((name) => [
      `  readonly ${name}: {`,
      ...(groups.get(name) ?? []).map(({ lines }) => indent(lines, 4)),
      '  }',
    ]),
    '}',
    '',
    'export const apiOperations = {',
    ...own.map(({ name, id }) => `  ${name}: raw.${id},`),
    ...names.map((group) => {
      const entries = (groups.get(group) ?? []).map(({ name, id }) => `${name}: raw.${id}`)
      return `  ${group}: { ${entries.join(', ')} },`
    }),
    '}',
    '',
  ].join('\n')
}

/** The reasons for which each operation can fail. */
export function writeReasons({ paths, components }: OpenApi): string {
  const entries = listOperations(paths).map(({ operation }) => {
    const failures = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400)
    const reasons = failures.flatMap(([, { $ref, ...inline }]) => {
      const response = $ref ? components.responses[$ref.split('/').at(-1) ?? ''] : inline
      return response?.headers?.['x-error-reason']?.schema?.enum ?? []
    })
    return `  ${operation.operationId}: ${
      [...new Set(reasons)]
        .sort()
        .map((reason) => `'${reason}'`)
        .join(' | ') || 'never'
    }`
  })
  return [
    GENERATED('openapi.yaml'),
    '',
    '/** The reasons for which each operation can fail, beside those of a proxy in front of the service. */',
    'export interface OperationReasons {',
    ...entries.sort(),
    '}',
    '',
    "/** `ReasonOf<'getToken'>`. */",
    'export type ReasonOf<Id extends keyof OperationReasons> = OperationReasons[Id]',
    '',
  ].join('\n')
}

function checkNames(names: readonly string[], place: string): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated) throw new Error(`Two members of ${place} are called ${repeated}: name one in describe-flat-form.ts`)
}

function describe(method: string, path: string, operation: ApiOperation): FlatOperation {
  const { operationId: id } = operation
  const [segment = ''] = path.split('/').filter(Boolean)
  const group = UNGROUPED.has(segment) ? undefined : toCamelCase(segment)
  const name = NAMES[id] ?? nameOf(id, path, group)
  const { parameters = [] } = operation
  const isPaged = parameters.some((parameter) => parameter.in === 'query' && parameter.name === 'cursor')
  const type = `${isPaged ? 'ListMethod' : 'Method'}<[${listArguments(path, operation).join(', ')}], ${readAnswer(operation).type}>`
  return { group, name, id, lines: [`/** ${headingOf(method, path, operation)} */`, `readonly ${name}: ${type}`] }
}

/** Path parameters in the order of the path, then the fields. */
function listArguments(path: string, operation: ApiOperation): string[] {
  const { operationId: id, parameters = [], requestBody } = operation
  const places = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    const isEnum = parameters.find((one) => one.in === 'path' && one.name === name)?.schema?.enum
    return `${name}: ${isEnum ? `Options<'${id}'>['path']['${name}']` : 'string'}`
  })
  const fields = fieldsOf(operation)
  if (fields === 'body') places.push(`body${requestBody?.required ? '' : '?'}: Body<'${id}'>`)
  if (fields === 'query') {
    const isRequired = parameters.some((one) => one.in === 'query' && one.required)
    places.push(`query${isRequired ? '' : '?'}: Query<'${id}'>`)
  }
  return places
}

function nameOf(id: string, path: string, group: string | undefined): string {
  const words = id.split(/(?=[A-Z])/)
  const [, parameter] = /\{(\w+)\}$/.exec(path) ?? []
  const nouns = new Set([...(group ? nounsOf(group) : []), ...(parameter ? nounsOf(parameter) : [])])
  const [verb = '', ...rest] = words
  const left = rest.filter((word) => !nouns.has(word.toLowerCase()))
  if (left.length === 0) return verb
  return toCamelCase((verb === 'get' || verb === 'list' ? left : [verb, ...left]).join('-'))
}

/** `tokens` and `token`, `proposals` and `proposal`, `staking`. */
const nounsOf = (name: string): string[] => [name.toLowerCase(), name.toLowerCase().replace(/s$/, '')]

const toCamelCase = (text: string): string => {
  const [first = '', ...rest] = text.split('-')
  return first.toLowerCase() + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

const indent = (lines: readonly string[], width: number): string =>
  lines.map((line) => ' '.repeat(width) + line).join('\n')
