import { useSlipway } from '@slipway/sdk/react'

/** The state of the socket, as a word beside its dot. */
export function SocketDot() {
  const { isLive } = useSlipway()
  return (
    <span className="hidden items-center gap-1.5 text-xs text-muted md:flex" title="State of the live connection">
      <span aria-hidden="true" className={`size-2 rounded-full ${isLive ? 'bg-up' : 'bg-warn'}`} />
      {isLive ? 'Live' : 'Connecting'}
    </span>
  )
}
