// Sockets that follow views, and report when each has received an update of one token.
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { viewOf } from './view-filters.ts'

const [port, sockets, views, address] = process.argv.slice(2) as [string, string, string, string]
const ABREAST = 50

let arrived = 0
let messages = 0

async function open(at: number): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`)
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'subscribe', room: 'view', ...viewOf(at % Number(views)) }))
  const [reply] = await once(socket, 'message')
  if (!String(reply).includes('"type":"subscribed"')) throw new Error(`Not subscribed: ${reply}`)
  socket.on('message', (data) => {
    messages++
    const text = String(data)
    if (!text.includes('"view.updated"') || !text.includes(address)) return
    if (++arrived < Number(sockets)) return
    process.send?.({ last: String(process.hrtime.bigint()), messages })
    arrived = 0
    messages = 0
  })
  socket.on('close', () => {
    throw new Error('A socket was closed')
  })
}

let next = 0
await Promise.all(
  Array.from({ length: ABREAST }, async () => {
    while (next < Number(sockets)) await open(next++)
  }),
)
process.on('disconnect', () => process.exit())
process.send?.({ ready: true })
