import t from 'tap'
import { readMessage } from '../../../routes/live/read-message.ts'

const read = (message: unknown) => readMessage(typeof message === 'string' ? message : JSON.stringify(message))
const TYPES = 'message.type must be one of subscribe, unsubscribe, ping'

t.test('a message is an object of a known type', async (t) => {
  for (const message of [{ type: 'ping' }, { type: 'subscribe', room: 'trades', id: 'a' }])
    t.strictSame(read(message), { message })
  t.strictSame(read('{'), { problem: 'message is not valid JSON' })
  for (const text of ['null', '5', '"ping"', '[]'])
    t.strictSame(read(text), { problem: 'message must be an object' }, text)
  for (const type of [undefined, 'PING', 'constructor', 5, null]) t.strictSame(read({ type }), { problem: TYPES })
})

t.test('a problem names the id of its message, if the id is valid', async (t) => {
  const idOf = (id: unknown) => {
    const found = read({ type: 'unknown', id })
    return 'id' in found ? found.id : 'none'
  }
  for (const id of ['', 'a', 'i'.repeat(64), 0, 7, Number.MAX_SAFE_INTEGER]) t.equal(idOf(id), id)
  for (const id of ['i'.repeat(65), -1, 1.5, 2 ** 53, null, {}, true]) t.equal(idOf(id), 'none', JSON.stringify(id))
  const invalid = read({ type: 'subscribe', id: 5 })
  t.match(invalid, { id: 5, problem: /room/ })
})

t.test('a duplicate key is a problem', async (t) => {
  t.match(read('{"type":"ping","type":"ping"}'), { problem: /^message\.?.*type/ })
})
