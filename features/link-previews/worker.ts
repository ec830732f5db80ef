import { serveJobs } from '../../lib/child-pool/serve-jobs.ts'
import type { CardJob } from './card.ts'
import { renderCard } from './render.ts'

serveJobs<CardJob, Uint8Array>(renderCard)
