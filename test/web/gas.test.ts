import { readFile } from 'node:fs/promises'
import t from 'tap'
import { gasOf } from '../../web/src/lib/gas.ts'

t.test('the gas that the client sets aside covers what is measured, with a margin', async (t) => {
  const table = await readFile(new URL('../../docs/gas.md', import.meta.url), 'utf8')
  const measure = (operation: string) => {
    const [, gas] =
      table
        .split('\n')
        .find((line) => line.includes(`| ${operation} |`))
        ?.match(/\| ([\d,]+) \|$/) ?? []
    return BigInt(gas?.replaceAll(',', '') ?? t.fail(`docs/gas.md has no row ${operation}`))
  }
  for (const [name, operation] of [
    ['buy', '`buy`, the first of a wallet'],
    ['launch', '`create` with a first buy'],
    ['commit', '`commit`, the first of a wallet'],
    ['fund', '`fund` in coins, the first of a pool'],
  ] as const) {
    const gas = measure(operation)
    t.ok(gasOf[name] * 4n >= gas * 5n && gasOf[name] < gas * 2n, `${name}: ${gasOf[name]}, measured ${gas}`)
  }
})
