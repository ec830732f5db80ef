import { parseArgs } from 'node:util'
import { type Option, type Options, UsageError, type Values } from './options.ts'

const HELP_COLUMNS = 120
/** The exit code of a command that could not run. */
const COULD_NOT_RUN = 2

export interface CommandLine<O extends Options, A extends Options> {
  /** How it is called, such as npm run audit. */
  command: string
  /** What it does, in sentences. */
  about: string
  options?: O
  /** Values without a name, in order. */
  arguments?: A
  /** More about its use, such as the environment. */
  notes?: string
  /** The meaning of each exit code. */
  exitCodes: string
  /** What to do about a wrong command line, before the call of its help; default: see. */
  hint?: string
}

type None = Record<never, never>

export interface Command<O extends Options, A extends Options> extends CommandLine<O, A> {
  /** Resolves to the exit code, if it is not 0. */
  run(values: Values<O> & Values<A>): Promise<number | undefined> | Promise<void>
}

/**
 * Runs a command with the process's arguments: the one way from a command line to code. --help is printed; for a wrong command
 * line or an error, one message is, and the exit code is 2. To be called by the last statement of a file.
 */
export async function runCommand<O extends Options = None, A extends Options = None>(
  command: Command<O, A>,
): Promise<void> {
  try {
    const values = parseCommandLine(command, process.argv.slice(2))
    if (values === 'help') console.log(describeCommand(command))
    else process.exitCode = (await command.run(values)) ?? process.exitCode
  } catch (error) {
    console.error(error instanceof UsageError ? `${error.message}. ${hintOf(command)}` : describeError(error))
    process.exitCode = COULD_NOT_RUN
  }
}

/** The values of the options and arguments, or 'help'. Throws UsageError. */
export function parseCommandLine<O extends Options, A extends Options>(
  command: CommandLine<O, A>,
  args: readonly string[],
): (Values<O> & Values<A>) | 'help' {
  const { options = {}, arguments: expected = {} }: { options?: Options; arguments?: Options } = command
  const types = Object.entries(options).map(([name, { value }]) => [name, { type: value ? 'string' : 'boolean' }])
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...Object.fromEntries(types), help: { type: 'boolean', short: 'h' } },
    // Not strict: the messages of parseArgs take several lines, and name no command.
    strict: false,
    tokens: true,
  })
  if (tokens.some((token) => token.kind === 'option' && token.name === 'help')) return 'help'
  const given: Record<string, unknown> = {}
  const free = Object.entries(expected)
  for (const token of tokens) {
    if (token.kind === 'option') {
      const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined
      if (!option) throw new UsageError(`Unknown option ${token.rawName}`)
      given[token.name] = readOption(token.rawName, option, token.value, token.inlineValue)
    } else if (token.kind === 'positional') {
      const [name, argument] = free.shift() ?? []
      if (!name || !argument) throw new UsageError(`Unexpected argument ${token.value}`)
      given[name] = readValue(argument.value ?? name, argument, token.value)
    }
  }
  const all = [
    ...Object.entries(options).map(([name, option]) => [name, `--${name}`, option] as const),
    ...Object.entries(expected).map(([name, argument]) => [name, argument.value, argument] as const),
  ]
  const values = all.map(([name, shown, { fallback, required }]) => {
    if (required && !(name in given)) throw new UsageError(`${shown} is missing`)
    return [name, name in given ? given[name] : fallback]
  })
  return Object.fromEntries(values)
}

function readOption(name: string, option: Option<unknown>, given: string | undefined, inline: boolean | undefined) {
  if (!option.value) {
    if (given !== undefined) throw new UsageError(`${name} takes no value`)
    return option.read('')
  }
  // What looks like an option is one: a value that begins with - is given as --name=-value.
  if (given === undefined || given === '' || (!inline && given.startsWith('-')))
    throw new UsageError(`${name} has no value; expected ${name} ${option.value}`)
  return readValue(name, option, given)
}

function readValue(name: string, option: Option<unknown>, given: string): unknown {
  try {
    return option.read(given)
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${name} is ${given}; ${error.message}`)
    throw error
  }
}

function hintOf({ command, hint }: CommandLine<Options, Options>): string {
  return `${hint ?? 'See'} ${command}${command.startsWith('npm ') ? ' --' : ''} --help`
}

/** The text of --help. */
function describeCommand(line: CommandLine<Options, Options>): string {
  const { command, about, options = {}, arguments: expected = {}, notes, exitCodes } = line
  const separator = command.startsWith('npm ') ? ' --' : ''
  const usage = [
    command + separator,
    ...(Object.keys(options).length > 0 ? ['[options]'] : ['[--help]']),
    ...Object.values(expected).map(({ value, required }) => (required ? value : `[${value}]`)),
  ]
  const rows = [
    ...Object.values(expected).map(({ value = '', help }) => [value, help] as const),
    ...Object.entries(options).map(
      ([name, { value, help }]) => [`--${name}${value ? ` ${value}` : ''}`, help] as const,
    ),
    ['--help, -h', 'print this text'] as const,
  ]
  const width = Math.max(...rows.map(([name]) => name.length)) + 3
  const list = rows.map(([name, help]) => `  ${name.padEnd(width)}${wrap(help, width + 2)}`)
  return [`Usage: ${usage.join(' ')}`, about, list.join('\n'), notes, `Exit codes: ${exitCodes}`]
    .filter((part) => part !== undefined)
    .join('\n\n')
}

/** Breaks a text into lines that begin at a column, after the first. */
function wrap(words: string, column: number): string {
  const lines = ['']
  for (const word of words.split(' ')) {
    const line = lines.at(-1) as string
    if (column + line.length + 1 + word.length <= HELP_COLUMNS)
      lines[lines.length - 1] = line ? `${line} ${word}` : word
    else lines.push(word)
  }
  return lines.join(`\n${' '.repeat(column)}`)
}

/** An error's message with its cause; its stack if it is a defect of this program. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // What fetch throws without a connection is a TypeError, too: that one has a cause.
  const isDefect = error instanceof ReferenceError || (error instanceof TypeError && error.cause === undefined)
  if (isDefect && error.stack) return error.stack
  // For a host with several addresses, the reasons are inside.
  const reasons = error instanceof AggregateError ? error.errors.map(describeError).join('; ') : ''
  const message = error.message || reasons || error.name
  return error.cause instanceof Error ? `${message}: ${describeError(error.cause)}` : message
}
