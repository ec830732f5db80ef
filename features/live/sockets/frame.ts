import type { LiveEvent } from '../live-event.ts'

/** A server's text frame: final and unmasked (RFC 6455, section 5.2). */
export function frameText(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const start = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(start + length)
  frame[0] = 0x81
  if (start === 2) frame[1] = length
  else if (start === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeUInt32BE(0, 2)
    frame.writeUInt32BE(length, 6)
  }
  frame.write(text, start)
  return frame
}

/** The frame of an event in a channel. Channel names and event types need no JSON escaping. */
export const frameEvent = ({ type, seq, data }: Omit<LiveEvent, 'rooms'>, channel: string): Buffer =>
  frameText(`{"type":"${type}","room":"${channel}","seq":${seq},"data":${data}}`)
