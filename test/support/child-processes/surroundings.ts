const { PATH = '', HOME = '', NODE_COMPILE_CACHE, NODE_V8_COVERAGE } = process.env

/**
 * What a process of a test needs of the test's own environment. Node's cache of compiled modules spares every process their
 * compilation; with its coverage, npm run test:mutations sees what the process reaches.
 */
export const surroundings: Readonly<Record<string, string>> = {
  PATH,
  HOME,
  ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
  ...(NODE_V8_COVERAGE && { NODE_V8_COVERAGE }),
}
