import { EventEmitter } from 'node:events'
import { BODY_BYTES, type TrackedResponse, type TrackedSocket } from '../../../lib/connections/tracked-connection.ts'

/** A peer whose reading the test decides: a real one reads as it likes. */
export class Peer extends EventEmitter {
  remoteAddress: string | undefined
  writableLength = 0
  writableFinished = false
  end: 'open' | 'reset' | 'closed' = 'open'
  _handle: { bytesWritten: number; writeQueueSize: number } | null = { bytesWritten: 0, writeQueueSize: 0 }

  constructor(address?: string) {
    super()
    this.remoteAddress = address
  }

  get socket(): TrackedSocket {
    return this as unknown as TrackedSocket
  }

  /** As of a real socket, "close" follows later. */
  destroy(): void {
    this.end = 'closed'
  }

  resetAndDestroy(): void {
    this.end = 'reset'
  }

  leave(): void {
    this.emit('close')
  }
}

/** A response with so large a body. */
export const respond = (fields: { writableFinished?: boolean; writableLength?: number; bytes?: number } = {}) => {
  const { writableFinished = false, writableLength = 0, bytes } = fields
  return { writableFinished, writableLength, ...(bytes !== undefined && { [BODY_BYTES]: bytes }) } as TrackedResponse
}
