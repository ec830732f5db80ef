import pg from 'pg'

export interface ScratchDatabase {
  url: string
  drop(): Promise<void>
}

/** Creates an empty database on the URL's server; the role needs CREATEDB. */
export async function createScratchDatabase(serverUrl: string, name: string): Promise<ScratchDatabase> {
  await runOn(serverUrl, `drop database if exists ${name} with (force)`, `create database ${name}`)
  // Flushes dirty pages of earlier runs before the measurement.
  await runOn(serverUrl, 'checkpoint').catch(() => {})
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => runOn(serverUrl, `drop database if exists ${name} with (force)`) }
}

export async function runOn(connectionString: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
