import type { Metrics } from '../../../lib/telemetry/create-metrics.ts'
import type { SocketHub } from './hub.ts'

/** Exports the socket hub's counts. */
export function watchSockets(metrics: Metrics, hub: Pick<SocketHub, 'counts'>): void {
  metrics.gauge('sockets', 'Open sockets', () => hub.counts().sockets)
  metrics.gauge('socket_rooms', 'Channels with subscribers', () => hub.counts().channels)
  metrics.totals('socket_messages_total', 'Event messages sent', () => hub.counts().sent)
  metrics.totals(
    'sockets_dropped_total',
    'Sockets disconnected by the service, by reason',
    () => hub.counts().dropped,
    'reason',
  )
}
