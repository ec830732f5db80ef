/** What a test may need that a machine lacks, by the reason that it gives. The first that matches counts. */
const NEEDS: readonly (readonly [reason: RegExp, need: string])[] = [
  [/in the run without PostgreSQL/, 'no PostgreSQL: the screens are tested once, without TEST_DATABASE_URL'],
  [/TEST_DATABASE_URL and TEST_REDIS_URL/, 'PostgreSQL and Redis: set TEST_DATABASE_URL and TEST_REDIS_URL'],
  [/Patroni/, 'Patroni: install patroni, etcd-server and haproxy'],
  [/redis/i, 'Redis: set TEST_REDIS_URL, and install redis-server'],
  [/PGlite|PostgreSQL|embedded database|TEST_DATABASE_URL/, 'PostgreSQL: set TEST_DATABASE_URL'],
  [/Citus/, 'Citus: install the extension, or set CITUS_SOURCE to its source'],
  [/Chromium/, 'Chromium: install chromium, or set CHROMIUM_PATH'],
  [/\broot may\b/, 'another user than root'],
  [/\broot\b|tmpfs|mount/, 'root'],
]

const SKIPPED = /^ *ok \d+(?: - .*?)? # SKIP ?(.*)$/gm

/** One line for all skipped tests of a TAP output, and one for each thing that is missing, most tests first. */
export function listSkipped(tap: string): string[] {
  const counts = new Map<string, number>()
  for (const [, reason = ''] of tap.matchAll(SKIPPED)) {
    const [, need = reason || 'no reason given'] = NEEDS.find(([pattern]) => pattern.test(reason)) ?? []
    counts.set(need, (counts.get(need) ?? 0) + 1)
  }
  if (counts.size === 0) return []
  const total = [...counts.values()].reduce((sum, count) => sum + count)
  const rows = [...counts].sort(([, a], [, b]) => b - a)
  return [
    `${total} ${total === 1 ? 'test was' : 'tests were'} skipped. What they need:`,
    ...rows.map(([need, count]) => `${String(count).padStart(5)}  ${need}`),
  ]
}
