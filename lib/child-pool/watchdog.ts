import { workerData } from 'node:worker_threads'

// Native code can hold the main thread of a child for ever, and the end of its parent is then not noticed there.
const { parentPid } = workerData as { parentPid: number }
setInterval(() => {
  if (process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL')
}, 1_000)
