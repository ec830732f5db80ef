import { SlipwayError } from '@slipway/sdk'
import { MutationCache, QueryClient } from '@tanstack/react-query'
import { showFailure } from './failures.ts'
import { toRetryDelay, watchRequestLimit } from './request-limit.ts'

/** The meta of a mutation whose form or button does not show why it failed. */
export const SHOWS_FAILURES = { showsFailures: true } as const

/** Retries what may succeed later: no response, a 5xx or a 429, after the time that the service asks for. Not while offline. */
export const queryClient = new QueryClient({
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, { meta }) => {
      if (meta?.showsFailures) showFailure(error)
    },
  }),
  defaultOptions: {
    // Paused requests would leave placeholders, and paused actions would happen later, unasked. So offline, both fail.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: 15_000,
      gcTime: 300_000,
      refetchOnWindowFocus: false,
      retry: (count, error) =>
        navigator.onLine && count < 3 && !(error instanceof SlipwayError && error.status < 500 && error.status !== 429),
      retryDelay: toRetryDelay,
    },
  },
})

watchRequestLimit(queryClient)
