import type { Request, Response } from './client.ts'
import type { Operation } from './document.ts'
import type { Aim } from './plan.ts'

interface Ground {
  ask: (operation: Operation, aim: Aim, request: Request) => Promise<Response>
  note: (operation: Operation, aim: string, request: Request, problems: readonly string[]) => void
}

/** How often each operation is asked so: it depends on the operation more than on what is asked of it. */
const TIMES = 2

/**
 * Asks a read that succeeded again, in the ways that HTTP gives every client: for its head, on condition, for a part. What
 * is read may change meanwhile, so answers are held against each other by their validators.
 */
export function createReads({ ask, note }: Ground): (operation: Operation, request: Request) => Promise<void> {
  const asked = new Map<Operation, number>()

  return async (operation, given) => {
    const times = asked.get(operation) ?? 0
    if (operation.method !== 'GET' || times >= TIMES) return
    asked.set(operation, times + 1)

    // Another encoding would be another validator, and other bytes.
    const plain = { ...given.headers, 'accept-encoding': 'identity' }
    const send = async (aim: string, method: 'GET' | 'HEAD', headers: Record<string, string> = {}) => {
      const request: Request = { ...given, method, headers: { ...plain, ...headers } }
      const response = await ask(operation, 'accepts', request)
      const tag = response.headers.get('etag') ?? ''
      const expect = (isTrue: boolean, problem: string) =>
        void (isTrue || note(operation, aim, request, [`${problem}: ${response.status} ${tag}`]))
      return { ...response, tag, expect }
    }

    const whole = await send('read', 'GET')
    if (whole.status !== 200) return
    const head = await send('head', 'HEAD')
    head.expect(head.status === 200, 'HEAD answers otherwise than GET')
    head.expect(head.headers.get('content-type') === whole.headers.get('content-type'), 'HEAD has another content type')

    const other = await send('on condition', 'GET', { 'if-none-match': '"of-something-else"' })
    other.expect(other.status === 200, 'If-None-Match of something else is taken for a match')
    const any = await send('on condition', 'GET', { 'if-none-match': '*' })
    any.expect(any.status === 304, 'If-None-Match: * is not a match')
    for (const method of ['GET', 'HEAD'] as const)
      for (const condition of [whole.tag, `"x", W/${whole.tag}`]) {
        const again = await send('on condition', method, { 'if-none-match': condition })
        again.expect(again.status === (again.tag === whole.tag ? 304 : 200), 'If-None-Match is not kept to')
        if (again.status === 304) head.expect(head.tag === whole.tag, 'HEAD has another validator than GET')
      }

    if (!operation.responses.has(206)) {
      const all = await send('part', 'GET', { range: 'bytes=0-0' })
      return all.expect(all.status === 200, 'Range is taken, though no 206 is declared')
    }
    const { bytes, tag } = whole
    const size = bytes.length
    for (const [range, start, end] of [
      ['0-0', 0, 1],
      ['1-', 1, size],
      [`0-${size + 1_000}`, 0, size],
      ['-2', Math.max(0, size - 2), size],
    ] as const) {
      const part = await send('part', 'GET', { range: `bytes=${range}`, 'if-range': tag })
      const place = part.headers.get('content-range')
      part.expect(part.status === 206 && place === `bytes ${start}-${end - 1}/${size}`, `bytes=${range} is ${place}`)
      part.expect(Buffer.compare(part.bytes, bytes.subarray(start, end)) === 0, `bytes=${range} are other bytes`)
    }
    const outside = await send('part', 'GET', { range: `bytes=${size}-` })
    const extent = outside.headers.get('content-range')
    outside.expect(outside.status === 416 && extent === `bytes */${size}`, `what is past the end is ${extent}`)
    for (const headers of [
      { range: 'bytes=3-1' },
      { range: 'pages=0-1' },
      { range: 'bytes=0-0', 'if-range': '"of-something-else"' },
    ]) {
      const all = await send('part', 'GET', headers)
      all.expect(all.status === 200 && Buffer.compare(all.bytes, bytes) === 0, `${headers.range} is not the whole`)
    }
    const kept = await send('part', 'GET', { range: 'bytes=0-0', 'if-none-match': tag })
    kept.expect(kept.status === 304, 'Range goes before If-None-Match')
  }
}
