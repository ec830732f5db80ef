import pg from 'pg'

export interface ScratchDatabase {
  url: string
  drop(): Promise<void>
}

/** Makes an empty database beside the one that the URL names; its role must be allowed to. */
export async function createScratchDatabase(serverUrl: string, name: string): Promise<ScratchDatabase> {
  await runOn(serverUrl, `drop database if exists ${name} with (force)`, `create database ${name}`)
  // What earlier runs left behind for the server to write is written before this one's time is taken.
  await runOn(serverUrl, 'checkpoint').catch(() => {})
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => runOn(serverUrl, `drop database if exists ${name} with (force)`) }
}

async function runOn(connectionString: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
