import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { ROOT, readIgnore, readStages, type Stage } from './dockerfile.ts'

const run = promisify(execFile)

export interface Image {
  /** Folder that stands for / of the container. */
  root: string
  env: Record<string, string>
  user: { uid: number; gid: number }
  command: string[]
  health: string[]
}

/** The files of the build context. */
export async function listContext(): Promise<string[]> {
  const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, maxBuffer: 1 << 26 })
  const isIgnored = readIgnore()
  return stdout.split('\n').filter((path) => path !== '' && !isIgnored(path))
}

/**
 * Carries out the Dockerfile as far as a machine without a container engine can: every COPY and RUN of every stage, each
 * stage in a folder of its own. What is missing is the base image, whose Node is this process's.
 */
export async function buildStages(t: Test): Promise<(target: string) => Image> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-image-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o755)
  const stages = readStages()
  const images = new Map<string, Image>()
  const context = await listContext()
  for (const stage of stages) images.set(stage.name, await buildStage(stage, folder, images, context))
  return (target) => {
    const image = images.get(target)
    if (!image) throw new Error(`The Dockerfile has no stage ${target}`)
    return image
  }
}

async function buildStage(
  { name, from, instructions }: Stage,
  folder: string,
  images: Map<string, Image>,
  context: string[],
): Promise<Image> {
  const root = join(folder, name)
  await mkdir(root)
  const parent = images.get(from)
  // Linked, not copied: a stage replaces and removes files, and never writes into one.
  if (parent) await run('cp', ['-al', `${parent.root}/.`, root])
  const image: Image = parent
    ? { ...structuredClone(parent), root }
    : { root, env: {}, user: { uid: 0, gid: 0 }, command: [], health: [] }
  const app = join(root, 'app')
  await mkdir(app, { recursive: true })
  for (const { keyword, text } of instructions) {
    if (keyword === 'ENV') for (const [, key, value] of text.matchAll(/(\w+)=(\S+)/g)) image.env[key!] = value!
    if (keyword === 'USER') {
      const [uid = 0, gid = 0] = text.split(':').map(Number)
      image.user = { uid, gid }
    }
    if (keyword === 'CMD') image.command = JSON.parse(text)
    if (keyword === 'HEALTHCHECK') image.health = JSON.parse(text.slice(text.indexOf('[')))
    if (keyword === 'COPY') await copy(text, app, images, context)
    if (keyword === 'RUN') await runInside(text, root)
  }
  return image
}

async function copy(text: string, app: string, images: Map<string, Image>, context: string[]): Promise<void> {
  const [, stage] = /^--from=(\S+)/.exec(text) ?? []
  if (stage) {
    const [, source = '', target = ''] = text.split(/\s+/)
    await mkdir(join(app, target), { recursive: true })
    await run('cp', ['-al', `${images.get(stage)?.root}${source}/.`, join(app, target)])
    return
  }
  const sources = text.split(/\s+/).slice(0, -1)
  const wanted = sources.includes('.') ? context : sources
  for (const path of wanted) {
    if (!context.includes(path)) throw new Error(`COPY ${path}: the build is not sent such a file`)
    await mkdir(dirname(join(app, path)), { recursive: true })
    await cp(join(ROOT, path), join(app, path))
  }
}

/** Paths from / are of the image; what npm has downloaded before is not downloaded again. */
async function runInside(command: string, root: string): Promise<void> {
  const inside = command.replace(/(?<=\s)\/(?=\w)/g, `${root}/`)
  await run('sh', ['-ec', inside], {
    cwd: join(root, 'app'),
    maxBuffer: 1 << 26,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production', npm_config_prefer_offline: 'true' },
  })
}
