import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import t from 'tap'
import { startLink } from './link.ts'

t.test('a link carries bytes, stalls, refuses and cuts', async (t) => {
  const server = createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const link = await startLink(t, `tcp://127.0.0.1:${(server.address() as AddressInfo).port}/name`)
  t.match(link.url, /^tcp:\/\/127\.0\.0\.1:\d+\/name$/)
  const open = async () => {
    const socket = connect(Number(new URL(link.url).port), '127.0.0.1')
    socket.on('error', () => {})
    t.teardown(() => socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  const echo = async (socket: Socket, text: string) => {
    socket.write(text)
    return String((await once(socket, 'data'))[0])
  }
  const socket = await open()
  t.equal(await echo(socket, 'first'), 'first')

  link.stall()
  const later = echo(socket, 'second')
  const other = await open()
  const otherLater = echo(other, 'third')
  let isCarried = false
  later.then(() => {
    isCarried = true
  })
  // A round trip past the link: in this time bytes would come through it.
  const direct = connect((server.address() as AddressInfo).port, '127.0.0.1')
  t.teardown(() => direct.destroy())
  for (let round = 0; round < 20; round++) await echo(direct, 'direct')
  t.notOk(isCarried, 'a stalled link carries nothing')
  link.restore()
  t.strictSame(await Promise.all([later, otherLater]), ['second', 'third'], 'and everything afterwards')

  link.refuse()
  link.cut()
  await once(socket, 'close')
  await once(await open(), 'close')
  link.restore()
  t.equal(await echo(await open(), 'fourth'), 'fourth')
})
