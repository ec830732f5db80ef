import { move } from 'piscina'
import type { CardJob } from './card.ts'
import { rasterize } from './rasterize.ts'
import { renderCard } from './render.ts'

/** What a thread of the pool is told to do. */
export type Job = CardJob | { svg: Uint8Array }

/** Draws, and hands the bytes over without a copy. */
export default async (job: Job): Promise<unknown> =>
  move(new Uint8Array('svg' in job ? rasterize(Buffer.from(job.svg)) : await renderCard(job)))
