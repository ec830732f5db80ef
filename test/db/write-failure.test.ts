import t from 'tap'
import { describeWriteFailure, toWriteFailure } from '../../db/write-failure.ts'

const fail = (code: string, message = 'x') => Object.assign(new Error(message), { code, severity: 'ERROR' })

t.test('what a retry cannot mend is reported with its SQLSTATE', async (t) => {
  const describe = (code: string) => describeWriteFailure(toWriteFailure(fail(code)) ?? 0)
  t.equal(describe('53100'), 'the database has no space left')
  t.equal(describe('25006'), 'the database accepts no writes')
  t.equal(describe('42501'), 'the database reports 42501')
  t.equal(describe('XX000'), 'the database reports XX000')
})

t.test(
  'what passes by itself is not: lost connections, also to a worker of Citus, conflicts and timeouts',
  async (t) => {
    for (const code of ['08006', '57P01', '40001', '55P03', '25P03']) t.equal(toWriteFailure(fail(code)), null, code)
    t.equal(toWriteFailure(fail('XX000', 'server closed the connection unexpectedly\n\tThis probably means')), null)
    t.equal(toWriteFailure(new Error('Connection terminated unexpectedly')), null)
  },
)
