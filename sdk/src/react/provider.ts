import { useQueryClient } from '@tanstack/react-query'
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
import { readToken } from '../sign-in.ts'
import { connect, type Live, type LiveOptions } from '../socket.ts'
import { ROOT_KEY } from './query-key.ts'

export interface Slipway {
  client: Client
  /** The socket; undefined before the first effect, and with `socket={false}`. */
  live: Live | undefined
  /** Whether the socket is open. */
  isLive: boolean
  /** The wallet that is signed in, in lower case. */
  wallet: string | undefined
  /** Interval of polling while the socket is down. */
  pollMs: number
}

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
  const [live, setLive] = useState<Live>()
  const [isLive, setIsLive] = useState(false)
  const wallet = readToken(useClientToken(client))
  const options = useRef(socket)

  useEffect(() => {
    if (options.current === false) return
    const opened = connect(client, { ...options.current, onStatus: (status) => setIsLive(status === 'open') })
    setLive(opened)
    return () => {
      setLive(undefined)
      opened.close()
    }
  }, [client])

  useReadAgain(wallet)

  const value = useMemo(() => ({ client, live, isLive, wallet, pollMs }), [client, live, isLive, wallet, pollMs])
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
    void queryClient.invalidateQueries({ queryKey: [ROOT_KEY] })
  }, [wallet, queryClient])
}

/** The client, the socket and the signed-in wallet of the nearest SlipwayProvider. */
export function useSlipway(): Slipway {
  const slipway = useContext(Context)
  if (!slipway) throw new Error('There is no SlipwayProvider above this component')
  return slipway
}
