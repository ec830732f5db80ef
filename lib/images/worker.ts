import { serveJobs } from '../child-pool/serve-jobs.ts'
import { encodeImage, makeThumbnail } from './encode-image.ts'
import type { ImageJob, ImageResult } from './image-job.ts'
import { looksLikeSvg } from './image-limits.ts'
import { rasterizeSvg } from './rasterize-svg.ts'

serveJobs<ImageJob, ImageResult>((job) => {
  if (job.kind === 'thumbnail') return makeThumbnail(job.bytes, job.side)
  const bytes = Buffer.from(job.bytes)
  if (!job.svg || !looksLikeSvg(bytes)) return encodeImage(bytes)
  try {
    return encodeImage(rasterizeSvg(bytes))
  } catch {
    return { problem: 'broken' }
  }
})
