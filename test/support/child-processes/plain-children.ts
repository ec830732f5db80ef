// tap adds a module to NODE_OPTIONS of every child process, to trace its imports. Children of the service run with an empty
// environment and under --permission, where that module cannot be loaded; the traces are not used here.
const id = Symbol.for('process-on-spawn@*:singletonId')
const known = (globalThis as Record<symbol, unknown>)[id] ?? { version: 1, unwrap: () => {} }
const state = Object.defineProperty(known, 'listeners', { get: () => [], set: () => {} })
Object.defineProperty(globalThis, id, { value: state, writable: true })
const { NODE_OPTIONS: options } = process.env
if (options) process.env.NODE_OPTIONS = options.replace(/"?--import=\S*@tapjs\/processinfo\S*/g, '').trim()
