import { DATA_CHANGED, listEvents } from '../../db/queries/outbox.ts'

/** listEvents without the rows that say which data a commit changed, which no subscriber receives. */
export const listLiveEvents = async (...args: Parameters<typeof listEvents>) =>
  (await listEvents(...args)).filter(({ type }) => type !== DATA_CHANGED)
