import { catalogue, type ErrorCode, type ErrorData } from '../errors.ts'

interface Operation {
  operationId?: string
  tags?: string[]
  parameters?: { name: string; in: string }[]
  requestBody?: object
  responses?: Record<string, { content?: Record<string, { schema?: { $ref?: string }; example?: unknown }> }>
}

const ADDRESS = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
const UUID = '0c7f8a52-6a0e-4f5e-9b1c-7d0f3a5d2e11'

const of = <Code extends ErrorCode>(code: Code, data: ErrorData<Code>): string =>
  (catalogue[code].message as (data: ErrorData<Code>) => string)(data)
const plain = (code: ErrorCode): string => (catalogue[code].message as (data: object) => string)({})
const invalid = (field: string, problem: string) => of('INVALID_INPUT', { field, problem })
const missing = (resource: string, id: string) => of('RESOURCE_NOT_FOUND', { resource, id })

/** Sentences of operations whose failure of that status is not the common one. */
const particular: Record<string, Record<number, string>> = {
  patchToken: { 403: of('NOT_OWNER', { resource: 'token' }) },
  patchRaise: { 403: of('NOT_OWNER', { resource: 'raise' }) },
  deleteComment: { 403: of('NOT_OWNER', { resource: 'comment' }) },
  login: { 401: plain('SIGNATURE_INVALID') },
  patchProfile: { 409: plain('USERNAME_TAKEN') },
  followWallet: { 409: plain('SELF_FOLLOW') },
  reportComment: { 409: of('ALREADY_EXISTS', { resource: 'Your report' }) },
  applyAsAmbassador: { 409: of('ALREADY_EXISTS', { resource: 'An open application' }) },
  quoteTrade: {
    409: of('TOKEN_NOT_TRADABLE', { reason: 'its curve is completed' }),
    422: of('UNTRADABLE', { reason: 'The amount is too small to trade' }),
  },
  getUpload: { 404: missing('Upload', `${'9f86d081'.repeat(8)}.webp`) },
  reviewAmbassadorApplication: {
    404: missing('Application', UUID),
    409: of('WRONG_STATE', { resource: 'This application', state: 'approved' }),
  },
  eraseAmbassadorApplication: { 404: missing('Application', UUID) },
  dismissReport: {
    404: missing('Report', '1024'),
    409: of('WRONG_STATE', { resource: 'This report', state: 'dismissed' }),
  },
  getStakingPool: { 404: missing('Staking pool', `${ADDRESS}-1`) },
  getHealth: { 503: of('UNHEALTHY', { failed: ['database'] }) },
  getReadiness: { 503: of('UNHEALTHY', { failed: ['database'] }) },
  uploadImage: { 415: of('UNSUPPORTED_MEDIA_TYPE', { wants: 'multipart/form-data' }) },
}

/** What an operation says with a status, in a sentence that it can really answer. */
function sentenceOf(path: string, operation: Operation, status: number): string {
  const own = particular[operation.operationId ?? '']?.[status]
  if (own) return own
  const isSync = operation.responses?.['425'] !== undefined
  const isMarket = path.startsWith('/market/')
  switch (status) {
    case 400: {
      const names = operation.parameters?.map(({ name, in: place }) => `${place}.${name}`) ?? []
      if (isSync) return invalid('body.txHash', 'must be a 0x-prefixed transaction hash of 32 bytes in hexadecimal')
      if (names.includes('query.limit')) return invalid('query.limit', 'must be <= 100')
      if (names.some((name) => /address|wallet/.test(name)))
        return invalid(
          names.find((name) => /address|wallet/.test(name)) as string,
          'must be a 0x-prefixed address of 20 bytes in hexadecimal',
        )
      if (operation.requestBody) return plain('MALFORMED_JSON')
      return names[0] ? invalid(names[0], 'is not valid') : plain('MALFORMED_BODY')
    }
    case 401:
      return plain('JWT_MISSING')
    case 403:
      if (path.startsWith('/admin/')) return plain('NOT_ADMIN')
      if (path.startsWith('/labs/')) return plain('NOT_LABS')
      return plain(isSync ? 'TRANSACTION_FOREIGN' : 'WALLET_BANNED')
    case 404:
      if (isSync) return plain('TRANSACTION_NOT_FOUND')
      if (isMarket) return of('MARKET_NOT_FOUND', { address: ADDRESS })
      return path.includes('/comments/{id}') ? missing('Comment', '1024') : of('TOKEN_NOT_FOUND', { address: ADDRESS })
    case 409:
      if (isSync) return plain('TRANSACTION_ALREADY_INDEXED')
      return isMarket ? of('TOKEN_LAUNCHED_HERE', { address: ADDRESS }) : plain('CONFLICT')
    case 413:
      return plain('BODY_TOO_LARGE')
    case 415:
      return of('UNSUPPORTED_MEDIA_TYPE', { wants: 'application/json' })
    case 416:
      return plain('RANGE_NOT_SATISFIABLE')
    case 417:
      return plain('EXPECTATION_FAILED')
    case 422:
      return plain('EVENT_MISSING')
    case 425:
      return plain('TRANSACTION_PENDING')
    case 429:
      return of('RATE_LIMITED', { bucket: 'global' })
    case 502:
      return of('UPSTREAM_FAILED', { service: 'market data provider' })
    case 503:
      return plain(isSync ? 'NODE_UNAVAILABLE' : 'DATABASE_UNAVAILABLE')
    case 504:
      return of('UPSTREAM_TIMEOUT', { service: 'market data provider' })
    default:
      return plain('INTERNAL')
  }
}

/** Gives every failure of every operation an example: the envelope, with a sentence of the catalogue. */
export function describeFailures<T extends { paths?: object }>(document: T): T {
  for (const [path, methods] of Object.entries((document.paths ?? {}) as Record<string, Record<string, Operation>>))
    for (const operation of Object.values(methods))
      for (const [status, { content }] of Object.entries(operation.responses ?? {})) {
        const json = content?.['application/json']
        if (json?.schema?.$ref === '#/components/schemas/Error')
          json.example = { success: false, data: null, error: sentenceOf(path, operation, Number(status)) }
      }
  return document
}
