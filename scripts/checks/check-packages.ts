// Checks the licences of all packages in package-lock.json, and which of them run scripts when they are installed.
import { readFileSync } from 'node:fs'
import { runCommand } from '../../lib/commands/run-command.ts'

interface Package {
  license?: string
  /** Not installed by `npm ci --omit=dev`. */
  dev?: boolean
  link?: boolean
  hasInstallScript?: boolean
}

/** Licences of packages that the service runs with. */
const DELIVERED = new Set([
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT', 'Python-2.0', 'Zlib'],
  // Fonts; the renderers of link previews; libvips, which sharp links dynamically.
  ...['OFL-1.1', 'MPL-2.0', 'LGPL-3.0-or-later'],
])
/** Licences of tools, and of Uniswap and PancakeSwap, whose contracts are deployed by tests and the demonstration. */
const FOR_DEVELOPMENT = new Set([
  ...DELIVERED,
  ...['CC-BY-3.0', 'CC0-1.0', 'GPL-2.0-or-later', 'GPL-3.0-or-later', 'Unlicense', 'WTFPL'],
])
/** Packages that name a licence which changed on a date that is past. */
const CHANGED: Record<string, string> = { '@uniswap/v3-core': 'GPL-2.0-or-later' }
/** Their licence grants use that is not production: tests deploy the contract, and nothing else uses the package. */
const FOR_TESTS: Record<string, string> = { '@uniswap/v4-core': 'BUSL-1.1' }
/** Their licence is MIT, but not in the field that npm reads. */
const MIT_BY_FILE = [
  'busboy',
  'dicer',
  'humanize-number',
  'jsonc-simple-parser',
  'memorystream',
  'only',
  'reserved',
  'streamsearch',
]

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))

/** Resolves to the exit code: 1 if a package is not allowed. */
async function checkPackages(): Promise<number> {
  const { packages } = read('../../package-lock.json') as { packages: Record<string, Package> }
  const { allowScripts } = read('../../package.json') as { allowScripts: Record<string, boolean> }
  const problems: string[] = []

  for (const [path, { license: named, dev, link, hasInstallScript }] of Object.entries(packages)) {
    // The project itself and its workspace.
    if (!path.includes('node_modules/') || link) continue
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    if (hasInstallScript && !(name in allowScripts))
      problems.push(
        `${name} runs a script when it is installed. Read it; then list it under allowScripts in package.json`,
      )
    const license = CHANGED[name] ?? named
    if (!license && MIT_BY_FILE.includes(name)) continue
    if (dev && license !== undefined && FOR_TESTS[name] === license) continue
    // "A OR B" leaves the choice, "A AND B" does not.
    const isAllowed = (text: string) => (dev ? FOR_DEVELOPMENT : DELIVERED).has(text)
    const choices = (license ?? 'no licence that npm reads').replace(/[()]/g, '').split(' OR ')
    if (!choices.some((choice) => choice.split(' AND ').every(isAllowed)))
      problems.push(
        `${name} has ${license ?? 'no licence that npm reads'}. Choose another package, or allow it in scripts/checks/check-packages.ts`,
      )
  }
  for (const name of Object.keys(allowScripts))
    if (!Object.keys(packages).some((path) => path.endsWith(`node_modules/${name}`)))
      problems.push(`allowScripts in package.json lists ${name}, which is not installed`)

  for (const problem of problems) console.error(problem)
  return problems.length > 0 ? 1 : 0
}

await runCommand({
  command: 'npm run check:packages',
  about:
    'Checks the licences of all packages in package-lock.json, and which of them run scripts when they are installed.',
  exitCodes: '0 all are allowed, 1 some are not, 2 it could not run.',
  run: checkPackages,
})
