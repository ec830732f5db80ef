import { type Query, useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { Client } from '../client.ts'
import { pause } from '../pause.ts'
import { readTime } from '../service-time.ts'
import { connect, type Live, type LiveOptions } from '../socket.ts'
import { readToken } from '../token-claims.ts'
import { PERSONAL, ROOT_KEY } from './query-key.ts'

export interface Slipway {
  client: Client
  /** The socket; undefined before the first effect, and with `socket={false}`. */
  live: Live | undefined
  /** Whether the socket is open. */
  isLive: boolean
  /** The wallet that is signed in, in lower case. */
  wallet: string | undefined
  /** Resolves when the first channel is subscribed, or soon after the socket was opened: requests wait for it. */
  started: Promise<unknown> | undefined
  /** Interval of polling while the socket is down. */
  pollMs: number
}

/**
 * Data that were read before the subscription to their channel must be read again. A request that waits for the first
 * subscription, which arrives about as fast as a response, saves that.
 */
const START_MS = 250

const Context = createContext<Slipway | undefined>(undefined)

export interface SlipwayProviderProps {
  client: Client
  children?: ReactNode
  /** Options of the socket; false for none: hooks then poll. Read once. */
  socket?: Omit<LiveOptions, 'onStatus'> | false
  /** Interval in milliseconds at which hooks poll while no live events arrive; 10,000 by default. */
  pollMs?: number
}

/** Gives the client and one socket to the hooks below it. It must be inside a QueryClientProvider. */
export function SlipwayProvider({ client, children, socket, pollMs = 10_000 }: SlipwayProviderProps): ReactElement {
  const [opened, setOpened] = useState<{ live: Live; started: Promise<unknown> }>()
  const [isLive, setIsLive] = useState(false)
  const wallet = readToken(useClientToken(client), readTime(client))
  const options = useRef(socket)

  useEffect(() => {
    if (options.current === false) return
    const live = connect(client, { ...options.current, onStatus: (status) => setIsLive(status === 'open') })
    setOpened({ live, started: Promise.race([live.started, pause(START_MS)]) })
    return () => {
      setOpened(undefined)
      live.close()
    }
  }, [client])

  useReadAgain(wallet)

  const value = useMemo(
    () => ({ client, live: opened?.live, started: opened?.started, isLive, wallet, pollMs }),
    [client, opened, isLive, wallet, pollMs],
  )
  return createElement(Context.Provider, { value }, children)
}

function useClientToken(client: Client): string | undefined {
  const read = () => client.token
  return useSyncExternalStore(client.watchToken, read, read)
}

/** Records have fields of the signed-in wallet, such as likedByMe, so another wallet reads them again. */
function useReadAgain(wallet: string | undefined): void {
  const queryClient = useQueryClient()
  const previous = useRef(wallet)
  useEffect(() => {
    if (previous.current === wallet) return
    previous.current = wallet
    const isPersonal = ({ meta }: Query) => meta?.[PERSONAL] !== false
    // invalidateQueries would keep the response to a first request that was sent for the previous wallet.
    const isFirst = (query: Query) => isPersonal(query) && query.state.data === undefined
    void queryClient
      .cancelQueries({ queryKey: [ROOT_KEY], predicate: isFirst })
      .then(() => queryClient.invalidateQueries({ queryKey: [ROOT_KEY], predicate: isPersonal }))
  }, [wallet, queryClient])
}

/** The client, the socket and the signed-in wallet of the nearest SlipwayProvider. */
export function useSlipway(): Slipway {
  const slipway = useContext(Context)
  if (!slipway) throw new Error('There is no SlipwayProvider above this component')
  return slipway
}
