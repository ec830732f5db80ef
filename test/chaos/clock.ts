import { writeFileSync } from 'node:fs'

/** Lets Date of a process be wrong by the seconds in a file, which it reads at its start and at each SIGUSR2. */
export function makeClockEnvironment(file: string): Record<string, string> {
  writeFileSync(file, '0')
  const code = `import { readFileSync } from 'node:fs'
    const Real = Date
    const now = Real.now
    let skew = 0
    const read = () => { skew = Number(readFileSync(${JSON.stringify(file)}, 'utf8')) * 1000 }
    read()
    process.on('SIGUSR2', read)
    Real.now = () => now() + skew
    globalThis.Date = class Date extends Real { constructor(...args) { args.length ? super(...args) : super(now() + skew) } }`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}

/** To be followed by SIGUSR2. */
export const setClock = (file: string, seconds: number): void => writeFileSync(file, String(seconds))
