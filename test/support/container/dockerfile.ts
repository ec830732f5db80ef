import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

export interface Instruction {
  keyword: string
  /** The text after the keyword, with ARG variables and continuations resolved. */
  text: string
}

export interface Stage {
  name: string
  from: string
  instructions: Instruction[]
}

/** The stages of the Dockerfile, in order. */
export function readStages(): Stage[] {
  const lines = readFileSync(`${ROOT}/Dockerfile`, 'utf8')
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const variables = new Map<string, string>()
  const stages: Stage[] = []
  for (const line of lines) {
    const [, keyword = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? []
    const text = rest.replace(/\$\{(\w+)\}/g, (whole, name: string) => variables.get(name) ?? whole)
    if (keyword === 'ARG') {
      const [name = '', value = ''] = text.split('=')
      variables.set(name, value)
    } else if (keyword === 'FROM') {
      const [from = '', , name = ''] = text.split(/\s+/)
      stages.push({ name, from, instructions: [] })
    } else stages.at(-1)?.instructions.push({ keyword, text })
  }
  return stages
}

/** Whether .dockerignore keeps a file out of the build: the last rule that matches it or a folder of it decides. */
export function readIgnore(): (path: string) => boolean {
  const rules = readFileSync(`${ROOT}/.dockerignore`, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const pattern = line
        .replace(/^!/, '')
        .replace(/[.+^${}()|[\]]/g, '\\$&')
        .replace(/\*\*\//g, '\0')
        .replace(/\*/g, '[^/]*')
        .replaceAll('\0', '(.*/)?')
      return { ignored: !line.startsWith('!'), expression: new RegExp(`^${pattern}(/|$)`) }
    })
  return (path) => rules.findLast(({ expression }) => expression.test(path))?.ignored ?? false
}
