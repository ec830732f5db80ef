// The configuration of the servers, as in docs/operations.md.
import { join } from 'node:path'
import { stringify } from 'yaml'

/** Patroni's shortest times. A primary that is gone is replaced after TTL seconds. */
const TTL_SECONDS = 20

export interface NodePorts {
  name: string
  postgres: number
  rest: number
}

interface PatroniOptions {
  node: NodePorts
  etcd: number
  folder: string
  bin: string
  synchronous: boolean
}

export function describePatroni({ node, etcd, folder, bin, synchronous }: PatroniOptions): string {
  const local = '127.0.0.1'
  return stringify({
    scope: 'slipway',
    name: node.name,
    restapi: { listen: `${local}:${node.rest}`, connect_address: `${local}:${node.rest}` },
    etcd3: { hosts: `${local}:${etcd}` },
    bootstrap: {
      dcs: {
        ttl: TTL_SECONDS,
        loop_wait: 1,
        retry_timeout: 5,
        maximum_lag_on_failover: 100_000_000,
        synchronous_mode: synchronous,
        postgresql: {
          use_pg_rewind: true,
          parameters: { max_connections: 100, shared_buffers: '16MB', fsync: 'off', wal_keep_size: '64MB' },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, { auth: 'trust' }, 'no-sync'],
    },
    postgresql: {
      listen: `${local}:${node.postgres}`,
      connect_address: `${local}:${node.postgres}`,
      data_dir: join(folder, node.name),
      bin_dir: bin,
      pgpass: join(folder, `${node.name}.pgpass`),
      authentication: {
        superuser: { username: 'postgres' },
        replication: { username: 'replicator' },
        rewind: { username: 'postgres' },
      },
      parameters: { unix_socket_directories: '' },
      pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
      basebackup: [{ checkpoint: 'fast' }, 'no-sync'],
    },
  })
}

interface ProxyOptions {
  nodes: readonly NodePorts[]
  primary: number
  replica: number
}

/** One port that leads to the primary, and one to the replicas. */
export function describeHaproxy({ nodes, primary, replica }: ProxyOptions): string {
  const listen = (name: string, port: number, path: string) => `
listen ${name}
    bind 127.0.0.1:${port}
    option httpchk OPTIONS ${path}
    http-check expect status 200
    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map((node) => `    server ${node.name} 127.0.0.1:${node.postgres} check port ${node.rest}`).join('\n')}
`
  return `global
    maxconn 1000
defaults
    mode tcp
    timeout connect 2s
    timeout check 2s
    timeout client 1h
    timeout server 1h
${listen('primary', primary, '/primary')}${listen('replicas', replica, '/replica')}`
}
