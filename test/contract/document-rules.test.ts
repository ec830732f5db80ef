import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { parse } from 'yaml'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

type Tree = { [name: string]: Tree } & { [index: number]: Tree }
type Break = (document: Tree) => void

const firstOf = (tree: Tree | undefined): Tree => Object.values(tree ?? {})[0]!

/** The first object below that is as wanted. */
function find(tree: Tree, isWanted: (tree: Tree) => boolean): Tree {
  const pending = [tree]
  for (const one of pending) {
    if (isWanted(one)) return one
    pending.push(...Object.values(one).filter((value) => typeof value === 'object' && value !== null))
  }
  throw new Error('Nothing in the document is as wanted')
}

const repeat = (list: Tree | undefined) => (list as unknown as unknown[]).push(list?.[0])
const set = (tree: Tree, name: string, value: unknown) => Object.assign(tree, { [name]: value })

const schemas = {
  'a value of an enum twice': (document) =>
    repeat(find(document.components!.schemas!, (one) => Array.isArray(one.enum)).enum),
  'a required property twice': (document) =>
    repeat(find(document.components!.schemas!, (one) => Array.isArray(one.required)).required),
  'a pattern that does not compile': (document) => set(firstOf(document.components!.schemas), 'pattern', '['),
  'an unknown type': (document) => set(firstOf(document.components!.schemas), 'type', 'objct'),
  'an array without items': (document) => set(document.components!.schemas!, 'List', { type: 'array' }),
  'a description with a script': (document) => set(document.info!, 'description', '<script>alert(1)</script>'),
} satisfies Record<string, Break>

const documents: Record<string, Record<string, Break>> = {
  openapi: {
    ...schemas,
    'a default of another type': (document) =>
      set(
        find(document.paths!, (one) => (one.type as unknown) === 'integer' && 'default' in one),
        'default',
        'many',
      ),
    'an unknown security scheme': (document) => set(firstOf(firstOf(document.paths)), 'security', [{ nope: [] }]),
    'a tag that is not declared': (document) => set(firstOf(firstOf(document.paths)), 'tags', ['nope']),
    'no description of an operation': (document) => delete firstOf(firstOf(document.paths)).description,
    'no licence': (document) => delete document.info!.license,
  },
  asyncapi: {
    ...schemas,
    'a message of no channel': (document) =>
      set(firstOf(document.operations), 'messages', [
        { $ref: `#/components/messages/${Object.keys(document.components!.messages!)[0]}` },
      ]),
    'a message that does not exist': (document) =>
      set(firstOf(document.operations), 'messages', [{ $ref: '#/channels/socket/messages/nope' }]),
    'an unknown action': (document) => set(firstOf(document.operations), 'action', 'shout'),
    'no protocol of a server': (document) => delete firstOf(document.servers).protocol,
  },
}

for (const [name, breaks] of Object.entries(documents))
  t.test(`the linter accepts ${name}.yaml, and rejects it with any fault`, async (t) => {
    const folder = t.testdir()
    const text = await readFile(join(ROOT, `${name}.yaml`), 'utf8')
    const faults = ['none', ...Object.keys(breaks)]
    await Promise.all(
      faults.map(async (fault, index) => {
        const document = parse(text) as Tree
        breaks[fault]?.(document)
        await writeFile(join(folder, `${index}.json`), JSON.stringify(document))
      }),
    )
    const lint = promisify(execFile)(
      join(ROOT, 'node_modules/.bin/redocly'),
      [
        'lint',
        ...faults.map((_, index) => join(folder, `${index}.json`)),
        '--config',
        'redocly.yaml',
        '--format=checkstyle',
        '--max-problems=10000',
      ],
      {
        cwd: ROOT,
        maxBuffer: 1 << 26,
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      },
    )
    const { stdout } = (await lint.catch((error: unknown) => error)) as { stdout: string }
    const rejected = new Set(
      [...stdout.matchAll(/<file name="[^"]*?(\d+)\.json">(.*?)<\/file>/gs)]
        .filter(([, , problems]) => problems?.includes('severity="error"'))
        .map(([, index]) => faults[Number(index)]),
    )
    t.same(
      faults.filter((fault) => !rejected.has(fault)),
      ['none'],
    )
  })
