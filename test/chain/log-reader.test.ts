import t from 'tap'
import { dataHex, parseLog, type RpcLog, readRecords } from '../../chain/logs/log.ts'
import { LogReader, type PackedLogs } from '../../chain/logs/log-reader.ts'
import { Random } from '../indexer/fixtures/random.ts'

function read(text: string, cuts: readonly number[] = []): PackedLogs | string {
  const reader = new LogReader()
  const bytes = Buffer.from(text)
  let from = 0
  for (const to of [...cuts, bytes.length]) {
    reader.push(bytes.subarray(from, to))
    from = to
  }
  return reader.finish()
}

/** What an answer says: its blocks, as far as their logs follow each other, with what is read of each log. */
function tellPacked(found: PackedLogs | string) {
  if (typeof found === 'string') return found
  return found.blocks.map(({ number, hash, time, count, start }) => ({
    block: [number, hash, time],
    logs: readRecords(found.bytes, start, count).map(tellLog),
  }))
}

const tellLog = (log: ReturnType<typeof parseLog>) => ({
  ...{ logIndex: log.logIndex, txHash: log.txHash, address: log.address, topics: log.topics },
  data: dataHex(log),
})

/** The same by JSON.parse. */
function tellParsed(text: string) {
  const blocks: { block: unknown[]; logs: unknown[] }[] = []
  for (const log of (JSON.parse(text) as { result: RpcLog[] }).result) {
    const { blockTimestamp: time } = log
    const block = [Number(log.blockNumber), log.blockHash, time === undefined ? undefined : Number(time)]
    if (String(blocks.at(-1)?.block) !== String(block)) blocks.push({ block, logs: [] })
    blocks.at(-1)!.logs.push(tellLog(parseLog(log)))
  }
  return blocks
}

function makeAnswer(random: Random, dataBytes: readonly number[] = [0, 1, 32, 300]): string {
  const below = (end: number) => random.between(0, end - 1)
  const word = (bytes: number) =>
    `0x${Array.from({ length: bytes }, () => below(256).toString(16).padStart(2, '0')).join('')}`
  const wallets = Array.from({ length: 3 }, () => `0x${'0'.repeat(24)}${word(20).slice(2)}`)
  const space = () => random.pick(['', '', '', ' ', '\n\t'])
  const shuffle = <T>(items: T[]) => items.sort(() => below(2) - 0.5)
  const times = random.pick([true, false])
  const logs = Array.from({ length: below(5) }, () => {
    const block = {
      blockNumber: `0x${below(2 ** 31).toString(16)}`,
      blockHash: word(32),
      ...(times && { blockTimestamp: `0x${below(2 ** 31).toString(16)}` }),
    }
    return Array.from({ length: 1 + below(4) }, () => ({
      ...block,
      address: random.pick([word(20), word(20).toUpperCase().replace('0X', '0x')]),
      topics: Array.from({ length: below(5) }, () => random.pick([word(32), ...wallets])),
      data: word(random.pick(dataBytes)),
      transactionHash: word(32),
      transactionIndex: '0x1',
      logIndex: `0x${below(random.pick([2, 200, 2 ** 31])).toString(16)}`,
      removed: false,
      // What some nodes add, and what might mislead a reader.
      ...random.pick([{}, { extra: { address: ['}]', { data: null }], 'a"b\\': 1.5e3 } }, { l1BatchNumber: null }]),
    }))
  }).flat()
  const write = (value: unknown): string => {
    if (Array.isArray(value)) return `[${space()}${value.map(write).join(`${space()},${space()}`)}${space()}]`
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    const fields = shuffle(Object.entries(value)).map(
      ([name, item]) => `${JSON.stringify(name)}${space()}:${space()}${write(item)}`,
    )
    return `${space()}{${space()}${fields.join(`${space()},${space()}`)}${space()}}`
  }
  return write({ jsonrpc: '2.0', id: 7, note: { result: ['"result":['] }, result: logs })
}

