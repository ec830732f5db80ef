import { workerData } from 'node:worker_threads'

// Native code can block the child's main thread, which then misses the end of its parent.
const { parentPid } = workerData as { parentPid: number }
setInterval(() => {
  if (process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL')
}, 1_000)
