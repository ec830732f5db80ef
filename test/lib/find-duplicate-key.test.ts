import fc from 'fast-check'
import t from 'tap'
import { findDuplicateKey } from '../../lib/json/find-duplicate-key.ts'

t.test('the first duplicate key is found, with its path', async (t) => {
  const cases: [text: string, path: (string | number)[] | null][] = [
    ['{"a":1,"a":2}', ['a']],
    ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}', null],
    ['{"a":{"b":[0,{"c":1,"d":2,"c":3}]}}', ['a', 'b', 1, 'c']],
    ['[{"a":1},{"a":1,"a":1}]', [1, 'a']],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['{"\\u00e9":1,"é":2}', ['é']],
    ['{"\\"":1,"\\u0022":2}', ['"']],
    ['{"\\\\":1,"\\\\":2}', ['\\']],
    ['{"a\\\\":"\\\\\\"","a":"{\\"a\\":1,\\"a\\":2}"}', null],
    ['{"":1,"":2}', ['']],
    ['{"__proto__":1,"__proto__":2}', ['__proto__']],
    ['{"a":"a","b":["a","a"],"c":"}","d":"]"}', null],
    [' { "a" : 1 , \n "a" : 2 } ', ['a']],
    [`{${Array.from({ length: 20 }, (_, at) => `"k${at}":0`).join()},"k3":1}`, ['k3']],
    ['"a"', null],
    ['1', null],
    ['[]', null],
    ['{}', null],
  ]
  for (const [text, path] of cases) {
    JSON.parse(text)
    t.strictSame(findDuplicateKey(text), path, text)
  }
})

t.test('a text with a string without an end has no result', async (t) => {
  for (const text of ['"', '["a', '["\\', '["\\"', '{"a":1,"a', '{"a":1,"a\\"']) {
    t.throws(() => JSON.parse(text), SyntaxError, text)
    t.equal(findDuplicateKey(text), null, text)
  }
})

t.test('JSON.stringify’s output has no duplicate; repeating any key creates one', async (t) => {
  const escapeAll = (key: string) =>
    [...key.split('')].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.string({ unit: 'binary' }), fc.boolean(), (value, key, escaped) => {
      const text = JSON.stringify(value, null, 1)
      const name = escaped ? `"${escapeAll(key)}"` : JSON.stringify(key)
      const twice = `[0,{${JSON.stringify(key)}:${text},"between":${text},${name}:${text}}]`
      JSON.parse(twice)
      const path = findDuplicateKey(twice)
      return findDuplicateKey(text) === null && path?.[0] === 1 && path.length === 2
    }),
    { numRuns: 500 },
  )
  t.pass()
})

t.test('the worst body of 128 KB takes a few milliseconds', async (t) => {
  const LENGTH = 128 * 1024
  const fill = (part: string) => part.repeat(Math.floor(LENGTH / part.length))
  const worst = {
    'many keys': `{${Array.from({ length: LENGTH / 10 }, (_, at) => `"${at.toString(36).padStart(4, '0')}":0`).join()}}`,
    'many objects': `[${fill('{"a":1},')}0]`,
    'deep objects': `${fill('{"a":').slice(0, LENGTH)}0${'}'.repeat(Math.floor(LENGTH / 5))}`,
    'deep arrays': `${'['.repeat(LENGTH / 2)}${']'.repeat(LENGTH / 2)}`,
    'one long key': `{"${'a'.repeat(LENGTH)}":0}`,
    backslashes: `["${fill('\\\\')}"]`,
    'escaped quotes': `["${fill('\\"')}"]`,
    'escaped keys': `{${Array.from({ length: LENGTH / 32 }, (_, at) => `"\\u0061${at}":0`).join()}}`,
  }
  for (const [name, text] of Object.entries(worst)) {
    // CPU time, and the best of several runs: others use the same processor.
    let best = Number.POSITIVE_INFINITY
    for (let run = 0; run < 10; run++) {
      const start = process.cpuUsage()
      t.equal(findDuplicateKey(text), null)
      const { user, system } = process.cpuUsage(start)
      best = Math.min(best, (user + system) / 1_000)
    }
    t.ok(best < 50, `${name}: ${best.toFixed(1)} ms`)
  }
})
