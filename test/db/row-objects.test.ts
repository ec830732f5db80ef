import t from 'tap'
import { RowObjects } from '../../db/postgres/row-objects.ts'

const columns = [
  { name: 'id', dataTypeID: 23 },
  { name: 'title', dataTypeID: 25 },
] as never[]

/** Types whose integers do not have more than one digit. */
const types = {
  getTypeParser: (oid: number) => (oid === 23 ? parseDigit : String),
} as never

function parseDigit(text: string): number {
  if (text.length > 1) throw new Error(`Not a digit: ${text}`)
  return Number(text)
}

const open = (statement: string) => new RowObjects({ text: 'select' }, statement, types)

t.test('a row becomes an object, whose values are parsed unless they are null', async (t) => {
  const query = open('notes')
  query.handleRowDescription({ fields: columns })
  query.handleDataRow({ fields: ['1', 'a "note"'] })
  query.handleDataRow({ fields: [null, null] })
  t.strictSame(query.objects, [
    { id: 1, title: 'a "note"' },
    { id: null, title: null },
  ])
})

t.test('a statement whose columns have changed, as after a migration, is read by its new columns', async (t) => {
  for (const fields of [
    columns,
    columns.toReversed(),
    columns.slice(1),
    [{ name: 'title', dataTypeID: 23 }] as never[],
  ]) {
    const query = open('changing')
    query.handleRowDescription({ fields })
    query.handleDataRow({ fields: fields.map(() => '7') })
    const expected = fields.map(({ name, dataTypeID }) => [name, dataTypeID === 23 ? 7 : '7'])
    t.strictSame(query.objects, [Object.fromEntries(expected)])
  }
})

t.test('a value that cannot be parsed fails its query, not the process', async (t) => {
  const query = open('broken')
  query.handleRowDescription({ fields: columns })
  for (const text of ['12', '34', '5']) query.handleDataRow({ fields: [text, ''] })
  t.match(query.failure, { message: 'Not a digit: 12' })
})
