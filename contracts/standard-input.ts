import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const require = createRequire(import.meta.url)

/** Settings of the compiler. The verification of a contract needs exactly these. */
export const compilerSettings = {
  optimizer: { enabled: true, runs: 1_000 },
  evmVersion: 'cancun',
  // No metadata hash: the bytecode depends on the code alone, not on comments or paths.
  metadata: { bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
}

export interface StandardInput {
  language: 'Solidity'
  sources: Record<string, { content: string }>
  settings: typeof compilerSettings
}

/** Reads a source by its name: a path of this project, or of an installed package. */
export const readSource = (name: string): string =>
  readFileSync(name.startsWith('contracts/') ? join(root, name) : require.resolve(name), 'utf8')

/** The compiler's standard JSON input of one source, with all that it imports. */
export function buildStandardInput(entry: string): StandardInput {
  const sources: StandardInput['sources'] = {}
  const add = (name: string) => {
    if (name in sources) return
    const content = readSource(name)
    sources[name] = { content }
    for (const path of listImports(content)) add(path.startsWith('.') ? posix.join(posix.dirname(name), path) : path)
  }
  add(entry)
  const sorted = Object.fromEntries(Object.entries(sources).sort(([a], [b]) => (a < b ? -1 : 1)))
  return { language: 'Solidity', sources: sorted, settings: compilerSettings }
}

/** Paths in import statements: `import "x";` and `import {A} from "x";`. */
const listImports = (source: string): string[] =>
  [...source.matchAll(/^\s*import\s+(?:[^'";]*?\sfrom\s+)?["']([^"']+)["']/gm)].map(([, path]) => String(path))
