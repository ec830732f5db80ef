import { setTimeout as pause } from 'node:timers/promises'
import type { Semaphore } from '../concurrency/semaphore.ts'
import type { LiveEvents } from '../live/live-events.ts'
import { createEventBuffer, type Subscription } from './channel.ts'
import { frameEvent } from './frame.ts'
import type { SocketHub } from './hub.ts'

/** Events that are read from the store at a time. */
const PAGE = 200
/** How long a replica may be behind the one that a client heard last, before `since` counts as of another history. */
const HEAD_WAIT_MS = 2_000
const HEAD_POLL_MS = 20

/** The store no longer has, or never had, all that came after `since`. */
export class ReplayGapError extends Error {
  override readonly name = 'ReplayGapError'
}

interface ReplaySource {
  hub: SocketHub
  live: LiveEvents
  /** Bounds how many read the store at once: after an outage everybody comes back at the same time. */
  semaphore: Semaphore
}

/**
 * Starts to give a member, who must have joined holding, what its room had after `since`. Resolves when it is known
 * that nothing of it is lost; `finish` then sends it and lets the member go live. Rejects with ReplayGap.
 *
 * The member has joined at some point of the stream (the target): what came up to there is in the store, since the bus
 * has given it out; what comes after is held. So nothing is missed, and nothing comes from both.
 */
export async function startCatchUp(
  source: ReplaySource,
  subscription: Subscription,
  since: number,
): Promise<() => Promise<void>> {
  const { live } = source
  await waitForHead(live, since)
  // Both in one turn: what is given out before this line is read, what is given out after it is held.
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
      // The frames were copied into the write: a peer that does not read must not hold them twice.
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
