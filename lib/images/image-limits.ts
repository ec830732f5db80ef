export const imageLimits = { bytes: 5 * 1024 * 1024, side: 4096 } as const

/** What an SVG may be at most; the picture that is made of it is `side` pixels wide. */
export const svgLimits = { bytes: 64 * 1024, side: 512, ratio: 4 } as const

/** Whether bytes begin as one of the four formats does. Names and content types are the sender's word, and not looked at. */
export function looksLikeImage(bytes: Buffer): boolean {
  const head = bytes.toString('latin1', 0, 12)
  const begins = (magic: string) => head.startsWith(magic)
  if (begins('RIFF')) return head.endsWith('WEBP')
  return begins('\x89PNG\r\n\x1a\n') || begins('\xff\xd8\xff') || begins('GIF87a') || begins('GIF89a')
}

export const looksLikeSvg = (bytes: Buffer): boolean =>
  /^\s*(<\?xml[^>]*>\s*)?<svg[\s>]/i.test(bytes.toString('latin1', 0, 300))
