import type { ReactNode } from 'react'
import { ScrollRegion } from './scroll-region.tsx'

/** Least width of the table at which a column is shown. Tables measure themselves, not the screen: a panel may be narrow. */
const shownFrom = {
  sm: '@max-sm:hidden',
  md: '@max-md:hidden',
  lg: '@max-lg:hidden',
  xl: '@max-xl:hidden',
  '2xl': '@max-2xl:hidden',
  '3xl': '@max-3xl:hidden',
  '4xl': '@max-4xl:hidden',
  '5xl': '@max-5xl:hidden',
  '6xl': '@max-6xl:hidden',
  '7xl': '@max-7xl:hidden',
} as const

export interface Column<Row> {
  label: string
  cell(row: Row): ReactNode
  /** Where text begins or figures end. */
  align?: 'left' | 'right'
  /** Without it, the column is always shown. */
  from?: keyof typeof shownFrom
  /** Takes the width that the other columns leave; its cells cut text that is too long. One column has it. */
  isFlexible?: boolean
  /** How the rows are sorted by it. */
  sorted?: 'ascending' | 'descending' | undefined
  /** Sorts the rows by this column: makes its heading a button. */
  sort?: (() => void) | undefined
  /** The label is a symbol that somebody chose: it does not widen the column. */
  isForeignLabel?: boolean
  className?: string | ((row: Row) => string)
}

interface Props<Row> {
  caption: string
  /** Name of the part of the page that scrolls; the caption without one. */
  label?: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string
  rowClass?: (row: Row) => string
  /** A Tailwind height from which on the rows scroll below their headings. */
  maxHeight?: string
  /** Whether lines are of one height, as text without pictures. */
  isDense?: boolean
}

/** A table whose figures never break: where it is narrow it leaves out columns, and cuts long names. */
export function Table<Row>({
  caption,
  label: regionLabel,
  columns,
  rows,
  keyOf,
  rowClass,
  maxHeight,
  isDense,
}: Props<Row>) {
  const place = (column: Column<Row>) =>
    [
      'px-1 first:pl-2.5 last:pr-2.5 @sm:px-2 @sm:first:pl-3 @sm:last:pr-3 @lg:px-3',
      column.align === 'right' ? 'text-right' : 'text-left',
      column.isFlexible ? 'w-full min-w-20 max-w-0 truncate' : 'whitespace-nowrap',
      column.from ? shownFrom[column.from] : '',
    ].join(' ')
  const places = columns.map(place)
  return (
    <ScrollRegion
      label={regionLabel ?? caption}
      className={`@container overflow-x-auto ${maxHeight ? `overflow-y-auto ${maxHeight}` : ''}`}
    >
      <table className="w-full">
        <caption className="sr-only">{caption}</caption>
        <thead className={maxHeight ? 'sticky top-0 z-10 bg-surface' : ''}>
          <tr className="border-b border-line text-2xs text-faint">
            {columns.map(({ label, sorted, sort, isForeignLabel }, index) => (
              <th
                key={label}
                scope="col"
                {...(sorted && { 'aria-sort': sorted })}
                className={`py-2 font-semibold ${places[index]}`}
              >
                {isForeignLabel ? (
                  <bdi title={label} className="inline-block max-w-14 truncate align-bottom @lg:max-w-32">
                    {label}
                  </bdi>
                ) : sort ? (
                  <button
                    type="button"
                    onClick={sort}
                    className={`font-semibold hover:text-ink ${sorted ? 'text-ink' : ''}`}
                  >
                    {label}
                    {sorted && (
                      <span aria-hidden="true" className="ml-0.5 text-[0.8em]">
                        {sorted === 'descending' ? '▼' : '▲'}
                      </span>
                    )}
                  </button>
                ) : (
                  label
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className={`relative border-b border-line/60 last:border-0 hover:bg-raised ${rowClass?.(row) ?? ''}`}
            >
              {columns.map(({ label, cell, className }, index) => (
                <td
                  key={label}
                  className={`${isDense ? 'py-1.5' : 'py-2'} ${places[index]} ${typeof className === 'function' ? className(row) : (className ?? '')}`}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}

interface TitledProps {
  /** Decorative, in front of both lines. */
  image?: ReactNode
  title: ReactNode
  /** The second line. */
  note?: ReactNode
}

/** The content of a flexible column: a picture, a name, and a line below it; both are cut where they are too long. */
export function Titled({ image, title, note }: TitledProps) {
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      {image}
      <span className="min-w-0 flex-1">
        <span className="block truncate">
          <bdi>{title}</bdi>
        </span>
        {note !== undefined && (
          <span className="block truncate text-xs text-muted">
            <bdi>{note}</bdi>
          </span>
        )}
      </span>
    </span>
  )
}
