const headers = {
  ETag: {
    description: 'Validator of the response body. Send it as If-None-Match to get 304 while the body is unchanged.',
    required: true,
    schema: { type: 'string', pattern: '^"[!#-~]+"$', examples: ['"xWv3Vw2bXyq3pQ8J0n1u0Q7yq2E"'] },
  },
  'Content-Range': {
    description: 'The range of bytes and the size of the file; with 416 only the size.',
    required: true,
    schema: { type: 'string', pattern: '^bytes (\\d+-\\d+|\\*)/\\d+$', examples: ['bytes 0-1023/48211'] },
  },
}

interface Response {
  description?: string
  headers?: object
}

interface Document {
  components?: { headers?: object }
  paths?: object
}

const refer = (...names: (keyof typeof headers)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Documents conditional and range requests on every GET operation: ETag, 304, Content-Range and 416. */
export function describeReads<T extends Document>(document: T): T {
  for (const { get } of Object.values((document.paths ?? {}) as Record<string, { get?: { responses?: object } }>)) {
    const responses = (get?.responses ?? {}) as Record<string, Response>
    const add = (status: string, added: object) => {
      if (responses[status]) responses[status].headers = { ...responses[status].headers, ...added }
    }
    if (responses['200']) responses['304'] = { description: 'The body that If-None-Match names is unchanged.' }
    for (const status of ['200', '304']) add(status, refer('ETag'))
    add('206', refer('ETag', 'Content-Range'))
    if (responses['206']) add('416', refer('Content-Range'))
  }
  return {
    ...document,
    components: { ...document.components, headers: { ...document.components?.headers, ...headers } },
  }
}
