import t from 'tap'
import { listSkipped } from '../../scripts/checks/skipped-tests.ts'

t.test('a run without skipped tests prints nothing', async (t) => {
  t.strictSame(listSkipped('TAP version 14\nok 1 - SKIP # time=1ms\n# skip: 3\n1..1\n'), [])
})

t.test('skipped tests are counted by their requirement, the most frequent first', async (t) => {
  const output = `
# Subtest: test/groups/db.test.ts
    ok 1 - a # SKIP PGlite has one connection
    # Subtest: b
        ok 1 - the # in its name # SKIP TEST_REDIS_URL is not set
        ok 2 # SKIP an embedded database has one process
        ok 3 - c # time=2ms
        not ok 4 - d # TODO
    ok 2 - e # SKIP TEST_DATABASE_URL and TEST_REDIS_URL are not set
    ok 3 - f # SKIP there is no Chromium at /usr/bin/chromium: apt-get install chromium, or set CHROMIUM_PATH
    ok 4 - g # SKIP root may write everywhere
    ok 5 - h # SKIP
    ok 6 - i # SKIP needs jq
    ok 7 - j # SKIP done in the run without PostgreSQL
# { total: 12, pass: 2, skip: 9 }
`
  t.strictSame(listSkipped(output), [
    '9 tests were skipped. What they need:',
    '    2  PostgreSQL: set TEST_DATABASE_URL',
    '    1  Redis: set TEST_REDIS_URL, and install redis-server',
    '    1  PostgreSQL and Redis: set TEST_DATABASE_URL and TEST_REDIS_URL',
    '    1  Chromium: install chromium, or set CHROMIUM_PATH',
    '    1  another user than root',
    '    1  no reason given',
    '    1  needs jq',
    '    1  no PostgreSQL: the screens are tested once, without TEST_DATABASE_URL',
  ])
  t.match(listSkipped('ok 1 - a # SKIP root'), ['1 test was skipped. What they need:', '    1  root'])
})
