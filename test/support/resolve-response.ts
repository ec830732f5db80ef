interface Document {
  components?: { responses?: object }
}

/** A response of an operation, which may be a reference to a component. */
export function resolveResponse<Response extends object>({ components }: Document, response: Response): Response {
  if (!('$ref' in response)) return response
  const shared = (components?.responses ?? {}) as Record<string, Response>
  return shared[String(response.$ref).split('/').at(-1) as string] as Response
}
