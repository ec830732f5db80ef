import { Type } from '@sinclair/typebox'
import t from 'tap'
import { isAppError } from '../../errors.ts'
import { cutPage, decodeCursor, encodeCursor, readCursor, readPaging } from '../../routes/paging.ts'

const keyset = Type.Tuple([Type.Integer(), Type.String()])

const refusalOf = (act: () => unknown) => {
  try {
    act()
  } catch (error) {
    return isAppError(error) ? `${error.status} ${error.message}` : error
  }
  return undefined
}

t.test('a cursor decodes to its values', async (t) => {
  t.same(decodeCursor(encodeCursor('newest', [7, '0xab']), 'newest', keyset), [7, '0xab'])
  t.match(encodeCursor('newest', [7, '0xab']), /^[A-Za-z0-9_-]+$/)
})

t.test('an invalid cursor is rejected by field name', async (t) => {
  const refused = '400 query.cursor is not a cursor of this list'
  const cursors = {
    'of another order': encodeCursor('mcap', [7, '0xab']),
    'of other types': encodeCursor('newest', ['7', '0xab']),
    'with a value too many': encodeCursor('newest', [7, '0xab', 1]),
    'not JSON': 'AAAA',
    'no list': Buffer.from('{"a":1}').toString('base64url'),
    null: Buffer.from('null').toString('base64url'),
  }
  for (const [name, cursor] of Object.entries(cursors)) {
    t.equal(
      refusalOf(() => decodeCursor(cursor, 'newest', keyset)),
      refused,
      name,
    )
  }
})

t.test('pages beyond the maximum depth are rejected in favour of cursors', async (t) => {
  t.same(readPaging({}, 'newest', keyset), { limit: 20, offset: 0, page: 1, after: null })
  t.same(readPaging({ page: 100, limit: 100 }, 'newest', keyset), { limit: 100, offset: 9900, page: 100, after: null })
  t.match(
    refusalOf(() => readPaging({ page: 101, limit: 100 }, 'newest', keyset)),
    /^400 .*query\.cursor/,
  )
  t.same(readPaging({ page: 9, cursor: encodeCursor('newest', [7, 'a']) }, 'newest', keyset), {
    limit: 20,
    offset: 0,
    page: null,
    after: [7, 'a'],
  })
})

t.test('a list without pages rejects a request for a page other than the first', async (t) => {
  const cursor = encodeCursor('newest', [7, 'a'])
  const read = (query: object) => readCursor(query, 'newest', keyset)
  t.same(read({}), { limit: 20, after: null })
  t.same(read({ limit: 5, page: '1' }), { limit: 5, after: null })
  t.same(read({ page: '2', cursor }), { limit: 20, after: [7, 'a'] })
  for (const page of ['0', '-1', '2', '', 'abc', '1.5', '9'.repeat(30), ['1', '2']])
    t.match(
      refusalOf(() => read({ page })),
      /^400 query\.page .*query\.cursor/,
    )
})

t.test('one extra row shows whether another page exists', async (t) => {
  const rows = [{ id: 3 }, { id: 2 }, { id: 1 }]
  t.same(
    cutPage(rows, 3, 'id', ({ id }) => [id]),
    { items: rows, nextCursor: null },
  )
  t.same(
    cutPage(rows, 2, 'id', ({ id }) => [id]),
    { items: rows.slice(0, 2), nextCursor: encodeCursor('id', [2]) },
  )
  t.same(
    cutPage([], 2, 'id', () => []),
    { items: [], nextCursor: null },
  )
})
