import t from 'tap'
import { readRange } from '../../../routes/uploads/read-range.ts'

const SIZE = 100

t.test('one range of bytes is read, cut off at the end of the file', async (t) => {
  for (const [header, start, end] of [
    ['bytes=0-0', 0, 0],
    ['bytes=7-7', 7, 7],
    ['bytes=10-19', 10, 19],
    ['bytes=0-99', 0, 99],
    ['bytes=10-100', 10, 99],
    ['bytes=99-', 99, 99],
    ['bytes=0-', 0, 99],
    ['bytes=-1', 99, 99],
    ['bytes=-100', 0, 99],
    ['bytes=-101', 0, 99],
    [' bytes=1-2 ', 1, 2],
  ] as const)
    t.same(readRange(header, SIZE), { start, end }, header)
})

t.test('the whole file is the response to other headers', async (t) => {
  for (const header of [undefined, '', 'bytes', 'bytes=', 'bytes=-', 'bytes=1', 'bytes=a-b', 'bytes=2-1', 'items=0-1'])
    t.equal(readRange(header, SIZE), 'whole', String(header))
  for (const header of ['bytes=0-1,3-4', 'bytes=0 - 1', `bytes=${'1'.repeat(16)}-`, 'bytes=1-2; x', 'xbytes=1-2'])
    t.equal(readRange(header, SIZE), 'whole', header)
})

t.test('a range that starts after the file is outside', async (t) => {
  for (const header of ['bytes=100-', 'bytes=100-200', `bytes=${'9'.repeat(15)}-`, 'bytes=-0'])
    t.equal(readRange(header, SIZE), 'outside', header)
  t.equal(readRange('bytes=0-', 0), 'outside', 'an empty file')
})
