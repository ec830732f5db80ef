import type { ReactNode } from 'react'
import { ScrollRegion } from './scroll-region.tsx'

export interface Column {
  label: string
  align?: 'left' | 'right'
  /** Hides the column on narrow screens. */
  className?: string
}

interface Props {
  caption: string
  columns: readonly Column[]
  children: ReactNode
}

/** A table that scrolls by itself where it is too wide. */
export function Table({ caption, columns, children }: Props) {
  return (
    <ScrollRegion label={caption} className="overflow-x-auto">
      <table className="w-full">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-line text-2xs text-faint">
            {columns.map(({ label, align = 'left', className = '' }) => (
              <th
                key={label}
                scope="col"
                className={`whitespace-nowrap px-2 py-2 font-semibold sm:px-3 ${align === 'right' ? 'text-right' : 'text-left'} ${className}`}
              >
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </ScrollRegion>
  )
}

interface CellProps {
  align?: 'left' | 'right'
  className?: string
  children: ReactNode
}

export function Cell({ align = 'left', className = '', children }: CellProps) {
  // A figure that breaks cannot be read.
  return (
    <td className={`px-2 py-2 sm:px-3 ${align === 'right' ? 'whitespace-nowrap text-right' : ''} ${className}`}>
      {children}
    </td>
  )
}

export const rowClass = 'border-b border-line/60 last:border-0 hover:bg-raised'
