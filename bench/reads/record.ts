import { request } from 'node:http'

/** A recorded response of the service, for the bare server. */
export interface Recorded {
  path: string
  tag: string
  body: string
  headers: string[]
  headersOf304: string[]
}

/** Headers that node:http sets on both sides. */
const OWN = new Set(['date', 'connection', 'keep-alive'])

export async function record(port: number, path: string): Promise<Recorded> {
  const full = await ask(port, path, {})
  const tag = full.headers[full.headers.indexOf('etag') + 1] as string
  const known = await ask(port, path, { 'if-none-match': tag })
  if (full.status !== 200 || known.status !== 304)
    throw new Error(`${path} answered ${full.status}, then ${known.status}`)
  return { path, tag, body: full.body, headers: full.headers, headersOf304: known.headers }
}

async function ask(port: number, path: string, headers: Record<string, string>) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; headers: string[]; body: string }>()
  request({ port, path, headers }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('end', () => {
      const pairs = response.rawHeaders.flatMap((name, at, all) =>
        at % 2 === 0 && !OWN.has(name.toLowerCase()) ? [name.toLowerCase(), all[at + 1] as string] : [],
      )
      resolve({ status: response.statusCode ?? 0, headers: pairs, body: Buffer.concat(chunks).toString('utf8') })
    })
  })
    .on('error', reject)
    .end()
  return promise
}
