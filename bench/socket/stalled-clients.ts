// Sockets that enter a room and then never read again. What is asked for anew takes the place of the oldest.
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
  // One that does not read is not told that it was cut off; those that have been here longest are the ones.
  for (const socket of sockets.splice(0, missing)) socket.destroy()
  await openMany(missing)
  process.send?.({ open: sockets.length })
})
process.on('disconnect', () => process.exit())
process.send?.({ ready: true })
