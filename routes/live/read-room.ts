/** A room by its canonical name, and the wallet whose it is, if it is somebody's. */
export interface RoomRead {
  name: string
  wallet: string | null
}

const shared = new Set(['tokens', 'trades', 'raises', 'staking', 'feed', 'stats'])
const ADDRESS = /^0x[0-9a-f]{40}$/i
/** A contract, and the number of a raise there. */
const RAISE = /^0x[0-9a-f]{40}-(0|[1-9][0-9]{0,77})$/i

/**
 * The room that a client names; undefined where there is none. Any address is a room: whoever has just launched a token
 * may listen to it before it is known here, and asking the database about every subscribe would serve nobody.
 */
export function readRoom(given: string): RoomRead | undefined {
  if (shared.has(given)) return { name: given, wallet: null }
  const colon = given.indexOf(':')
  const [kind, rest] = [given.slice(0, colon), given.slice(colon + 1)]
  if (kind === 'raise' && RAISE.test(rest)) return { name: given.toLowerCase(), wallet: null }
  if ((kind !== 'token' && kind !== 'wallet') || !ADDRESS.test(rest)) return undefined
  const address = rest.toLowerCase()
  return { name: `${kind}:${address}`, wallet: kind === 'wallet' ? address : null }
}
