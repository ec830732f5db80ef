import { useEffect, useRef, useState } from 'react'
import type { Room } from '../rooms.ts'
import type { RoomMessage } from '../socket.ts'
import { useSlipway } from './provider.ts'

/**
 * Subscribes to a channel while the component is mounted, and calls `handle` with each message. Returns whether events arrive.
 * Null subscribes to nothing.
 */
export function useLive<Name extends Room>(
  room: Name | null | undefined,
  handle: (message: RoomMessage<Name>) => void,
): boolean {
  return useRooms(room ? [room] : [], handle)
}

/**
 * useLive for several channels. Returns whether events of all of them arrive. `since`: events that follow the last message of
 * any channel, which are those that a request of this moment may not contain.
 */
export function useRooms<Name extends Room>(
  rooms: readonly Name[],
  handle: (message: RoomMessage<Name>) => void,
  since?: 'last',
): boolean {
  const { live, isLive } = useSlipway()
  const [entered, setEntered] = useState<readonly string[]>([])
  const latest = useRef(handle)
  useEffect(() => {
    latest.current = handle
  })

  const names = rooms.join(' ')
  useEffect(() => {
    if (!live || names === '') return
    const leave = (names.split(' ') as Name[]).map((name) =>
      live.subscribe(
        name,
        (message) => {
          if (message.type === 'subscribed' || message.type === 'gap')
            setEntered((all) => (all.includes(name) ? all : [...all, name]))
          else if (message.type === 'refused') setEntered((all) => all.filter((one) => one !== name))
          latest.current(message)
        },
        { ...(since && { since }) },
      ),
    )
    return () => {
      for (const end of leave) end()
      setEntered([])
    }
  }, [live, names, since])

  return isLive && rooms.length > 0 && rooms.every((room) => entered.includes(room))
}
