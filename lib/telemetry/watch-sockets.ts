import type { SocketHub } from '../sockets/hub.ts'
import type { Metrics } from './create-metrics.ts'

/** Exports the socket hub's counts. */
export function watchSockets(metrics: Metrics, hub: Pick<SocketHub, 'counts'>): void {
  metrics.gauge('sockets', 'Open sockets', () => hub.counts().sockets)
  metrics.gauge('socket_rooms', 'Rooms that somebody is in', () => hub.counts().channels)
  metrics.totals('socket_messages_total', 'Messages of events that went out', () => hub.counts().sent)
  metrics.totals('sockets_dropped_total', 'Sockets that were cut off, by reason', () => hub.counts().dropped, 'reason')
}
