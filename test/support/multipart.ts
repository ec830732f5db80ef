export interface Part {
  name: string
  filename?: string
  contentType?: string
  content: Buffer | string
}

const BOUNDARY = 'slipway-test-boundary'

/** A multipart body as browsers send it. */
export function makeMultipart(...parts: Part[]): { headers: { 'content-type': string }; payload: Buffer } {
  const chunks = parts.flatMap(({ name, filename, contentType, content }) => [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${filename ? `; filename="${filename}"` : ''}\r\n`,
    contentType ? `Content-Type: ${contentType}\r\n\r\n` : '\r\n',
    content,
    '\r\n',
  ])
  const payload = Buffer.concat([...chunks, `--${BOUNDARY}--\r\n`].map((chunk) => Buffer.from(chunk as string)))
  return { headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }, payload }
}
