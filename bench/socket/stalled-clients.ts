// Sockets that subscribe to a channel and then never read. A new socket replaces the oldest one.
import type { Socket } from 'node:net'
import { enterTrades } from './handshake.ts'

const [port, count] = process.argv.slice(2).map(Number) as [number, number]
const ABREAST = 50
const sockets: Socket[] = []
let opened = 0

async function open(): Promise<void> {
  const socket = await enterTrades(port, opened++)
  socket.pause()
  socket.on('error', () => {})
  sockets.push(socket)
}

async function openMany(wanted: number): Promise<void> {
  let left = wanted
  await Promise.all(
    Array.from({ length: ABREAST }, async () => {
      while (left-- > 0) await open()
    }),
  )
}

await openMany(count)
process.on('message', async ({ missing }: { missing: number }) => {
  // A socket that never reads does not notice its disconnect, so the oldest ones are assumed to be closed.
  for (const socket of sockets.splice(0, missing)) socket.destroy()
  await openMany(missing)
  process.send?.({ open: sockets.length })
})
process.on('disconnect', () => process.exit())
process.send?.({ ready: true })
