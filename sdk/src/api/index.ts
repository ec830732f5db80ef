export type { ListMethod, Method, PreparedCall } from './bind.ts'
export { type Api, createApi } from './create-api.ts'
export type { ApiOperations } from './operations.ts'