t.test('random responses in random chunks parse to the same logs as JSON.parse and parseLog', async (t) => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = new Random(seed)
    const text = makeAnswer(random)
    const cuts = Array.from({ length: random.between(0, 5) }, () => random.between(0, text.length)).sort(
      (a, b) => a - b,
    )
    t.strictSame(tellPacked(read(text, cuts)), tellParsed(text), `seed ${seed}`)
  }
  const text = makeAnswer(new Random(4))
  const everyByte = Array.from({ length: text.length }, (_, index) => index)
  t.strictSame(tellPacked(read(text, everyByte)), tellParsed(text), 'byte by byte')
})

t.test(
  'long logs in chunks of socket size, even several in one chunk, parse to the same logs as with JSON.parse',
  async (t) => {
    for (let seed = 1; seed <= 40; seed++) {
      const random = new Random(seed)
      const text = makeAnswer(random, [300, 3_000, 20_000])
      const cuts: number[] = []
      for (let at = 0; at < text.length; at += random.pick([1_000, 8_193, 16_384, 65_536])) cuts.push(at)
      t.strictSame(tellPacked(read(text, cuts)), tellParsed(text), `seed ${seed}`)
    }
  },
)

t.test('the other responses of a batch are kept, wherever the list of logs ends in a chunk', async (t) => {
  const logs = makeAnswer(new Random(4), [5_000])
  const text = `[{"id":1,"result":null},${logs},{"id":2,"result":"${'x'.repeat(20_000)}"}]`
  const answers = JSON.parse(text) as { result: unknown }[]
  const rest = answers.map((answer, at) => (at === 1 ? { ...answer, result: null } : answer))
  const end = text.indexOf('{"id":2')
  for (let cut = end - 9_000; cut < end + 10; cut += 7) {
    const found = read(text, [cut]) as PackedLogs
    t.same(JSON.parse(found.rest ?? ''), rest, `cut at ${cut}`)
  }
})

t.test('a response without a list of logs is returned unchanged', async (t) => {
  const texts = [
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"\\"result\\":[","data":{"result":[]}}}',
    '{"jsonrpc":"2.0","id":1,"result":null}',
    '{"id":1}',
    '<html>Bad Gateway</html>',
    '{"result"',
    '',
  ]
  for (const text of texts) t.equal(read(text, [Math.floor(text.length / 2)]), text)
})

t.test('an invalid or truncated log is an error', async (t) => {
  const log = {
    address: `0x${'11'.repeat(20)}`,
    topics: [`0x${'22'.repeat(32)}`],
    data: '0x33',
    blockNumber: '0x4',
    blockHash: `0x${'55'.repeat(32)}`,
    transactionHash: `0x${'66'.repeat(32)}`,
    logIndex: '0x7',
  }
  const write = (...logs: unknown[]) => JSON.stringify({ result: logs })
  const whole = write(log, log)
  t.equal(tellPacked(read(whole)).length, 1)
  for (let length = '{"result":['.length; length < whole.length - 2; length++) {
    t.throws(() => read(whole.slice(0, length)), { name: 'SyntaxError' }, `cut at ${length}`)
  }
  const invalid = { name: /^(Syntax|Range)Error$/ }
  const wrong: Record<keyof typeof log, unknown[]> = {
    // A byte too short: the quote of the next text stands where theirs is expected.
    address: ['0x11', `0x${'11'.repeat(19)}`, `0x${'zz'.repeat(20)}`, '11'.repeat(21), null],
    topics: [['0x22'], [`0x${'22'.repeat(31)}`, log.blockHash], [`0x${'2g'.repeat(32)}`], [null], 'topics'],
    data: ['0x3', '0xzz', '0x33"33', '', null],
    blockNumber: ['0xx', 4, null, `0x${'f'.repeat(400)}`],
    blockHash: [null],
    transactionHash: ['0x66', `0x${'66'.repeat(31)}`, null],
    logIndex: ['0x-1', null, `0x${'f'.repeat(20)}`],
  }
  for (const [field, values] of Object.entries(wrong)) {
    for (const value of values)
      t.throws(() => read(write(log, { ...log, [field]: value })), invalid, `${field}: ${value}`)
    t.throws(() => read(write({ ...log, [field]: undefined })), invalid, `without ${field}`)
  }
  t.match(tellPacked(read(write({ ...log, topics: null }))), [{ logs: [{ topics: [] }] }], 'some nodes send null')
  for (const thing of [1, 'log', null, [log]]) t.throws(() => read(write(thing)), invalid, `${thing}`)
})
