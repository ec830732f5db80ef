import t from 'tap'
import { block, choice, choices, decimal, flag, integer, required, text, url } from '../../lib/commands/options.ts'
import { parseCommandLine, runCommand } from '../../lib/commands/run-command.ts'

const command = {
  command: 'npm run example',
  about: '',
  options: {
    from: block(''),
    wait: decimal('<seconds>', '', { min: 0, max: 60 }, 30),
    runs: integer('N', '', { min: 1, max: 9 }, 2),
    base: url('URL', '', 'http'),
    shape: choice('SHAPE', '', ['dense', 'sparse']),
    only: choices('PARTS', '', ['hot', 'cold']),
    out: text('FOLDER', '', 'pictures'),
    quiet: flag(''),
  },
  arguments: { database: required(url('<DATABASE_URL>', '', 'postgres')) },
  exitCodes: '',
}
const parse = (...args: string[]) => parseCommandLine(command, args)
const DATABASE = 'postgresql://localhost/x'

t.test('values are converted, and missing ones have their default', async (t) => {
  const defaults = { wait: 30, runs: 2, only: ['hot', 'cold'], out: 'pictures', quiet: false }
  const missing = { from: undefined, base: undefined, shape: undefined }
  t.strictSame(parse(DATABASE), { ...missing, ...defaults, database: DATABASE })
  const given = ['--from', '7', '--wait=0.5', '--quiet', '--only', 'cold', '--base', 'https://x.example', '--shape']
  t.match(parse(...given, 'dense', DATABASE), {
    ...{ from: 7, wait: 0.5, quiet: true, only: ['cold'], base: 'https://x.example', shape: 'dense' },
  })
})

t.test('--help and -h are found anywhere', async (t) => {
  for (const args of [['--help'], ['-h'], ['--from', '1', '--help'], ['--bogus', '-h']]) t.equal(parse(...args), 'help')
})

for (const [args, message] of [
  [['--bogus'], 'Unknown option --bogus'],
  [['-x'], 'Unknown option -x'],
  [['--constructor=1'], 'Unknown option --constructor'],
  [['--no-quiet'], 'Unknown option --no-quiet'],
  [['--from'], '--from has no value; expected --from <block>'],
  [['--from', '--quiet'], '--from has no value; expected --from <block>'],
  [['--from='], '--from has no value; expected --from <block>'],
  [['--from', '-1'], '--from has no value; expected --from <block>'],
  [['--from=-1'], '--from is -1; expected a block number'],
  [['--from', '0x10'], '--from is 0x10; expected a block number'],
  [['--wait', '61'], '--wait is 61; expected a number from 0 to 60'],
  [['--runs', '1.5'], '--runs is 1.5; expected an integer from 1 to 9'],
  [['--base', 'localhost:3000'], '--base is localhost:3000; expected a URL that starts with http://'],
  [['--shape', 'round'], '--shape is round; expected one of dense, sparse'],
  [['--only', 'hot,warm'], '--only is hot,warm; expected one of hot, cold'],
  [['--quiet=yes'], '--quiet takes no value'],
  [[], '<DATABASE_URL> is missing'],
  [['http://x'], '<DATABASE_URL> is http://x; expected a URL that starts with postgres://'],
  [[DATABASE, 'more'], 'Unexpected argument more'],
] as const)
  t.test(`an invalid command line is rejected: ${args.join(' ') || 'no arguments'}`, async (t) => {
    t.throws(() => parse(...args), { name: 'UsageError', message })
  })

t.test('a defect is printed with its stack, any other error in one line', async (t) => {
  const exitCode = process.exitCode
  t.teardown(() => {
    process.exitCode = exitCode
  })
  const print = async (error: Error) => {
    const printed = t.capture(console, 'error')
    await runCommand({
      ...{ command: 'npm run example', about: '', exitCodes: '' },
      run: async (): Promise<void> => {
        throw error
      },
    })
    printed.restore()
    t.equal(process.exitCode, 2)
    return printed().map(({ args: [text] }) => text)
  }
  t.same(await print(new Error('There is no such block')), ['There is no such block'])
  t.same(await print(new TypeError('fetch failed', { cause: new Error('refused') })), ['fetch failed: refused'])
  for (const defect of [new TypeError('x is not a function'), new ReferenceError('x is not defined')])
    t.same(await print(defect), [defect.stack])
})
