import type { MetadataRequest } from '../../db/queries/token-metadata.ts'
import { type ChainEvent, ofKind } from './events.ts'

/** What the events ask to read: documents of launches that name one, and those of updates. */
export function listMetadataRequests(events: readonly ChainEvent[]): MetadataRequest[] {
  const launches = ofKind(events, 'create').filter(({ metadataUri }) => metadataUri !== '')
  const updates = ofKind(events, 'metadata-update')
  return [
    ...launches.map(({ token }) => ({ token, updatedAt: null })),
    ...updates.map(({ token, at }) => ({ token, updatedAt: at.time })),
  ]
}
