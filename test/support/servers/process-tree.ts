import { readdir, readFile } from 'node:fs/promises'

/** A process and all of its descendants. */
export async function listTree(root: number): Promise<number[]> {
  const parents = new Map<number, number>()
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    // The name of the program, in parentheses, may have spaces.
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (parent !== undefined) parents.set(Number(name), Number(parent))
  }
  const tree = [root]
  for (const pid of tree) for (const [child, parent] of parents) if (parent === pid) tree.push(child)
  return tree
}

export function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch (error) {
      // It has ended.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}
