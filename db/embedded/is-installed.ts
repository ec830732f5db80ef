/** Whether PGlite is there: a service with a PostgreSQL of its own can be installed without it. */
export function isPgliteInstalled(): boolean {
  try {
    import.meta.resolve('@electric-sql/pglite')
    return true
  } catch {
    return false
  }
}
