import { readdir, readFile } from 'node:fs/promises'

const ROOT = new URL('../../', import.meta.url)

/** The texts of the TypeScript files in a folder of the project. */
export async function readSources(folder: string, ending = '.ts'): Promise<string[]> {
  const place = new URL(`${folder}/`, ROOT)
  const paths = (await readdir(place, { recursive: true })).filter((path) => path.endsWith(ending))
  return Promise.all(paths.map((path) => readFile(new URL(path, place), 'utf8')))
}

/** The strings in the array that calls of a function pass, over all test files: what the tests of domains cover. */
export async function readNamesInCalls(name: string): Promise<string[]> {
  const calls = new RegExp(`\\b${name}\\([^[\\]]*\\[([^\\]]*)\\]`, 'g')
  return (await readSources('test', '.test.ts'))
    .flatMap((text) => [...text.matchAll(calls)].map(([, list = '']) => list))
    .flatMap((list) => [...list.matchAll(/'([^']+)'/g)].map(([, item = '']) => item))
}
