import { useState } from 'react'
import { useConfig } from '../data/config.tsx'
import { toOwnImage } from '../lib/links.ts'

interface Props {
  address: string
  symbol: string
  imageUrl: string | null
  /** A Tailwind size, such as size-10. */
  className?: string
  shape?: 'square' | 'round'
}

/** A picture that this service serves; otherwise letters on a colour made from the address. Decorative. */
export function TokenImage({ address, symbol, imageUrl, className = 'size-10', shape = 'square' }: Props) {
  const { publicUrl } = useConfig()
  const src = toOwnImage(imageUrl, publicUrl)
  const [failed, setFailed] = useState<string | null>(null)
  const corners = shape === 'round' ? 'rounded-full' : 'rounded-lg'
  if (src && failed !== src)
    return (
      <img
        src={src}
        alt=""
        loading="lazy"
        decoding="async"
        className={`shrink-0 bg-raised object-cover ${corners} ${className}`}
        onError={() => setFailed(src)}
      />
    )
  const hue = Number.parseInt(address.slice(2, 8), 16) % 360
  return (
    <svg viewBox="0 0 40 40" className={`shrink-0 ${corners} ${className}`} aria-hidden="true">
      <rect width="40" height="40" fill={`hsl(${hue} 45% 30%)`} />
      <circle cx="33" cy="6" r="19" fill={`hsl(${(hue + 40) % 360} 55% 40%)`} />
      <text x="20" y="26" textAnchor="middle" fontSize="15" fontWeight="700" fill="#fff">
        {[...symbol].slice(0, 2).join('')}
      </text>
    </svg>
  )
}
