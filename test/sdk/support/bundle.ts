import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Project } from './package.ts'

/** Bundles a file of this folder for a browser. Its imports of the SDK's sources lead to the installed package. */
export async function bundlePage({ folder, sdk }: Project, file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(file, import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    define: { 'process.env.NODE_ENV': '"production"' },
    nodePaths: [join(folder, 'node_modules')],
    plugins: [
      {
        name: 'installed',
        setup: ({ onResolve }) => {
          onResolve({ filter: /\/sdk\/src\/.*index\.ts$/ }, ({ path }) => {
            const [, part = ''] = /\/sdk\/src\/(.*)\.ts$/.exec(path) ?? []
            return { path: join(sdk, 'dist', `${part}.js`) }
          })
        },
      },
    ],
  })
  return String(outputFiles[0]?.text)
}
