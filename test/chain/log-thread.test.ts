import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Worker } from 'node:worker_threads'
import t from 'tap'
import { Chain } from '../../chain/client.ts'
import { LogThread } from '../../chain/log-thread.ts'
import { answer as respond, startThirdParty } from '../support/third-party.ts'
import { serveAnswers } from './fixtures/log-node.ts'

const log = {
  address: `0x${'11'.repeat(20)}`,
  topics: [`0x${'22'.repeat(32)}`],
  data: `0x${'33'.repeat(64)}`,
  blockNumber: '0x4',
  blockHash: `0x${'55'.repeat(32)}`,
  transactionHash: `0x${'66'.repeat(32)}`,
}
const many = Array.from({ length: 3_000 }, (_, index) => ({ ...log, logIndex: `0x${index.toString(16)}` }))
const answer = JSON.stringify({ jsonrpc: '2.0', id: 1, result: many })
const filter = { topics: [], range: { blockHash: log.blockHash } }
const NO_NODE = 'http://127.0.0.1:1'

/** The threads that are started from now on. */
function watchThreads(t: { teardown(what: () => void): void }): Worker[] {
  const threads: Worker[] = []
  const add = (thread: Worker) => void threads.push(thread)
  process.on('worker', add)
  t.teardown(() => void process.off('worker', add))
  return threads
}

t.test('another thread reads the same as this one', async (t) => {
  const threads = watchThreads(t)
  const node = await serveAnswers(t, (response) => response.end(answer))
  const chain = new Chain([NO_NODE, node.url], { retries: 0 })
  const here = await chain.getPackedLogs(filter)
  t.equal(threads.length, 0)
  const [aside, again] = await Promise.all([1, 2].map(() => chain.getPackedLogs(filter, { aside: true })))
  t.equal(threads.length, 1, 'one thread reads all')
  t.strictSame(
    here.blocks.map(({ count }) => count),
    [many.length],
  )
  for (const packed of [aside, again]) t.strictSame(packed, here)
})

t.test('what a node refuses, or sends in part, fails and is tried again as elsewhere', async (t) => {
  const refusal = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'too many' } })
  for (const aside of [false, true]) {
    const refusing = await serveAnswers(t, (response) => response.end(refusal))
    await t.rejects(new Chain([refusing.url]).getPackedLogs(filter, { aside }), /too many/)
    t.equal(refusing.requests(), 1, 'a refusal is not repeated')
    const empty = await serveAnswers(t, (response) => response.end('{"jsonrpc":"2.0","id":1,"result":null}'))
    await t.rejects(new Chain([empty.url]).getPackedLogs(filter, { aside }), /no list/)
    const node = await serveAnswers(
      t,
      (response) => response.writeHead(503).end('busy'),
      (_, request) => request.socket.destroy(),
      (response) => response.write(answer.slice(0, 100_000), () => response.destroy()),
      (response) => response.end(answer),
    )
    const { blocks } = await new Chain([node.url], { retries: 3 }).getPackedLogs(filter, { aside })
    t.equal(blocks[0]?.count, many.length)
    t.equal(node.requests(), 4)
  }
})

t.test('a node that does not begin to answer in time is given up, and may take its time for the rest', async (t) => {
  for (const aside of [false, true]) {
    const hung = await serveAnswers(
      t,
      (response) => response.end(answer),
      () => {},
    )
    const slow = await serveAnswers(t, (response) => {
      response.write(answer.slice(0, 10))
      setTimeout(() => response.write(answer.slice(10, 20)), 600)
      setTimeout(() => response.end(answer.slice(20)), 1_200)
    })
    const chain = new Chain([hung.url, slow.url], { timeoutMs: 1_000, retries: 0 })
    // Starting a thread takes its time, too.
    await chain.getPackedLogs(filter, { aside })
    t.equal((await chain.getPackedLogs(filter, { aside })).blocks[0]?.count, many.length)
    // A thread that starts slowly makes the node ahead of the others look hung, which is then left alone for a while.
    if (!aside) t.equal(hung.requests(), 2)
  }
})

t.test('a node that stops amid an answer is given up, and another one asked', async (t) => {
  const stopping = await serveAnswers(t, (response) => response.write(answer.slice(0, 100_000)))
  const node = await serveAnswers(t, (response) => response.end(answer))
  // Starting a thread takes its time, too.
  const chain = new Chain([stopping.url, node.url], { timeoutMs: 2_000, retries: 0 })
  for (const aside of [false, true]) {
    t.equal((await chain.getPackedLogs(filter, { aside })).blocks[0]?.count, many.length)
  }
  const half = await serveAnswers(t, (response) => response.write('[{"jsonrpc":"2.0",'))
  const whole = await startThirdParty(t, (response, { body }) => {
    const [{ id }] = JSON.parse(body)
    respond([{ jsonrpc: '2.0', id, result: '0x2a' }])(response, { body } as never)
  })
  t.equal(await new Chain([half.url, whole.url], { timeoutMs: 500, retries: 0 }).getChainId(), 42)
  t.same([stopping.requests(), half.requests()], [2, 1])
})

t.test('a thread that breaks is told of, and what was asked of it is asked of another', async (t) => {
  const threads = watchThreads(t)
  const broken: Error[] = []
  const node = await serveAnswers(
    t,
    // Before it has begun to answer, and amid an answer.
    () => void threads[0]?.terminate(),
    (response) => response.write(answer.slice(0, 10), () => void threads[1]?.terminate()),
    (response) => response.end(answer),
  )
  const chain = new Chain([node.url], { onWorkerCrash: (error) => broken.push(error) })
  const { blocks } = await chain.getPackedLogs(filter, { aside: true })
  t.equal(blocks[0]?.count, many.length)
  t.equal(threads.length, 3)
  t.match(broken, [/thread that reads logs broke/, /thread that reads logs broke/])
  const idle = threads[2]!
  const gone = once(idle, 'exit')
  await idle.terminate()
  await gone
  t.equal((await chain.getPackedLogs(filter, { aside: true })).blocks[0]?.count, many.length, 'also while it was idle')
})

t.test('a thread keeps no process alive', async (t) => {
  const node = await serveAnswers(t, (response) => response.end(answer))
  const script = fileURLToPath(new URL('./fixtures/ask-aside.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [script, node.url])
  t.equal(stdout, '1\nthe thread is still there\n')
})

t.test('a thread ends when it has had nothing to do for a while, and another follows', async (t) => {
  const threads = watchThreads(t)
  const node = await serveAnswers(t, (response) => response.end(answer))
  const thread = new LogThread((error) => t.fail(error.message), 0)
  for (const count of [1, 2]) {
    const asked = { url: node.url, method: 'POST', headers: {}, body: '{}', stallMs: 10_000 }
    const { status, body } = await thread.request(asked, null)
    t.equal(status, 200)
    t.type((await body) as object, 'object')
    t.equal(threads.length, count)
    if (threads[count - 1]!.threadId > 0) await once(threads[count - 1]!, 'exit')
  }
})
