/** The flags that tests set for V8 (.taprc), without what tap loads into them: for child processes that run the service. */
export const V8_FLAGS = process.execArgv.filter((flag) => !flag.startsWith('--import') && !flag.startsWith('--enable'))
