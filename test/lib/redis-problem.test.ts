import t from 'tap'
import { describeRedisError } from '../../lib/redis/redis-problem.ts'
import { singleRedis } from '../support/servers/redis-place.ts'

t.test('an error of connecting to Redis is described by its first cause, with its remedy', async (t) => {
  const describe = (error: unknown) =>
    describeRedisError(singleRedis('redis://user:secret@cache.example:6380/1'), error)
  const cannot = 'the Redis at cache.example:6380 cannot be used: '
  t.strictSame(describe(new Error('The socket closed unexpectedly.')), {
    variable: 'REDIS_URL',
    problem: `${cannot}The socket closed unexpectedly`,
    remedy: 'Start Redis, or correct host, port and password of the URL',
  })
  const refused = new Error('connect ECONNREFUSED ::1:6380')
  t.equal(describe(new AggregateError([refused, new Error('of IPv4')])).problem, cannot + refused.message)
  t.equal(describe('gone').problem, `${cannot}gone`)
  for (const code of ['NOAUTH', 'WRONGPASS', 'NOPERM'])
    t.match(describe(new Error(`${code} no`)).remedy, /^Correct user and password/, code)
})
