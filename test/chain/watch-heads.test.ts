import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { type WebSocket, WebSocketServer } from 'ws'
import { watchHeads } from '../../chain/rpc/watch-heads.ts'

t.test('watchHeads subscribes, reports each block, reconnects and closes', async (t) => {
  const node = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  t.teardown(() => node.close())
  await once(node, 'listening')
  const stopping = new AbortController()
  t.teardown(() => stopping.abort())
  let rings = 0
  let rung = Promise.withResolvers<void>()
  const ring = () => {
    rings++
    rung.resolve()
    rung = Promise.withResolvers()
  }
  const atLeast = async (count: number) => {
    while (rings < count) await rung.promise
  }
  const accept = async () => {
    const [socket] = (await once(node, 'connection')) as [WebSocket]
    const [text] = await once(socket, 'message')
    t.match(JSON.parse(String(text)), { method: 'eth_subscribe', params: ['newHeads'] })
    return socket
  }

  let accepted = accept()
  watchHeads(`ws://127.0.0.1:${(node.address() as AddressInfo).port}`, ring, stopping.signal)
  let socket = await accepted
  await atLeast(1)
  socket.send('{"method":"eth_subscription"}')
  await atLeast(2)

  accepted = accept()
  socket.terminate()
  socket = await accepted
  await atLeast(3)
  t.equal(rings, 3, 'what was missed meanwhile is looked for at once')

  const closed = once(socket, 'close')
  stopping.abort()
  await closed
  t.equal(rings, 3)
})
