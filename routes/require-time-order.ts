import { AppError } from '../errors.ts'

/** Throws INVALID_INPUT if the range `from` to `to` of a query ends before it begins. */
export function requireTimeOrder({ from, to }: { from?: number | undefined; to?: number | undefined }): void {
  if (from !== undefined && to !== undefined && from > to)
    throw new AppError('INVALID_INPUT', { field: 'query.from', problem: 'must not be after query.to' })
}
