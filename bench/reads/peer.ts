// The peers of the service, in a separate process. bare: node:http with prebuilt responses. hello: Fastify alone.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import type { Recorded } from './record.ts'

async function openBare(): Promise<number> {
  const answers = new Map<string, Recorded>()
  process.on('message', (recorded: Recorded[]) => {
    answers.clear()
    for (const one of recorded) answers.set(one.path, one)
    process.send?.({ ready: true })
  })
  const server = createServer((request, response) => {
    const { tag, body, headers, headersOf304 } = answers.get(request.url as string) as Recorded
    if (request.headers['if-none-match'] === tag) response.writeHead(304, headersOf304).end()
    else response.writeHead(200, headers).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function openHello(): Promise<number> {
  const app = Fastify()
  app.get('/', async () => ({ hello: 'world' }))
  await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as AddressInfo).port
}

const port = await (process.argv[2] === 'bare' ? openBare() : openHello())
process.on('disconnect', () => process.exit())
process.send?.({ port })
