import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Worker } from 'node:worker_threads'
import t from 'tap'
import { LogThread } from '../../chain/logs/log-thread.ts'
import { Chain } from '../../chain/rpc/client.ts'
import { answer as respond, startThirdParty } from '../support/third-party.ts'
import { answerBatch, serveAnswers } from './fixtures/log-node.ts'

const log = {
  address: `0x${'11'.repeat(20)}`,
  topics: [`0x${'22'.repeat(32)}`],
  data: `0x${'33'.repeat(64)}`,
  blockNumber: '0x4',
  blockHash: `0x${'55'.repeat(32)}`,
  transactionHash: `0x${'66'.repeat(32)}`,
}
const many = Array.from({ length: 3_000 }, (_, index) => ({ ...log, logIndex: `0x${index.toString(16)}` }))
const filter = { topics: [], range: { from: 4, to: 4 } }
const answer = (calls: Parameters<typeof answerBatch>[0]) => answerBatch(calls, { result: many })
/** A request of the thread itself. */
const ASKED = JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [] }])
const NO_NODE = 'http://127.0.0.1:1'

/** Worker threads that start after this call. */
function watchThreads(t: { teardown(what: () => void): void }): Worker[] {
  const threads: Worker[] = []
  const add = (thread: Worker) => void threads.push(thread)
  process.on('worker', add)
  t.teardown(() => void process.off('worker', add))
  return threads
}

t.test('a worker thread returns the same logs as the main thread', async (t) => {
  const threads = watchThreads(t)
  const node = await serveAnswers(t, (response, calls) => response.end(answer(calls)))
  const chain = new Chain([NO_NODE, node.url], { retries: 0 })
  const here = await chain.getPackedLogs(filter)
  t.equal(threads.length, 0)
  const [inWorker, again] = await Promise.all([1, 2].map(() => chain.getPackedLogs(filter, { inWorker: true })))
  t.equal(threads.length, 1, 'one thread serves all requests')
  t.strictSame(
    here.blocks.map(({ count }) => count),
    [many.length],
  )
  for (const packed of [inWorker, again]) t.strictSame(packed, here)
})

t.test('errors are not retried; disconnections and 503 are retried, in either thread', async (t) => {
  const refusal = { error: { code: -32602, message: 'too many' } }
  for (const inWorker of [false, true]) {
    const refusing = await serveAnswers(t, (response, calls) => response.end(answerBatch(calls, refusal)))
    await t.rejects(new Chain([refusing.url]).getPackedLogs(filter, { inWorker }), /too many/)
    t.equal(refusing.requests(), 1, 'a JSON-RPC error is not retried')
    const wrong = await serveAnswers(t, (response, calls) => response.end(answerBatch(calls, { result: {} })))
    await t.rejects(new Chain([wrong.url]).getPackedLogs(filter, { inWorker }), /no list/)
    const node = await serveAnswers(
      t,
      (response) => response.writeHead(503).end('busy'),
      (_response, _calls, request) => request.socket.destroy(),
      (response, calls) => response.write(answer(calls).slice(0, 100_000), () => response.destroy()),
      (response, calls) => response.end(answer(calls)),
    )
    const { blocks } = await new Chain([node.url], { retries: 3 }).getPackedLogs(filter, { inWorker })
    t.equal(blocks[0]?.count, many.length)
    t.equal(node.requests(), 4)
  }
})

t.test('the time-out applies to the start of a response, not to a body that keeps arriving', async (t) => {
  const ask = async (inWorker: boolean) => {
    const hung = await serveAnswers(
      t,
      (response, calls) => response.end(answer(calls)),
      () => {},
    )
    const slow = await serveAnswers(t, (response, calls) => {
      const whole = answer(calls)
      // Longer than the time-out in all, with pauses of a quarter of it.
      for (let part = 0; part < 5; part++)
        setTimeout(() => response.write(whole.slice(part * 10, (part + 1) * 10)), part * 400)
      setTimeout(() => response.end(whole.slice(50)), 2_000)
    })
    const chain = new Chain([hung.url, slow.url], { timeoutMs: 1_600, retries: 0 })
    // The time-out includes the start of the thread.
    await chain.getPackedLogs(filter, { inWorker })
    t.equal((await chain.getPackedLogs(filter, { inWorker })).blocks[0]?.count, many.length)
    // If the thread starts slowly, the first request times out and opens the breaker of the first node.
    if (!inWorker) t.equal(hung.requests(), 2)
  }
  await Promise.all([false, true].map(ask))
})

