import type { ConnectionLimiter } from '../connections/connection-limiter.ts'
import type { Metrics } from './create-metrics.ts'

/** Exports the API's HTTP connections and unread bytes. */
export function watchConnections(metrics: Metrics, ledger: Pick<ConnectionLimiter, 'counts'>): void {
  const { gauge, totals } = metrics
  gauge('http_connections', 'Open HTTP connections, without WebSockets', () => ledger.counts().http)
  gauge('unread_bytes', 'Bytes that peers leave unread, on WebSockets as well', () => ledger.counts().unreadBytes)
  totals('connections_cut_total', 'Connections cut, by reason', () => ledger.counts().cut, 'reason')
  totals(
    'connections_refused_total',
    'Connections and responses rejected at a limit',
    () => ledger.counts().refused,
    'reason',
  )
}
