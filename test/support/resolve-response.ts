interface Document {
  components?: { responses?: object }
}

/** A response of an operation, which may be a reference to a component. */
export function resolveResponse<Response extends object>({ components }: Document, response: Response): Response {
  if (!('$ref' in response)) return response
  const shared = (components?.responses ?? {}) as Record<string, Response>
  const found = shared[String(response.$ref).split('/').at(-1) as string]
  if (!found) throw new Error(`The document has no ${response.$ref}`)
  return found
}
