import { setTimeout as pause } from 'node:timers/promises'
import type { Semaphore } from '../../../lib/concurrency/semaphore.ts'
import type { LiveEvents } from '../live-event.ts'
import { createEventBuffer, type Subscription } from './channel.ts'
import { frameEvent } from './frame.ts'
import type { SocketHub } from './hub.ts'

/** Events per read. */
const PAGE = 200
/** How long to wait for this replica to reach `since`, before `since` counts as belonging to another history. */
const HEAD_WAIT_MS = 2_000
const HEAD_POLL_MS = 20

/** Events after `since` were trimmed, or `since` is ahead of every event. */
export class ReplayGapError extends Error {
  override readonly name = 'ReplayGapError'
}

interface ReplaySource {
  hub: SocketHub
  live: LiveEvents
  /** Bounds concurrent reads: after an outage all clients reconnect at once. */
  semaphore: Semaphore
}

/**
 * Starts the replay of events after `since` for a subscription made with `buffered: true`. Rejects with ReplayGapError, else
 * returns a function that sends the events and makes the subscription live. Events up to the target (the head when buffering
 * starts) come from the store, later ones from the buffer: no gaps, no duplicates.
 */
export async function startCatchUp(
  source: ReplaySource,
  subscription: Subscription,
  since: number,
): Promise<() => Promise<void>> {
  const { live } = source
  await waitForHead(live, since)
  // In one tick: events up to `target` are stored, later ones are buffered.
  let target = live.head
  if (target < since) throw new ReplayGapError('since lies ahead of every event')
  subscription.buffer = createEventBuffer()
  let after = since
  let page = await readPage(source, subscription, after, target)

  return async () => {
    for (;;) {
      sendPage(source, subscription, page.events)
      after = page.events.at(-1)?.seq ?? after
      const { last } = page
      // write() copied the frames: release them while the peer drains.
      page = { events: [], last }
      await subscription.connection.drained()
      if (!source.hub.has(subscription)) return
      if (last) {
        if (!subscription.buffer?.overflowed) return source.hub.goLive(subscription, target)
        after = target
        target = live.head
        subscription.buffer = createEventBuffer()
      }
      page = await readPage(source, subscription, after, target)
    }
  }
}

interface Page {
  events: { seq: number; frame: Buffer }[]
  last: boolean
}

async function readPage(
  { live, semaphore }: ReplaySource,
  { channel }: Subscription,
  after: number,
  target: number,
): Promise<Page> {
  if (after >= target) return { events: [], last: true }
  const { events, complete } = await semaphore(() => live.replay(channel.name, after, PAGE))
  if (!complete) throw new ReplayGapError('some events after since are no longer kept')
  const wanted = events.filter(({ seq }) => seq <= target)
  return {
    events: wanted.map((event) => ({ seq: event.seq, frame: frameEvent(event, channel.name) })),
    last: events.length < PAGE || wanted.length < events.length,
  }
}

function sendPage({ hub }: ReplaySource, subscription: Subscription, events: Page['events']): void {
  if (events.length === 0 || !hub.has(subscription)) return
  if (subscription.connection.write(Buffer.concat(events.map(({ frame }) => frame)))) hub.countReplayed(events.length)
}

async function waitForHead(live: LiveEvents, since: number): Promise<void> {
  for (let waited = 0; live.head < since && waited < HEAD_WAIT_MS; waited += HEAD_POLL_MS)
    await pause(HEAD_POLL_MS, undefined, { ref: false })
}
