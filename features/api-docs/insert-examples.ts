import type { LiveExamples } from './read-examples.ts'

interface Parameter {
  in: string
  name: string
  required?: boolean
  example?: unknown
}

interface Document {
  paths?: object
}

interface Rule {
  path: RegExp
  name: string
  value: (live: LiveExamples) => string | number | undefined
  /** Fill it in although the parameter is optional: the operation needs it in practice. */
  always?: true
}

/** Blocks, and bars, that the examples of feeds span. */
const SPAN = 100
const DAY = 86_400

/** The first rule for a path and a parameter counts. */
const rules: readonly Rule[] = [
  { path: /^\/profiles\/\{wallet\}\/created$/, name: 'wallet', value: ({ creator }) => creator },
  { path: /^\/follows\//, name: 'wallet', value: ({ creator }) => creator },
  { path: /^\/(portfolio|staking\/positions)/, name: 'wallet', value: ({ trader }) => trader, always: true },
  { path: /^\/profiles\//, name: 'wallet', value: ({ trader, creator }) => trader ?? creator },
  { path: /^\/(tokens|labs\/tokens|market|og)\//, name: 'address', value: ({ token }) => token },
  { path: /^\/(labs\/)?raises\//, name: 'id', value: ({ raise }) => raise },
  { path: /^\/proposals\//, name: 'id', value: ({ proposal }) => proposal },
  { path: /^\/staking\/pools\//, name: 'id', value: ({ pool }) => pool },
  { path: /^\/comments\//, name: 'id', value: ({ comment }) => comment },
  { path: /^\/integrations\/\w+\/(asset|pair)$/, name: 'id', value: ({ token }) => token },
  {
    path: /^\/integrations\/\w+\/events$/,
    name: 'fromBlock',
    value: ({ block }) => block && Math.max(0, block.number - SPAN),
  },
  { path: /^\/integrations\/\w+\/events$/, name: 'toBlock', value: ({ block }) => block?.number },
  { path: /^\/integrations\/coingecko\//, name: 'ticker_id', value: ({ ticker }) => ticker },
  { path: /^\/integrations\/udf\//, name: 'symbol', value: ({ token }) => token },
  { path: /^\/integrations\/udf\//, name: 'from', value: ({ block }) => block && block.time - DAY },
  { path: /^\/integrations\/udf\//, name: 'to', value: ({ block }) => block?.time },
  { path: /^\/integrations\/udf\/history$/, name: 'countback', value: () => SPAN, always: true },
]

/**
 * Returns a copy of the document whose required parameters have examples from this service, as far as there are rows.
 * Optional ones have none: Swagger UI fills examples in, and a filter would hide every row.
 */
export function insertExamples<T extends Document>(document: T, live: LiveExamples): T {
  const insert = (path: string, { parameters, ...operation }: { parameters?: Parameter[] }) => ({
    ...operation,
    ...(parameters && { parameters: parameters.map((parameter) => withExample(path, parameter, live)) }),
  })
  const paths = Object.entries(document.paths ?? {}).map(([path, operations]) => [
    path,
    Object.fromEntries(Object.entries(operations as object).map(([method, one]) => [method, insert(path, one)])),
  ])
  return { ...document, paths: Object.fromEntries(paths) }
}

function withExample(path: string, { example, ...parameter }: Parameter, live: LiveExamples): Parameter {
  const rule = rules.find((one) => one.name === parameter.name && one.path.test(path))
  const needed = parameter.required || rule?.always
  const value = needed ? (rule?.value(live) ?? example) : undefined
  return value === undefined ? parameter : { ...parameter, example: value }
}
