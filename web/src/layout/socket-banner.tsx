import { useIsOffline } from './use-is-offline.ts'

/** Says that live events are missing, so that nobody takes old prices for current ones. */
export function SocketBanner() {
  const isOffline = useIsOffline()
  return (
    <div role="status">
      {isOffline && (
        <p className="bg-warn-soft px-4 py-1.5 text-center text-xs font-semibold text-warn">
          Live updates are interrupted. Reconnecting; until then, figures refresh every few seconds.
        </p>
      )}
    </div>
  )
}
