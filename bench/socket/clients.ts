// Sockets that only count received bytes, so that the server is the bottleneck.
import { enterTrades } from './handshake.ts'

const [port, count] = process.argv.slice(2).map(Number) as [number, number]
const ABREAST = 100

let total = 0
let last = 0n
let wanted = Number.POSITIVE_INFINITY

function reportWhenThere(): void {
  if (total < wanted) return
  process.send?.({ last: String(last), total })
  total -= wanted
  wanted = Number.POSITIVE_INFINITY
}

async function open(at: number): Promise<void> {
  const socket = await enterTrades(port, at)
  socket.on('data', (chunk) => {
    total += chunk.length
    last = process.hrtime.bigint()
    reportWhenThere()
  })
  socket.on('close', () => {
    throw new Error('A socket was closed')
  })
}

let next = 0
await Promise.all(
  Array.from({ length: ABREAST }, async () => {
    while (next < count) await open(next++)
  }),
)
process.on('message', ({ bytes }: { bytes: number }) => {
  wanted = bytes * count
  reportWhenThere()
})
process.on('disconnect', () => process.exit())
process.send?.({ ready: true })
