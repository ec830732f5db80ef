import { type Kysely, sql } from 'kysely'
import t from 'tap'
import { expectSymbolKey } from '../../../audit/symbol-key.ts'
import { convert, isConverted, up } from '../../../db/migrations/0032-symbol-keys.ts'
import { toSymbolKey } from '../../../db/symbol-key.ts'
import { createTestDatabase } from '../../support/database.ts'
import { fillMarket } from '../../support/market-fixture.ts'
import { tokenAddress } from '../../support/market-simulation.ts'

/** Every character of the first two planes, some in a symbol: more of them than are converted at once. */
const LENGTH = 48
const characters = Array.from({ length: 0x20000 - 1 }, (_, index) => String.fromCodePoint(index + 1)).filter((one) =>
  one.isWellFormed(),
)
const symbols = Array.from({ length: Math.ceil(characters.length / LENGTH) }, (_, index) =>
  characters.slice(index * LENGTH, (index + 1) * LENGTH).join(''),
)

const { db } = await createTestDatabase(t)
const migrated = db as unknown as Kysely<unknown>
const read = () =>
  db
    .selectFrom('tokens')
    .select(['address', 'symbol', 'symbol_key', 'symbol_taken_before'])
    .orderBy('address')
    .execute()
const rename = (index: number, symbol: string) =>
  db.updateTable('tokens').set({ symbol }).where('address', '=', tokenAddress(index)).execute()

await fillMarket(db)
await sql`insert into tokens (id, address, launchpad, creator, quote_token, name, symbol, metadata_uri, decimals, total_supply,
    initial_virtual_quote, initial_virtual_token, initial_real_token, target_quote, block_number, log_index, tx_hash, block_time)
  select 1000 + i, '0x' || md5(i::text) || '00000000', launchpad, creator, quote_token, name, s, metadata_uri, decimals, total_supply,
    initial_virtual_quote, initial_virtual_token, initial_real_token, target_quote, 1000000, i, tx_hash, block_time
  from tokens, unnest(${symbols}::text[]) with ordinality as k (s, i) where address = ${tokenAddress(1)}`.execute(db)
await rename(0, 'PEPE')
await rename(5, '\u0420\u0415\u0420\u0415')
await rename(20, 'PE\u200dPE')

t.test('the database of an earlier version', async (t) => {
  await sql`alter table tokens drop column symbol_key`.execute(db)
  await sql`create index tokens_symbol on tokens (lower(symbol) text_pattern_ops, block_number, log_index)`.execute(db)
  await sql`update tokens t set symbol_taken_before = exists (select from tokens o where lower(o.symbol) = lower(t.symbol)
    and (o.block_number, o.log_index) < (t.block_number, t.log_index))`.execute(db)
  t.ok(await isConverted(migrated), 'has nothing to convert before the migration')
})

t.test('tokens that are stored before the migration get their keys, also by processes that are killed', async (t) => {
  await up(migrated)
  t.notOk(await isConverted(migrated))
  let lines = 0
  const onProgress = () => {
    lines += 1
    if (lines === 2) throw new Error('The process is killed')
  }
  await t.rejects(convert(migrated, { onProgress }), { message: 'The process is killed' })
  t.notOk(await isConverted(migrated))
  await convert(migrated, { onProgress })
  t.equal(lines, 3, 'the second process converts the rest')
  t.ok(await isConverted(migrated))
  await convert(migrated, { onProgress })
  t.equal(lines, 3, 'nothing is left')
  for (const { symbol, symbol_key } of await read())
    if (symbol_key !== toSymbolKey(symbol)) t.equal(symbol_key, toSymbolKey(symbol), JSON.stringify(symbol))
})

t.test('they are compared by their keys with each other', async (t) => {
  const { rows } = await sql`
    select address from (
      select address, symbol_taken_before, row_number() over (partition by symbol_key order by block_number, log_index) > 1 as taken
      from tokens
    ) k where symbol_taken_before <> taken`.execute(db)
  t.strictSame(rows, [])
  const taken = new Map((await read()).map((row) => [row.address, row.symbol_taken_before]))
  t.strictSame(
    [0, 5, 20].map((index) => taken.get(tokenAddress(index))),
    [false, true, true],
  )
})

t.test('a launch that the version before stores afterwards is compared by the next process', async (t) => {
  const before = await read()
  await sql`update tokens set symbol_key = null, symbol_taken_before = false where address = ${tokenAddress(5)}`.execute(
    db,
  )
  t.notOk(await isConverted(migrated))
  await convert(migrated, { onProgress: () => {} })
  t.strictSame(await read(), before)
})

t.test('the audit finds the same key of every character', async (t) => {
  t.strictSame(
    [...characters, ...symbols].filter((symbol) => expectSymbolKey(symbol) !== toSymbolKey(symbol)),
    [],
  )
})

t.test('the key of a key is the key', async (t) => {
  t.strictSame(
    symbols.filter((symbol) => toSymbolKey(toSymbolKey(symbol)) !== toSymbolKey(symbol)),
    [],
  )
})
