interface Operation {
  security?: Record<string, unknown>[]
}

interface Document {
  paths?: Record<string, Record<string, unknown>>
  components?: { securitySchemes?: Record<string, unknown> }
}

/**
 * The document without authentication by cookies, for Swagger UI: its dialog would have a field for a cookie that no page can read or
 * set.
 */
export function hideCookies<T extends object>(document: T): T {
  const { paths = {}, components = {} } = document as Document
  const schemes = Object.entries(components.securitySchemes ?? {})
  const kept = schemes.filter(([, scheme]) => (scheme as { in?: string }).in !== 'cookie')
  if (kept.length === schemes.length) return document
  const isKept = (requirement: Record<string, unknown>) =>
    Object.keys(requirement).every((name) => kept.some(([known]) => known === name))
  const mapValues = <Value, Mapped>(values: Record<string, Value>, map: (value: Value) => Mapped) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))
  const strip = (operation: unknown): unknown => {
    const { security } = Object(operation) as Operation
    return security ? { ...(operation as object), security: security.filter(isKept) } : operation
  }
  return {
    ...document,
    paths: mapValues(paths, (operations) => mapValues(operations, strip)),
    components: { ...components, securitySchemes: Object.fromEntries(kept) },
  }
}
