export const imageLimits = { bytes: 5 * 1024 * 1024, side: 4096 } as const

/** Limits of an SVG. `side` is the width of the rasterised image in pixels. */
export const svgLimits = { bytes: 64 * 1024, side: 512, ratio: 4 } as const

/** Whether the bytes start with the signature of a supported format. The declared name and content type are untrusted. */
export function looksLikeImage(bytes: Buffer): boolean {
  const head = bytes.toString('latin1', 0, 12)
  const begins = (magic: string) => head.startsWith(magic)
  if (begins('RIFF')) return head.endsWith('WEBP')
  return begins('\x89PNG\r\n\x1a\n') || begins('\xff\xd8\xff') || begins('GIF87a') || begins('GIF89a')
}

/**
 * Whether SVG begins here, maybe after a byte order mark, comments and a DOCTYPE. Each text matches the expression in one way only:
 * it runs in the main process, where one that tries many would stop everything.
 */
export const looksLikeSvg = (bytes: Buffer): boolean =>
  /^(?:\xef\xbb\xbf)?(?:\s|<\?xml[^>]*>|<!--(?:(?!-->)[\s\S])*-->|<!DOCTYPE[^>]*>)*<svg[\s>]/i.test(
    bytes.toString('latin1', 0, 2_000),
  )
