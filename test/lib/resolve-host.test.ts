import { createSocket, type RemoteInfo } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { resolveHost } from '../../lib/http/resolve-host.ts'

const [A, AAAA] = [1, 28]
/** Length of the header of a message. */
const HEADER = 12

interface Query {
  host: string
  type: number
}

/** The question of a query: labels with their lengths, an empty one, the type and the class. */
function readQuestion(message: Buffer): Query & { question: Buffer } {
  const labels: string[] = []
  let at = HEADER
  while (message[at] !== 0) {
    const length = message[at] ?? 0
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { host: labels.join('.'), type: message.readUInt16BE(at + 1), question: message.subarray(HEADER, at + 5) }
}

/** A response with these addresses, as bytes. */
function respond(message: Buffer, addresses: readonly Buffer[]): Buffer {
  const { question, type } = readQuestion(message)
  const header = Buffer.from([...message.subarray(0, 2), 0x81, 0x80, 0, 1, 0, addresses.length, 0, 0, 0, 0])
  // The name of a record refers to the question's; class IN, valid for 60 seconds.
  const records = addresses.map((address) =>
    Buffer.concat([Buffer.from([0xc0, HEADER, 0, type, 0, 1, 0, 0, 0, 60, 0, address.length]), address]),
  )
  return Buffer.concat([header, question, ...records])
}

/** Starts a name server, which does not answer where `answer` returns null. */
async function startNameServer(t: Test, answer: (query: Query) => Buffer[] | null) {
  const socket = createSocket('udp4')
  const hosts = new Set<string>()
  let onHosts = () => {}
  socket.on('message', (message, { port, address }: RemoteInfo) => {
    const query = readQuestion(message)
    hosts.add(query.host)
    onHosts()
    const addresses = answer(query)
    if (addresses) socket.send(respond(message, addresses), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.teardown(() => new Promise<void>((resolve) => socket.close(() => resolve())))
  return {
    servers: [`127.0.0.1:${socket.address().port}`],
    /** Resolves when it was asked for so many hosts. */
    receivesHosts: (count: number) =>
      new Promise<void>((resolve) => {
        onHosts = () => hosts.size >= count && resolve()
        onHosts()
      }),
  }
}

const { signal } = new AbortController()
const v4 = Buffer.from([93, 184, 215, 14])
const v6 = Buffer.from('26064700000000000000000000001111', 'hex')

t.test('returns the addresses of both families', async (t) => {
  const { servers } = await startNameServer(t, ({ type }) => (type === A ? [v4, v4] : [v6]))
  t.same(await resolveHost('host.example', { signal, servers }), [
    { address: '93.184.215.14', family: 4 },
    { address: '93.184.215.14', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ])
})

t.test('one family is enough, and a host without addresses is an error', async (t) => {
  const { servers } = await startNameServer(t, ({ host, type }) =>
    host === 'none.example' || type === A ? [] : type === AAAA ? [v6] : [],
  )
  t.same(await resolveHost('six.example', { signal, servers }), [{ address: '2606:4700::1111', family: 6 }])
  await t.rejects(resolveHost('none.example', { signal, servers }), { code: 'ENODATA' })
})

t.test('silent name servers delay no other lookup, and the signal ends their queries', async (t) => {
  const { servers, receivesHosts } = await startNameServer(t, () => null)
  const aborting = new AbortController()
  const hosts = Array.from({ length: 16 }, (_, n) => `silent${n}.example`)
  const failures = Promise.all(
    hosts.map((host) =>
      resolveHost(host, { signal: aborting.signal, servers }).then(
        () => 'resolved',
        (error: NodeJS.ErrnoException) => error.code,
      ),
    ),
  )
  await receivesHosts(hosts.length)
  t.match(await lookup('localhost'), { address: String })
  aborting.abort()
  t.same(
    await failures,
    hosts.map(() => 'ECANCELLED'),
  )
  await t.rejects(resolveHost('late.example', { signal: aborting.signal, servers }), { name: 'AbortError' })
})
