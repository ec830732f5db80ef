import { SlipwayError } from '@slipway/sdk'

const MAX_ATTEMPTS = 4
const DEFAULT_SECONDS = 10

/** Repeats what a quota rejects (429), after the time that the service names. `onWait` gets that time, and null afterwards. */
export async function retryWhenLimited<Result>(
  run: () => Promise<Result>,
  onWait: (until: number | null) => void,
): Promise<Result> {
  for (let attempt = 1; ; attempt++)
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof SlipwayError) || error.status !== 429 || attempt === MAX_ATTEMPTS) throw error
      const ms = (error.retryAfter ?? DEFAULT_SECONDS) * 1_000
      onWait(Date.now() + ms)
      await new Promise((resolve) => setTimeout(resolve, ms))
      onWait(null)
    }
}
