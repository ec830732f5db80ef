/**
 * Options of Ajv that halve the time of a compilation. V8 optimizes the code anyway, and a test validates the schemas
 * (test/plugins/schemas.test.ts).
 */
export const FAST_COMPILATION = { code: { optimize: false }, validateSchema: false } as const
