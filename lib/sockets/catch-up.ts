import { setTimeout as pause } from 'node:timers/promises'
import type { Semaphore } from '../concurrency/semaphore.ts'
import type { LiveEvents } from '../live/live-events.ts'
import { frameEvent } from './frame.ts'
import type { SocketHub } from './hub.ts'
import { type Member, startHolding } from './room.ts'

/** Events that are read from the store at a time. */
const PAGE = 200
/** How long a replica may be behind the one that a client heard last, before `since` counts as of another history. */
const AHEAD_MS = 2_000
const AHEAD_STEP_MS = 20

/** The store no longer has, or never had, all that came after `since`. */
export class ReplayGap extends Error {
  override readonly name = 'ReplayGap'
}

interface Source {
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
export async function startCatchUp(source: Source, member: Member, since: number): Promise<() => Promise<void>> {
  const { live } = source
  await waitForHead(live, since)
  // Both in one turn: what is given out before this line is read, what is given out after it is held.
  let target = live.head
  if (target < since) throw new ReplayGap('since lies ahead of every event')
  member.held = startHolding()
  let after = since
  let page = await readPage(source, member, after, target)

  return async () => {
    for (;;) {
      sendPage(source, member, page.events)
      after = page.events.at(-1)?.seq ?? after
      const { last } = page
      // The frames were copied into the write: a peer that does not read must not hold them twice.
      page = { events: [], last }
      await member.connection.drained()
      if (!source.hub.has(member)) return
      if (last) {
        if (!member.held?.overflowed) return source.hub.release(member, target)
        after = target
        target = live.head
        member.held = startHolding()
      }
      page = await readPage(source, member, after, target)
    }
  }
}

interface Page {
  events: { seq: number; frame: Buffer }[]
  last: boolean
}

async function readPage({ live, semaphore }: Source, { room }: Member, after: number, target: number): Promise<Page> {
  if (after >= target) return { events: [], last: true }
  const { events, complete } = await semaphore(() => live.replay(room.name, after, PAGE))
  if (!complete) throw new ReplayGap('some events after since are no longer kept')
  const wanted = events.filter(({ seq }) => seq <= target)
  return {
    events: wanted.map((event) => ({ seq: event.seq, frame: frameEvent(event, room.name) })),
    last: events.length < PAGE || wanted.length < events.length,
  }
}

function sendPage({ hub }: Source, member: Member, events: Page['events']): void {
  if (events.length === 0 || !hub.has(member)) return
  if (member.connection.write(Buffer.concat(events.map(({ frame }) => frame)))) hub.countReplayed(events.length)
}

async function waitForHead(live: LiveEvents, since: number): Promise<void> {
  for (let waited = 0; live.head < since && waited < AHEAD_MS; waited += AHEAD_STEP_MS)
    await pause(AHEAD_STEP_MS, undefined, { ref: false })
}
