import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ROOT } from '../../sdk/support/package.ts'

/** A block of code of a document. */
export interface Block {
  language: string
  /** The file that it is, or what kind of a command. */
  name: string
  code: string
}

/** The blocks of a document of the project, in their order. */
export async function readBlocks(file: string): Promise<Block[]> {
  const document = await readFile(join(ROOT, file), 'utf8')
  return [...document.matchAll(/^```(\w+) ?(\S*)\n(.*?)^```$/gms)].map(([, language = '', name = '', code = '']) => ({
    language,
    name,
    code,
  }))
}

/** Runs a block of commands as a shell of a terminal would; resolves to what it printed. */
export async function runShell(code: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn('sh', ['-ec', code], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (status !== 0) throw new Error(`Ended with ${status}:\n${code}\n${out}\n${errors}`)
  return out
}
