import { sql } from 'kysely'
import t from 'tap'
import { foldText } from '../../db/fold-text.ts'
import { createTestDatabase } from '../support/database.ts'

t.test('a folded text has no case, accents or compatibility forms, and keeps other scripts', async (t) => {
  const folded: [text: string, expected: string][] = [
    ['Café', 'cafe'],
    ['Cafe\u0301', 'cafe'],
    ['ＣＡＦＥ', 'cafe'],
    ['Łódź Ørsted', 'lodz orsted'],
    ['Ấp ǅ', 'ap dz'],
    ['İstanbul ısı', 'istanbul isi'],
    ['ﬁ ①', 'fi 1'],
    ['Ёлка', 'елка'],
    ['日本 हिन्दी ไทย', '日本 हिन्दी ไทย'],
    ['A_%\\$', 'a_%\\$'],
  ]
  for (const [text, expected] of folded) t.equal(foldText(text), expected)
})

t.test('the database folds every assigned character of the first plane like the service', async (t) => {
  const { db } = await createTestDatabase(t)
  const letters = Array.from({ length: 0xd7ff }, (_, point) => String.fromCodePoint(point + 1)).filter((letter) =>
    /^\p{L}$|^[ -~]$/u.test(letter),
  )
  const { rows } = await sql<{ letter: string; folded: string }>`
    select letter, fold_text(letter) as folded from unnest(${letters}::text[]) as l (letter)`.execute(db)
  t.equal(rows.length, letters.length)
  // Their versions of Unicode differ in the newest letters.
  const different = rows.filter(({ letter, folded }) => folded !== foldText(letter))
  t.ok(
    different.length < rows.length / 200,
    `${different.length} of ${rows.length}: ${different
      .map(({ letter }) => letter)
      .join('')
      .slice(0, 200)}`,
  )
  t.same(
    different.filter(({ letter }) => letter < '\u0250').map(({ letter }) => letter),
    [],
    'none is Latin',
  )
})
