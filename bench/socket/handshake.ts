import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Sockets per local address, limited by its ephemeral ports. */
const PER_ADDRESS = 5_000

/** A client's text frame with a mask of zeros, which is valid and leaves the text unchanged. */
function maskedFrame(text: string): Buffer {
  const frame = Buffer.alloc(6 + text.length)
  frame[0] = 0x81
  frame[1] = 0x80 | text.length
  frame.write(text, 6)
  return frame
}

/** A bare socket that is subscribed to `trades`. `at` is its index. */
export async function enterTrades(port: number, at: number): Promise<Socket> {
  const socket = connect({ host: `127.0.0.${1 + (Math.floor(at / PER_ADDRESS) % 200)}`, port })
  await once(socket, 'connect')
  socket.write(
    `GET /ws HTTP/1.1\r\nHost: bench\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
  )
  const [answer] = await once(socket, 'data')
  if (!String(answer).startsWith('HTTP/1.1 101')) throw new Error(`Not let in: ${answer}`)
  socket.write(maskedFrame('{"type":"subscribe","room":"trades"}'))
  const [reply] = await once(socket, 'data')
  if (!String(reply).includes('subscribed')) throw new Error(`Not subscribed: ${reply}`)
  return socket
}
