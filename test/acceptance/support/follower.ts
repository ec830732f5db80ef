import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { WebSocket } from 'ws'

export interface ReceivedEvent {
  type: string
  seq: number
  data: { id: string; blockNumber: number; txHash: string }
}

/** A client that follows one room of a service, and resumes with `since` after every disconnection. */
export interface RoomFollower {
  /** All events of the room since it first came, in the order in which they arrived. */
  readonly events: readonly ReceivedEvent[]
  /** Where it began. Known once it has been let in. */
  readonly start: number | undefined
  readonly comebacks: number
  /** Everything that a client should never see. */
  readonly problems: string[]
  /** Breaks its own connection. */
  disconnect(): void
}

/** `serviceUrl` may choose another process for each connection. */
export async function followRoom(
  t: Pick<Test, 'teardown'>,
  serviceUrl: string | (() => string),
  room: string,
): Promise<RoomFollower> {
  const events: ReceivedEvent[] = []
  const problems: string[] = []
  let start: number | undefined
  let last: number | undefined
  let comebacks = -1
  let stopped = false
  let ws: WebSocket | undefined

  const enter = () => ws?.send(JSON.stringify({ type: 'subscribe', room, ...(last !== undefined && { since: last }) }))
  const receive = (text: string) => {
    const message = JSON.parse(text)
    if (message.type === 'subscribed') {
      start ??= message.seq
      last ??= message.seq
      comebacks++
    } else if (message.type === 'error') {
      if (message.code !== 'UNAVAILABLE') problems.push(text)
      else setTimeout(() => ws?.readyState === WebSocket.OPEN && enter(), 100).unref()
    } else {
      if (last === undefined || message.seq <= last) problems.push(`${message.seq} after ${last}`)
      last = message.seq
      events.push(message)
    }
  }
  const connect = () => {
    if (stopped) return
    const url = typeof serviceUrl === 'string' ? serviceUrl : serviceUrl()
    ws = new WebSocket(`${url.replace('http', 'ws')}/ws`)
    ws.on('open', enter)
    ws.on('message', (data) => receive(String(data)))
    ws.on('error', () => {})
    ws.on('close', () => void setTimeout(connect, 50).unref())
  }
  connect()
  t.teardown(() => {
    stopped = true
    ws?.terminate()
  })
  while (start === undefined) await sleep(20)
  return {
    events,
    problems,
    get start() {
      return start
    },
    get comebacks() {
      return comebacks
    },
    disconnect: () => ws?.terminate(),
  }
}