t.test('a response that stalls is abandoned, and the next node is used', async (t) => {
  const stopping = await serveAnswers(t, (response, calls) => response.write(answer(calls).slice(0, 100_000)))
  const node = await serveAnswers(t, (response, calls) => response.end(answer(calls)))
  // The time-out includes the start of the thread.
  const chain = new Chain([stopping.url, node.url], { timeoutMs: 2_000, retries: 0 })
  const answers = await Promise.all([false, true].map((inWorker) => chain.getPackedLogs(filter, { inWorker })))
  for (const { blocks } of answers) t.equal(blocks[0]?.count, many.length)
  const half = await serveAnswers(t, (response) => response.write('{"jsonrpc":"2.0",'))
  const whole = await startThirdParty(t, (response, { body }) => {
    const { id } = JSON.parse(body)
    respond({ jsonrpc: '2.0', id, result: '0x2a' })(response, { body } as never)
  })
  t.equal(await new Chain([half.url, whole.url], { timeoutMs: 500, retries: 0 }).getChainId(), 42)
  t.same([stopping.requests(), half.requests()], [2, 1])
})

t.test('a crashed worker is reported, and another one repeats its requests', async (t) => {
  const threads = watchThreads(t)
  const broken: Error[] = []
  const node = await serveAnswers(
    t,
    // Crashes before the response, and during it.
    () => void threads[0]?.terminate(),
    (response, calls) => response.write(answer(calls).slice(0, 10), () => void threads[1]?.terminate()),
    (response, calls) => response.end(answer(calls)),
  )
  const chain = new Chain([node.url], { onWorkerCrash: (error) => broken.push(error) })
  const { blocks } = await chain.getPackedLogs(filter, { inWorker: true })
  t.equal(blocks[0]?.count, many.length)
  t.equal(threads.length, 3)
  t.match(broken, [/worker thread that reads logs crashed/, /worker thread that reads logs crashed/])
  const idle = threads[2]!
  const gone = once(idle, 'exit')
  await idle.terminate()
  await gone
  t.equal(
    (await chain.getPackedLogs(filter, { inWorker: true })).blocks[0]?.count,
    many.length,
    'also after a crash while idle',
  )
})

t.test('an idle worker does not keep the process alive', async (t) => {
  const node = await serveAnswers(t, (response, calls) => response.end(answer(calls)))
  const script = fileURLToPath(new URL('./fixtures/request-in-worker.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [script, node.url])
  t.equal(stdout, '1\nthe thread is still there\n')
})

t.test('an idle worker terminates, and the next request starts another', async (t) => {
  const threads = watchThreads(t)
  const node = await serveAnswers(t, (response, calls) => response.end(answer(calls)))
  const thread = new LogThread((error) => t.fail(error.message), 0)
  for (const count of [1, 2]) {
    const asked = { url: node.url, method: 'POST', headers: {}, body: ASKED, stallMs: 10_000 }
    const { status, body } = await thread.request(asked, null)
    t.equal(status, 200)
    t.type((await body) as object, 'object')
    t.equal(threads.length, count)
    if (threads[count - 1]!.threadId > 0) await once(threads[count - 1]!, 'exit')
  }
})

t.test('a worker with a pending request does not terminate', async (t) => {
  const threads = watchThreads(t)
  const held = Promise.withResolvers<() => void>()
  const node = await serveAnswers(
    t,
    (response, calls) => held.resolve(() => void response.end(answer(calls))),
    (response, calls) => response.end(answer(calls)),
  )
  const thread = new LogThread((error) => t.fail(error.message), 0)
  const asked = { url: node.url, method: 'POST', headers: {}, body: ASKED, stallMs: 10_000 }
  const first = thread.request(asked, null)
  const release = await held.promise
  const second = await thread.request(asked, null)
  await second.body
  // A timer that would end the thread is older, and of the same length.
  await sleep(0)
  t.ok(thread.isRunning)
  release()
  t.type((await (await first).body) as object, 'object')
  t.equal(threads.length, 1)
  if (threads[0]!.threadId > 0) await once(threads[0]!, 'exit')
  t.notOk(thread.isRunning, 'it terminates after the last one')
})

t.test('a worker that was prepared serves the next requests, and terminates when none come', async (t) => {
  const threads = watchThreads(t)
  const node = await serveAnswers(t, (response, calls) => response.end(answer(calls)))
  const chain = new Chain([node.url], { retries: 0 })
  chain.prepareWorker()
  chain.prepareWorker()
  t.equal((await chain.getPackedLogs(filter, { inWorker: true })).blocks[0]?.count, many.length)
  t.equal(threads.length, 1)
  const unused = new LogThread((error) => t.fail(error.message), 0)
  const started = once(process, 'worker')
  unused.prepare()
  const [worker] = (await started) as [Worker]
  await once(worker, 'exit')
})
