import type { Test } from 'tap'
import { WebSocket } from 'ws'
import { ViewList, type ViewMessage } from '../support/views/view-list.ts'

const AGAIN_MS = 100

interface Message extends ViewMessage {
  room?: string
  code?: string
}

export interface ListFollower {
  list: ViewList
  /** Connections after the first. */
  comebacks(): number
  /** Everything that a client should never receive. */
  problems: string[]
}

/** A client that keeps a list of tokens by a live view, through any process, and comes back after each disconnection. */
export function followList(
  t: Pick<Test, 'teardown'>,
  pickUrl: () => string,
  fields: Readonly<Record<string, unknown>>,
): ListFollower {
  const list = new ViewList()
  const problems: string[] = []
  let ws: WebSocket | undefined
  let connections = 0
  let isStopped = false
  const connect = () => {
    if (isStopped) return
    const socket = new WebSocket(`${pickUrl().replace('http', 'ws')}/ws`)
    ws = socket
    const subscribe = (since?: number) => {
      if (socket.readyState === WebSocket.OPEN)
        socket.send(
          JSON.stringify({ type: 'subscribe', room: 'view', ...fields, ...(since !== undefined && { since }) }),
        )
    }
    socket.on('open', () => {
      connections++
      subscribe(list.seq < 0 ? undefined : list.seq)
    })
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as Message
      if (message.type !== 'error') return list.receive(message)
      if (message.code === 'REPLAY_GAP') subscribe()
      else if (message.code === 'UNAVAILABLE')
        setTimeout(subscribe, AGAIN_MS, list.seq < 0 ? undefined : list.seq).unref()
      else problems.push(String(data))
    })
    socket.on('error', () => {})
    socket.on('close', () => void setTimeout(connect, AGAIN_MS).unref())
  }
  connect()
  t.teardown(() => {
    isStopped = true
    ws?.terminate()
  })
  return { list, problems, comebacks: () => Math.max(0, connections - 1) }
}
