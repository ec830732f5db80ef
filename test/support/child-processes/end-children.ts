// tap ends a file that takes too long with SIGALRM, then SIGKILL, and its teardowns do not run: services and servers that it has
// started would go on.
import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'

const running = new Set<ChildProcess>()
subscribe('child_process', (message) => {
  const { process: child } = message as { process: ChildProcess }
  running.add(child)
  child.once('exit', () => running.delete(child))
})
process.on('SIGALRM', () => {
  for (const child of running) child.kill('SIGKILL')
})
