/** What libpq says on the coordinator, which gives such errors the SQLSTATE of internal ones, and what Citus says after it. */
const LOST =
  /^(server closed the connection|connection not open|no connection to|could not (send|receive) data|SSL |failure on connection marked as essential)/

/** Whether the coordinator of Citus has lost its connection to a worker while the worker ran a statement. */
export function isWorkerLoss(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  return code === 'XX000' && typeof message === 'string' && LOST.test(message)
}
