import type { Operation, Parameter } from './document.ts'

const KEPT = 40

/**
 * Values of the service's responses, so that requests can name existing resources. Values are kept by the name under which
 * they were received, with the kind of thing they came from for ids.
 */
export interface Memory {
  learn(operation: Operation, json: unknown): void
  recall(operation: Operation, parameter: Parameter, pick: number): unknown
  /** The body with some of its fields replaced by known values of that name. */
  fill(operation: Operation, body: unknown, pick: number): unknown
}

/** `kept` are values that no operator's operation may be given: a ban of the fuzzer's own wallets would end the run. */
export function createMemory(kept: ReadonlySet<string>): Memory {
  const known = new Map<string, unknown[]>()
  const remember = (name: string, value: unknown) => {
    const values = known.get(name) ?? []
    if (values.includes(value)) return
    values.unshift(value)
    known.set(name, values.slice(0, KEPT))
  }
  const walk = (value: unknown, kind: string) => {
    if (Array.isArray(value)) for (const item of value) walk(item, kind)
    else if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) {
        if (typeof inner === 'string' && inner.length < 600)
          remember(name === 'id' || name === 'address' ? `${kind}.id` : name, inner)
        walk(inner, name === 'items' || name === 'data' ? kind : name)
      }
  }
  const select = (operation: Operation, names: readonly string[], pick: number) => {
    const values = names.flatMap((name) => known.get(name) ?? []).filter((value) => !isKept(operation, value))
    return values.length > 0 ? values[pick % values.length] : undefined
  }
  const isKept = ({ path }: Operation, value: unknown) => path.startsWith('/admin/') && kept.has(String(value))

  return {
    learn: (operation, json) => {
      const { data } = (json ?? {}) as { data?: { url?: unknown } }
      if (typeof data?.url === 'string') remember('file', data.url.split('/').at(-1))
      walk(json, answerOf(operation))
    },
    recall: (operation, { name, validate, schema }, pick) => {
      const names =
        operation.path.startsWith('/integrations/') && (name === 'id' || name === 'symbol')
          ? ['token', 'tokens.id']
          : name === 'id'
            ? [`${kindOf(operation)}.id`]
            : name === 'address'
              ? ['tokens.id', 'token']
              : name === 'wallet'
                ? ['wallet', 'creator', 'trader']
                : schema.enum
                  ? []
                  : [operation.path.startsWith('/uploads') ? 'file' : name]
      const value = select(operation, names, pick)
      return value !== undefined && validate(value) ? value : undefined
    },
    fill: (operation, body, pick) => {
      if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
      const filled = Object.fromEntries(
        Object.entries(body).map(([name, value]) => [
          name,
          name === 'parentId' ? null : name === 'txHash' ? (select(operation, [name], pick) ?? value) : value,
        ]),
      )
      return operation.body?.validate(filled) ? filled : body
    },
  }
}

/** What a path answers with: proposals of /raises/{id}/proposals, though its id is a raise's. */
const answerOf = (operation: Operation) => {
  const last = operation.path.split('/').at(-1) ?? ''
  return last.startsWith('{') || last === '' ? kindOf(operation) : last
}

/** The noun of a path: comments of /tokens/{address}/comments and of /comments/{id}/like. */
const kindOf = ({ path }: Operation) => {
  const parts = path.split('/')
  return parts[parts.indexOf('{id}') - 1] ?? parts.at(-1) ?? path
}
